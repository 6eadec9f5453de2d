// SPDX-License-Identifier: Apache-2.0
// Regions, ranges and indices that the fake driver must not let pass while they
// are recorded: each wrong once, beside the same command as it should be.
#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

class FakeChecks : public FakeDevice {
 protected:
  using Form = std::function<void(VkCommandBuffer, bool wrong)>;
  // Recorded as it should be, then wrong: which is found, and not recorded.
  void refuses(const std::string& part, const Form& form) {
    for (const bool wrong : {false, true}) {
      const VkCommandBuffer c = allocate();
      const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
      EXPECT_EQ(vk.vkBeginCommandBuffer(c, &begin), VK_SUCCESS);
      form(c, wrong);
      if (wrong)
        expect_violation(part);
      else
        EXPECT_EQ(take_violation(), "") << "not wrong, and next to: " << part;
      vk.vkFreeCommandBuffers(device, pool, 1, &c);
    }
  }
  static constexpr VkBufferUsageFlags kAll = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                             VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
};

TEST_F(FakeChecks, FillsAndUpdates) {
  const VkBuffer b = make_buffer(64).buffer;
  refuses("multiple of 4", [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, b, wrong ? 2 : 4, 8, 0); });
  refuses("size is no multiple", [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, b, 0, wrong ? 7 : 8, 0); });
  refuses("outside the buffer",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, b, wrong ? 60 : 56, 8, 0); });
  refuses("is empty",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, b, wrong ? 64 : 60, VK_WHOLE_SIZE, 0); });
  refuses("outside the buffer",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, b, wrong ? 68 : 60, VK_WHOLE_SIZE, 0); });
  const std::uint32_t words[4] = {};
  refuses("outside the buffer",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdUpdateBuffer(c, b, wrong ? 52 : 48, 16, words); });
  refuses("dataSize", [&](VkCommandBuffer c, bool wrong) { vk.vkCmdUpdateBuffer(c, b, 0, wrong ? 6 : 8, words); });
  const VkBuffer read_only = make_buffer(64, VK_BUFFER_USAGE_TRANSFER_SRC_BIT).buffer;
  refuses("not made for",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdFillBuffer(c, wrong ? read_only : b, 0, 4, 0); });
}

TEST_F(FakeChecks, PushesBeyondTheirLayoutAreSloppyOnly) {
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, 16};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.pushConstantRangeCount = 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  ASSERT_EQ(vk.vkCreatePipelineLayout(device, &info, nullptr, &layout), VK_SUCCESS);
  const std::uint32_t words[80] = {};
  refuses("beyond maxPushConstantsSize", [&](VkCommandBuffer c, bool wrong) {
    vk.vkCmdPushConstants(c, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, wrong ? 320 : 64, words);
  });
  vk.vkDestroyPipelineLayout(device, layout, nullptr);
}

TEST_F(FakeChecks, CopiesOfBuffers) {
  const VkBuffer from = make_buffer(64).buffer, to = make_buffer(32).buffer;
  const auto copy = [&](VkCommandBuffer c, VkBuffer target, VkBufferCopy region) {
    vk.vkCmdCopyBuffer(c, from, target, 1, &region);
  };
  refuses("source", [&](VkCommandBuffer c, bool wrong) { copy(c, to, {wrong ? 60u : 56u, 0, 8}); });
  refuses("target", [&](VkCommandBuffer c, bool wrong) { copy(c, to, {0, wrong ? 28u : 24u, 8}); });
  refuses("empty", [&](VkCommandBuffer c, bool wrong) { copy(c, to, {0, 0, wrong ? 0u : 8u}); });
  refuses("overlap", [&](VkCommandBuffer c, bool wrong) { copy(c, from, {0, wrong ? 7u : 8u, 8}); });
  refuses("source", [&](VkCommandBuffer c, bool wrong) {
    const VkBufferCopy2 region{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, wrong ? UINT64_MAX - 3 : 0, 0, 8};
    const VkCopyBufferInfo2 info{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, from, to, 1, &region};
    vk.vkCmdCopyBuffer2(c, &info);
  });
}

