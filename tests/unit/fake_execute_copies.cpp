// SPDX-License-Identifier: Apache-2.0
// Transfers of the fake driver: regions at odd places, formats of every kind.
#include <cstring>

#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;

class FakeTransfers : public FakeDevice {
 protected:
  static void count_up(const MappedBuffer& buffer) {
    for (std::size_t i = 0; i < buffer.size; ++i) buffer.bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
  }
  void to_image(VkCommandBuffer c, const MappedBuffer& from, VkImage to, const VkBufferImageCopy& region) {
    vk.vkCmdCopyBufferToImage(c, from.buffer, to, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }
  void from_image(VkCommandBuffer c, VkImage from, const MappedBuffer& to, const VkBufferImageCopy& region) {
    vk.vkCmdCopyImageToBuffer(c, from, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1, &region);
  }
  static VkBufferImageCopy region(VkExtent3D extent, VkOffset3D offset = {},
                                  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT, std::uint32_t level = 0,
                                  std::uint32_t layer = 0, std::uint32_t layers = 1) {
    return {0, 0, 0, {aspect, level, layer, layers}, offset, extent};
  }
};

TEST_F(FakeTransfers, FillsUpdatesAndCopiesBuffers) {
  const MappedBuffer a = make_buffer(256), b = make_buffer(256);
  const std::uint32_t words[2] = {0x11223344, 0x55667788};
  run([&](VkCommandBuffer c) {
    vk.vkCmdFillBuffer(c, a.buffer, 4, 8, 0xaabbccdd);
    vk.vkCmdUpdateBuffer(c, a.buffer, 12, sizeof words, words);
    const VkBufferCopy regions[] = {{5, 101, 13}, {0, 3, 1}};
    vk.vkCmdCopyBuffer(c, a.buffer, b.buffer, 2, regions);
  });
  EXPECT_EQ(a.word(0), 0u);
  EXPECT_EQ(a.word(1), 0xaabbccddu);
  EXPECT_EQ(a.word(2), 0xaabbccddu);
  EXPECT_EQ(a.word(3), words[0]);
  EXPECT_EQ(a.word(4), words[1]);
  EXPECT_EQ(std::memcmp(b.bytes + 101, a.bytes + 5, 13), 0);
  EXPECT_EQ(b.bytes[100], 0);
  EXPECT_EQ(b.bytes[114], 0);
}

TEST_F(FakeTransfers, CopiesAnOddBoxThroughAnImageLayerAndLevel) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {37, 21, 1}, 3, 3);
  const MappedBuffer from = make_buffer(4096), to = make_buffer(4096);
  count_up(from);
  VkBufferImageCopy in = region({5, 3, 1}, {7, 2, 0}, VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2);
  in.bufferOffset = 8;
  in.bufferRowLength = 9;
  in.bufferImageHeight = 4;
  run([&](VkCommandBuffer c) {
    to_image(c, from, image, in);
    // The last row and column of it, of the second of the layers.
    from_image(c, image, to, region({1, 3, 1}, {11, 2, 0}, VK_IMAGE_ASPECT_COLOR_BIT, 1, 2));
  });
  for (std::size_t y = 0; y < 3; ++y)
    EXPECT_EQ(std::memcmp(to.bytes + 4 * y, from.bytes + 8 + 4 * (9 * 4 + 9 * y + 4), 4), 0) << y;
  EXPECT_EQ(to.word(3), 0u);
}