TEST_F(FakeChecks, CopiesOfBuffersAndImages) {
  const VkBuffer b = make_buffer(256).buffer;
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 2, 2);
  const VkImage blocks = make_image(VK_FORMAT_BC1_RGB_UNORM_BLOCK, {8, 8, 1});
  const auto to = [&](VkCommandBuffer c, VkImage target, VkBufferImageCopy region) {
    vk.vkCmdCopyBufferToImage(c, b, target, kGeneral, 1, &region);
  };
  refuses("edge of the image", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {0, 0, 0, kColor, {wrong ? 5 : 4, 0, 0}, {4, 4, 1}});
  });
  refuses("edge of the image", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {0, 0, 0, kColor, {0, wrong ? -1 : 0, 0}, {4, 4, 1}});
  });
  refuses("whole blocks", [&](VkCommandBuffer c, bool wrong) {
    to(c, blocks, {0, 0, 0, kColor, {wrong ? 2 : 4, 0, 0}, {4, 4, 1}});
  });
  refuses("level that the image lacks", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, wrong ? 2u : 1u, 0, 1}, {}, {4, 4, 1}});
  });
  refuses("layers that the image lacks", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, wrong ? 1u : 0u, 2}, {}, {4, 4, 1}});
  });
  refuses("aspects that the image lacks", [&](VkCommandBuffer c, bool wrong) {
    const VkImageAspectFlags aspect = wrong ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    to(c, image, {0, 0, 0, {aspect, 0, 0, 1}, {}, {4, 4, 1}});
  });
  refuses("part of the buffer", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {wrong ? 4u : 0u, 0, 0, kColor, {}, {8, 8, 1}});
  });
  refuses("bufferRowLength", [&](VkCommandBuffer c, bool wrong) {
    to(c, image, {0, wrong ? 3u : 4u, 0, kColor, {}, {4, 4, 1}});
  });
  refuses("part of the buffer", [&](VkCommandBuffer c, bool wrong) {
    const VkBufferImageCopy2 region{
        VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2, nullptr, 0, wrong ? 1u << 31 : 8, 0, kColor, {}, {4, 4, 1}};
    const VkCopyImageToBufferInfo2 info{
        VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, nullptr, image, kGeneral, b, 1, &region};
    vk.vkCmdCopyImageToBuffer2(c, &info);
  });
}

TEST_F(FakeChecks, CopiesBlitsAndResolvesOfImages) {
  const VkImage a = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}),
                b = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
  const VkImage wide = make_image(VK_FORMAT_R16G16B16A16_SFLOAT, {8, 8, 1});
  const VkImage sampled =
      make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 1, 1, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_4_BIT);
  const auto copy = [&](VkCommandBuffer c, VkImage to, VkImageCopy region) {
    vk.vkCmdCopyImage(c, a, kGeneral, to, kGeneral, 1, &region);
  };
  refuses("source", [&](VkCommandBuffer c, bool wrong) {
    copy(c, b, {kColor, {wrong ? 6 : 4, 0, 0}, kColor, {}, {4, 4, 1}});
  });
  refuses("target", [&](VkCommandBuffer c, bool wrong) {
    copy(c, b, {kColor, {}, kColor, {0, wrong ? 5 : 4, 0}, {4, 4, 1}});
  });
  refuses("blocks are of different", [&](VkCommandBuffer c, bool wrong) {
    copy(c, wrong ? wide : b, {kColor, {}, kColor, {}, {4, 4, 1}});
  });
  refuses("sample counts", [&](VkCommandBuffer c, bool wrong) {
    copy(c, wrong ? sampled : b, {kColor, {}, kColor, {}, {4, 4, 1}});
  });
  const auto blit = [&](VkCommandBuffer c, VkImage to, VkImageBlit region) {
    vk.vkCmdBlitImage(c, a, kGeneral, to, kGeneral, 1, &region, VK_FILTER_NEAREST);
  };
  refuses("target reaches beyond", [&](VkCommandBuffer c, bool wrong) {
    blit(c, b, {kColor, {{0, 0, 0}, {8, 8, 1}}, kColor, {{8, 0, 0}, {wrong ? -1 : 0, 8, 1}}});
  });
  refuses("source reaches beyond", [&](VkCommandBuffer c, bool wrong) {
    blit(c, b, {kColor, {{0, 0, 0}, {wrong ? INT32_MAX : 8, 8, 1}}, kColor, {{0, 0, 0}, {8, 8, 1}}});
  });
  refuses("from 0 to 1 deep", [&](VkCommandBuffer c, bool wrong) {
    blit(c, b, {kColor, {{0, 0, 0}, {8, 8, wrong ? 0 : 1}}, kColor, {{0, 0, 0}, {8, 8, 1}}});
  });
  const VkImageResolve region{kColor, {}, kColor, {}, {8, 8, 1}};
  refuses("resolves from one sample", [&](VkCommandBuffer c, bool wrong) {
    vk.vkCmdResolveImage(c, wrong ? a : sampled, kGeneral, b, kGeneral, 1, &region);
  });
  refuses("target", [&](VkCommandBuffer c, bool wrong) {
    VkImageResolve2 one{
        VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, nullptr, kColor, {}, kColor, {wrong ? 1 : 0, 0, 0}, {8, 8, 1}};
    const VkResolveImageInfo2 info{
        VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, nullptr, sampled, kGeneral, b, kGeneral, 1, &one};
    vk.vkCmdResolveImage2(c, &info);
  });
}

TEST_F(FakeChecks, ClearsAndBarriers) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, 2, 2);
  const VkImage depth = make_image(VK_FORMAT_D32_SFLOAT, {8, 8, 1});
  const VkBuffer b = make_buffer(64).buffer;
  const VkClearColorValue black{};
  const auto clear = [&](VkCommandBuffer c, VkImageSubresourceRange range) {
    vk.vkCmdClearColorImage(c, image, kGeneral, &black, 1, &range);
  };
  refuses("levels", [&](VkCommandBuffer c, bool wrong) {
    clear(c, {VK_IMAGE_ASPECT_COLOR_BIT, 1, wrong ? 2u : 1u, 0, 1});
  });
  refuses("layers", [&](VkCommandBuffer c, bool wrong) {
    clear(c, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, wrong ? 2u : 1u, VK_REMAINING_ARRAY_LAYERS});
  });
  refuses("aspects", [&](VkCommandBuffer c, bool wrong) {
    const VkClearDepthStencilValue value{};
    const VkImageSubresourceRange range{wrong ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
    vk.vkCmdClearDepthStencilImage(c, depth, kGeneral, &value, 1, &range);
  });
  const auto barrier = [&](VkCommandBuffer c, VkBufferMemoryBarrier one) {
    one.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    one.buffer = b;
    vk.vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 1, &one,
                            0, nullptr);
  };
  refuses("barrier's range", [&](VkCommandBuffer c, bool wrong) {
    VkBufferMemoryBarrier one{};
    one.offset = 32;
    one.size = wrong ? 33 : 32;
    barrier(c, one);
  });
  refuses("queue families", [&](VkCommandBuffer c, bool wrong) {
    VkBufferMemoryBarrier one{};
    one.size = VK_WHOLE_SIZE;
    one.dstQueueFamilyIndex = wrong ? 3 : 2;
    barrier(c, one);
  });
  const auto image_barrier = [&](VkCommandBuffer c, VkImageLayout layout, std::uint32_t layers) {
    VkImageMemoryBarrier2 one{};
    one.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
    one.newLayout = layout;
    one.image = image;
    one.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &one;
    vk.vkCmdPipelineBarrier2(c, &info);
  };
  refuses("layers", [&](VkCommandBuffer c, bool wrong) { image_barrier(c, kGeneral, wrong ? 3 : 2); });
  refuses("newLayout", [&](VkCommandBuffer c, bool wrong) {
    image_barrier(c, wrong ? VK_IMAGE_LAYOUT_PREINITIALIZED : kGeneral, 1);
  });
}