TEST_F(FakeTransfers, CopiesBetweenImagesAndSlicesOfVolumes) {
  const VkImage flat = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 4);
  const VkImage volume = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 4}, 1, 1, VK_IMAGE_TYPE_3D);
  const MappedBuffer from = make_buffer(4 * 256), to = make_buffer(4 * 256);
  count_up(from);
  run([&](VkCommandBuffer c) {
    to_image(c, from, flat, region({8, 8, 1}, {}, VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 4));
    const VkImageCopy copy{
        {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 2}, {1, 2, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {3, 4, 2}, {2, 2, 2}};
    vk.vkCmdCopyImage(c, flat, VK_IMAGE_LAYOUT_GENERAL, volume, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    from_image(c, volume, to, region({2, 2, 2}, {3, 4, 2}));
  });
  for (std::size_t slice = 0; slice < 2; ++slice)
    for (std::size_t y = 0; y < 2; ++y)
      EXPECT_EQ(std::memcmp(to.bytes + 8 * (2 * slice + y), from.bytes + 256 * (slice + 1) + 32 * (y + 2) + 4, 8), 0)
          << slice << ' ' << y;
}

TEST_F(FakeTransfers, CopiesBlocksToTheEdgeOfALevel) {
  // Level 1 is 5×3 texels: 2×1 blocks, which reach beyond it.
  const VkImage image = make_image(VK_FORMAT_BC1_RGB_UNORM_BLOCK, {10, 6, 1}, 1, 2);
  const MappedBuffer from = make_buffer(64), to = make_buffer(64);
  count_up(from);
  run([&](VkCommandBuffer c) {
    to_image(c, from, image, region({5, 3, 1}, {}, VK_IMAGE_ASPECT_COLOR_BIT, 1));
    from_image(c, image, to, region({1, 3, 1}, {4, 0, 0}, VK_IMAGE_ASPECT_COLOR_BIT, 1));
  });
  EXPECT_EQ(std::memcmp(to.bytes, from.bytes + 8, 8), 0);
  EXPECT_EQ(to.word(2), 0u);
}

TEST_F(FakeTransfers, KeepsDepthAndStencilApart) {
  const VkImage image = make_image(VK_FORMAT_D24_UNORM_S8_UINT, {4, 4, 1});
  const MappedBuffer depth = make_buffer(64), stencil = make_buffer(64);
  run([&](VkCommandBuffer c) {
    const VkClearDepthStencilValue value{0.5f, 77};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};
    vk.vkCmdClearDepthStencilImage(c, image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
    from_image(c, image, depth, region({4, 4, 1}, {}, VK_IMAGE_ASPECT_DEPTH_BIT));
    from_image(c, image, stencil, region({4, 4, 1}, {}, VK_IMAGE_ASPECT_STENCIL_BIT));
  });
  EXPECT_EQ(depth.word(5) & 0xffffff, 0x800000u);
  EXPECT_EQ(stencil.word(3), 0x4d4d4d4du);
}

TEST_F(FakeTransfers, CopiesPlanesWithTheirOwnExtents) {
  const VkImage image = make_image(VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, {8, 6, 1});
  const MappedBuffer from = make_buffer(64), to = make_buffer(64);
  count_up(from);
  run([&](VkCommandBuffer c) {
    to_image(c, from, image, region({8, 6, 1}, {}, VK_IMAGE_ASPECT_PLANE_0_BIT));
    to_image(c, from, image, region({4, 3, 1}, {}, VK_IMAGE_ASPECT_PLANE_1_BIT));
    from_image(c, image, to, region({2, 1, 1}, {2, 2, 0}, VK_IMAGE_ASPECT_PLANE_1_BIT));
  });
  EXPECT_EQ(std::memcmp(to.bytes, from.bytes + 2 * (2 * 4 + 2), 4), 0);
}

TEST_F(FakeTransfers, ClearsAsTheFormatEncodes) {
  struct Case {
    VkFormat format;
    VkClearColorValue color;
    std::uint32_t word;
  };
  const Case cases[] = {
      {VK_FORMAT_R8G8B8A8_UNORM, {{1, 0, 0.5f, 1}}, 0xff8000ff},
      {VK_FORMAT_B8G8R8A8_UNORM, {{1, 0, 0, 0}}, 0x00ff0000},
      {VK_FORMAT_R8G8B8A8_SRGB, {{0.5f, 0, 0, 1}}, 0xff0000bc},
      {VK_FORMAT_A2B10G10R10_UNORM_PACK32, {{1, 0, 1, 0}}, 0x3ff003ff},
      {VK_FORMAT_R16G16_SFLOAT, {{1, -2, 0, 0}}, 0xc0003c00},
      {VK_FORMAT_B10G11R11_UFLOAT_PACK32, {{1, 1, 1, 0}}, 0x781e03c0},
      {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, {{1, 1, 1, 0}}, 0x84020100},
      {VK_FORMAT_R8G8B8A8_SNORM, {{-1, 1, 0, 0}}, 0x00007f81},
      {VK_FORMAT_R32_SFLOAT, {{1.5f, 0, 0, 0}}, 0x3fc00000},
  };
  for (const Case& one : cases) {
    const VkImage image = make_image(one.format, {3, 3, 1});
    const MappedBuffer to = make_buffer(64);
    run([&](VkCommandBuffer c) {
      const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                        VK_REMAINING_ARRAY_LAYERS};
      vk.vkCmdClearColorImage(c, image, VK_IMAGE_LAYOUT_GENERAL, &one.color, 1, &all);
      from_image(c, image, to, region({3, 3, 1}));
    });
    EXPECT_EQ(to.word(0), one.word) << one.format;
    EXPECT_EQ(to.word(8), one.word) << one.format;
  }
}