TEST_F(FakeChecks, QueriesAndTheirResults) {
  const VkQueryPool times = make_queries(VK_QUERY_TYPE_TIMESTAMP, 4), counts = make_queries(VK_QUERY_TYPE_OCCLUSION, 2);
  const VkBuffer b = make_buffer(64).buffer;
  constexpr VkPipelineStageFlagBits kTop = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  refuses("queries that the pool",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdWriteTimestamp(c, kTop, times, wrong ? 4 : 3); });
  refuses("not for timestamps",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdWriteTimestamp(c, kTop, wrong ? counts : times, 0); });
  refuses("queries that the pool",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdResetQueryPool(c, times, 1, wrong ? UINT32_MAX : 3); });
  refuses("queries that the pool",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdBeginQuery(c, counts, wrong ? 2 : 1, 0); });
  refuses("active already", [&](VkCommandBuffer c, bool wrong) {
    vk.vkCmdBeginQuery(c, counts, 0, 0);
    if (!wrong) vk.vkCmdEndQuery(c, counts, 0);
    vk.vkCmdBeginQuery(c, counts, 1, 0);
  });
  refuses("not active", [&](VkCommandBuffer c, bool wrong) {
    vk.vkCmdBeginQuery(c, counts, 0, 0);
    vk.vkCmdEndQuery(c, counts, wrong ? 1 : 0);
  });
  refuses("precision", [&](VkCommandBuffer c, bool wrong) {
    vk.vkCmdBeginQuery(c, counts, 0, wrong ? VK_QUERY_CONTROL_PRECISE_BIT : 0);
  });
  const auto copy = [&](VkCommandBuffer c, std::uint32_t first, VkDeviceSize offset, VkDeviceSize stride) {
    vk.vkCmdCopyQueryPoolResults(c, times, first, 2, b, offset, stride, VK_QUERY_RESULT_64_BIT);
  };
  refuses("queries that the pool", [&](VkCommandBuffer c, bool wrong) { copy(c, wrong ? 3 : 2, 0, 8); });
  refuses("outside the buffer", [&](VkCommandBuffer c, bool wrong) { copy(c, 0, wrong ? 56 : 48, 8); });
  refuses("stride", [&](VkCommandBuffer c, bool wrong) { copy(c, 0, 0, wrong ? 4 : 8); });
  refuses("multiple of 8", [&](VkCommandBuffer c, bool wrong) { copy(c, 0, wrong ? 4 : 8, 8); });
  vk.vkResetQueryPool(device, times, 2, 3);
  expect_violation("queries that the pool");
  vk.vkResetQueryPool(device, times, 0, 4);
  std::uint64_t values[2];
  const auto results = [&](std::uint32_t first, std::size_t bytes) {
    return vk.vkGetQueryPoolResults(device, times, first, 2, bytes, values, 8, VK_QUERY_RESULT_64_BIT);
  };
  EXPECT_EQ(results(0, 16), VK_NOT_READY);
  EXPECT_EQ(results(0, 12), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("too small");
  EXPECT_EQ(results(3, 16), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("queries that the pool");
}

TEST_F(FakeChecks, BoundVerticesAndIndices) {
  const VkBuffer b = make_buffer(64, kAll).buffer;
  const auto vertices = [&](VkCommandBuffer c, std::uint32_t binding, VkDeviceSize offset) {
    vk.vkCmdBindVertexBuffers(c, binding, 1, &b, &offset);
  };
  refuses("beyond the limits", [&](VkCommandBuffer c, bool wrong) { vertices(c, wrong ? 32 : 31, 0); });
  refuses("offset", [&](VkCommandBuffer c, bool wrong) { vertices(c, 0, wrong ? 64 : 60); });
  refuses("size", [&](VkCommandBuffer c, bool wrong) {
    const VkDeviceSize offset = 32, size = wrong ? 33 : 32;
    vk.vkCmdBindVertexBuffers2(c, 0, 1, &b, &offset, &size, nullptr);
  });
  refuses("multiple of 2",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdBindIndexBuffer(c, b, wrong ? 3 : 2, VK_INDEX_TYPE_UINT16); });
  refuses("offset",
          [&](VkCommandBuffer c, bool wrong) { vk.vkCmdBindIndexBuffer(c, b, wrong ? 64 : 60, VK_INDEX_TYPE_UINT32); });
}

TEST_F(FakeChecks, RenderAreasAndClearsWithin) {
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
  const VkImage transfers = make_image(VK_FORMAT_R32_UINT, {8, 8, 1});
  const VkImageView view = make_view(image, VK_FORMAT_R8G8B8A8_UNORM), other = make_view(transfers, VK_FORMAT_R32_UINT);
  const auto begin = [&](VkCommandBuffer c, VkImageView to, VkRect2D area, std::uint32_t layers) {
    VkRenderingAttachmentInfo color{};
    color.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    color.imageView = to;
    color.imageLayout = kGeneral;
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = area;
    info.layerCount = layers;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vk.vkCmdBeginRendering(c, &info);
  };
  constexpr VkRect2D kWhole{{0, 0}, {8, 8}};
  refuses("render area", [&](VkCommandBuffer c, bool wrong) { begin(c, view, {{0, 1}, {8, wrong ? 8u : 7u}}, 1); });
  refuses("layers", [&](VkCommandBuffer c, bool wrong) { begin(c, view, kWhole, wrong ? 2 : 1); });
  refuses("layerCount is 0", [&](VkCommandBuffer c, bool wrong) { begin(c, view, kWhole, wrong ? 0 : 1); });
  refuses("not made for", [&](VkCommandBuffer c, bool wrong) { begin(c, wrong ? other : view, kWhole, 1); });
  const auto clear = [&](VkCommandBuffer c, std::uint32_t attachment, VkClearRect rectangle) {
    begin(c, view, {{0, 0}, {4, 4}}, 1);
    const VkClearAttachment what{VK_IMAGE_ASPECT_COLOR_BIT, attachment, {}};
    vk.vkCmdClearAttachments(c, 1, &what, 1, &rectangle);
  };
  refuses("outside the render area", [&](VkCommandBuffer c, bool wrong) {
    clear(c, 0, {{{1, 1}, {wrong ? 4u : 3u, 3}}, 0, 1});
  });
  refuses("not rendered to", [&](VkCommandBuffer c, bool wrong) {
    clear(c, 0, {{{0, 0}, {1, 1}}, wrong ? 1u : 0u, 1});
  });
  refuses("colorAttachment", [&](VkCommandBuffer c, bool wrong) { clear(c, wrong ? 1 : 0, {{{0, 0}, {1, 1}}, 0, 1}); });
}

TEST_F(FakeChecks, FeaturesThatAreNotEnabled) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  VkSampler sampler;
  EXPECT_EQ(vk.vkCreateSampler(device, &info, nullptr, &sampler), VK_SUCCESS);
  info.anisotropyEnable = VK_TRUE;
  info.maxAnisotropy = 2;
  EXPECT_EQ(vk.vkCreateSampler(device, &info, nullptr, &sampler), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("samplerAnisotropy is not enabled");
  const VkImage image = make_image(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1});
  make_view(image, VK_FORMAT_R8G8B8A8_UNORM);
  EXPECT_EQ(take_violation(), "");
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image;
  view.viewType = VK_IMAGE_VIEW_TYPE_3D;
  view.format = VK_FORMAT_R8G8B8A8_UNORM;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView made;
  EXPECT_EQ(vk.vkCreateImageView(device, &view, nullptr, &made), VK_ERROR_VALIDATION_FAILED_EXT);
  expect_violation("viewType does not fit");
}

}  // namespace