TEST_F(FakeTransfers, BlitsTheNearestTexelMirroredAndConverted) {
  const VkImage from = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 1, 1});
  const VkImage to = make_image(VK_FORMAT_B8G8R8A8_UNORM, {2, 1, 1});
  const MappedBuffer in = make_buffer(64), out = make_buffer(64);
  count_up(in);
  run([&](VkCommandBuffer c) {
    to_image(c, in, from, region({4, 1, 1}));
    const VkImageBlit blit{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                           {{4, 0, 0}, {0, 1, 1}},
                           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                           {{0, 0, 0}, {2, 1, 1}}};
    vk.vkCmdBlitImage(c, from, VK_IMAGE_LAYOUT_GENERAL, to, VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_NEAREST);
    from_image(c, to, out, region({2, 1, 1}));
  });
  // Texel 0's center lies on the source's 3.0, which is texel 3; red and blue change places.
  EXPECT_EQ(out.bytes[0], in.bytes[4 * 3 + 2]);
  EXPECT_EQ(out.bytes[1], in.bytes[4 * 3 + 1]);
  EXPECT_EQ(out.bytes[2], in.bytes[4 * 3]);
  EXPECT_EQ(out.bytes[4], in.bytes[4 * 1 + 2]);
}

TEST_F(FakeTransfers, ResolvesASampleOfEachTexel) {
  const VkImage many = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1}, 1, 1, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_4_BIT);
  const VkImage one = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1});
  const MappedBuffer out = make_buffer(64);
  run([&](VkCommandBuffer c) {
    const VkClearColorValue color{{1, 1, 0, 0}};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vk.vkCmdClearColorImage(c, many, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all);
    const VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageResolve resolve{layer, {1, 1, 0}, layer, {2, 2, 0}, {2, 2, 1}};
    vk.vkCmdResolveImage(c, many, VK_IMAGE_LAYOUT_GENERAL, one, VK_IMAGE_LAYOUT_GENERAL, 1, &resolve);
    from_image(c, one, out, region({4, 4, 1}));
  });
  EXPECT_EQ(out.word(15), 0x0000ffffu);
  EXPECT_EQ(out.word(10), 0x0000ffffu);
  EXPECT_EQ(out.word(9), 0u);
}

TEST_F(FakeTransfers, RendersLoadAndAttachmentClears) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
  const VkImageView view = make_view(image, VK_FORMAT_R8G8B8A8_UNORM);
  const MappedBuffer out = make_buffer(256);
  run([&](VkCommandBuffer c) {
    VkRenderingAttachmentInfo color{};
    color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    color.imageView = view;
    color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    color.clearValue.color = {{1, 0, 0, 0}};
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = {{1, 1}, {6, 6}};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vk.vkCmdBeginRendering(c, &info);
    const VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {{{0, 0, 1, 0}}}};
    const VkClearRect rectangle{{{2, 3}, {1, 1}}, 0, 1};
    vk.vkCmdClearAttachments(c, 1, &clear, 1, &rectangle);
    vk.vkCmdEndRendering(c);
    from_image(c, image, out, region({8, 8, 1}));
  });
  EXPECT_EQ(out.word(0), 0u) << "outside of the render area";
  EXPECT_EQ(out.word(8 + 1), 0xffu);
  EXPECT_EQ(out.word(6 * 8 + 6), 0xffu);
  EXPECT_EQ(out.word(6 * 8 + 7), 0u);
  EXPECT_EQ(out.word(3 * 8 + 2), 0xff0000u);
}

TEST_F(FakeTransfers, WhatLiesOutsideIsNamedAndNotTouched) {
  const MappedBuffer a = make_buffer(64), b = make_buffer(64);
  run([&](VkCommandBuffer c) {
    const VkBufferCopy region{60, 0, 8};
    vk.vkCmdCopyBuffer(c, a.buffer, b.buffer, 1, &region);
  });
  EXPECT_NE(take_violation(), "");
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {4, 4, 1});
  run([&](VkCommandBuffer c) { to_image(c, a, image, region({4, 4, 1}, {1, 0, 0})); });
  EXPECT_NE(take_violation(), "");
}

}  // namespace
