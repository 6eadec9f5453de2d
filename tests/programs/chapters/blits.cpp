// SPDX-License-Identifier: Apache-2.0
// Blits: mirrored in one direction and in both, scaled up and down, linear and
// nearest, between formats of colours and of whole numbers, slices of three dimensions
// that are turned round, layers and levels, several regions of one image, depth.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::int32_t kSize = 8;
constexpr std::uint32_t kExtent = 8;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkImageBlit region(VkOffset3D from, VkOffset3D from_end, VkOffset3D to, VkOffset3D to_end,
                   VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  return {{aspect, 0, 0, 1}, {from, from_end}, {aspect, 0, 0, 1}, {to, to_end}};
}

// A colour a texel, the same for every run.
void fill(Session& s, const Image& i, const MappedBuffer& from, std::uint32_t layers = 1) {
  const VkBufferImageCopy all{
      .imageSubresource = {i.range.aspectMask & ~VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT}, 0, 0, layers},
      .imageExtent = i.info.extent};
  vkCmdCopyBufferToImage(s.cmd, from.buffer, i.image, kGeneral, 1, &all);
  barrier(s.cmd);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("blits", needs);
  Pictures p = create_pictures(s, 64 * 1024);
  MappedBuffer texels = buffer(s, 4 * 8 * 8 * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT),
               depths = buffer(s, 4 * 8 * 8, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < 4 * 64; ++i) texels.words[i] = mix(i / 2, 9) | 0xff000000;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const float depth = static_cast<float>(i) / 64;
    std::memcpy(depths.words + i, &depth, 4);
  }
  const Image source = create_general(s, image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kTransfers));
  fill(s, source, texels);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kTransfers);
  info.mipLevels = 2;
  info.arrayLayers = 2;
  const Image target = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  const auto picture = [&](const Image& from, const Image& to, const std::vector<VkImageBlit>& regions, VkFilter filter,
                           VkDeviceSize bytes = 4, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT) clear(s.cmd, to, {});
    vkCmdBlitImage(s.cmd, from.image, kGeneral, to.image, kGeneral, static_cast<std::uint32_t>(regions.size()),
                   regions.data(), filter);
    barrier(s.cmd);
    return take(s, p, to, bytes, aspect);
  };
  constexpr VkOffset3D zero{0, 0, 0}, all{kSize, kSize, 1};
  const auto* mirrored = picture(source, target, {region(zero, all, {kSize, 0, 0}, {0, kSize, 1})}, VK_FILTER_NEAREST);
  const auto* turned = picture(source, target, {region({kSize, kSize, 0}, {0, 0, 1}, zero, all)}, VK_FILTER_NEAREST);
  picture(source, target, {region({1, 2, 0}, {4, 5, 1}, {0, 0, 0}, {7, 8, 1})}, VK_FILTER_NEAREST);
  picture(source, target,
          {region({1, 0, 0}, {7, 8, 1}, {4, 0, 0}, {0, 3, 1}), region({0, 0, 0}, {2, 2, 1}, {4, 4, 0}, {8, 8, 1}),
           region({3, 3, 0}, {4, 4, 1}, {0, 4, 0}, {4, 8, 1})},
          VK_FILTER_LINEAR);
  // Into a level of two layers: each from its own.
  const Image layers = create_general(s, info, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
  fill(s, layers, texels, 2);
  clear(s.cmd, target, {});
  VkImageBlit two = region(zero, all, {4, 0, 0}, {0, 4, 1});
  two.srcSubresource.layerCount = two.dstSubresource.layerCount = 2;
  two.dstSubresource.mipLevel = 1;
  vkCmdBlitImage(s.cmd, layers.image, kGeneral, target.image, kGeneral, 1, &two, VK_FILTER_LINEAR);
  barrier(s.cmd);
  for (std::uint32_t layer = 0; layer < 2; ++layer) take(s, p, target, 4, VK_IMAGE_ASPECT_COLOR_BIT, 1, layer);

  struct Format {
    VkFormat from, to;
    std::uint32_t bytes;
  };
  for (const Format& one : {Format{VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB, 4},
                            {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, 8},
                            {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R5G6B5_UNORM_PACK16, 2},
                            {VK_FORMAT_R8G8B8A8_SNORM, VK_FORMAT_R8_SNORM, 1},
                            {VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R16G16_UINT, 4},
                            {VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R32_SINT, 4}}) {
    if (!can_be(s, one.from, VK_FORMAT_FEATURE_BLIT_SRC_BIT) || !can_be(s, one.to, VK_FORMAT_FEATURE_BLIT_DST_BIT))
      continue;
    const Image from = create_general(s, image_info(one.from, kExtent, kTransfers)),
                to = create_general(s, image_info(one.to, kExtent, kTransfers));
    fill(s, from, texels);
    picture(from, to, {region({8, 0, 0}, {0, 8, 1}, {0, 0, 0}, {8, 5, 1})}, VK_FILTER_NEAREST, one.bytes);
  }

  info = image_info(VK_FORMAT_R8G8B8A8_UNORM, VkExtent3D{8, 4, 4}, kTransfers);
  info.imageType = VK_IMAGE_TYPE_3D;
  const Image solid = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  info.extent = {4, 4, 6};
  const Image other = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  fill(s, solid, texels);
  picture(solid, other, {region({0, 0, 0}, {8, 4, 4}, {0, 0, 6}, {4, 4, 0})}, VK_FILTER_NEAREST);
  picture(solid, other, {region({2, 0, 1}, {6, 4, 3}, {4, 4, 1}, {0, 0, 5})}, VK_FILTER_LINEAR);

  if (can_be(s, VK_FORMAT_D32_SFLOAT, VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT)) {
    constexpr VkImageAspectFlags depth = VK_IMAGE_ASPECT_DEPTH_BIT;
    const Image from = create_general(s, image_info(VK_FORMAT_D32_SFLOAT, kExtent, kTransfers), VK_IMAGE_VIEW_TYPE_2D,
                                      depth),
                to = create_general(s, image_info(VK_FORMAT_D32_SFLOAT, kExtent, kTransfers), VK_IMAGE_VIEW_TYPE_2D,
                                    depth);
    fill(s, from, depths);
    picture(from, to, {region({0, 0, 0}, {8, 8, 1}, {8, 8, 0}, {0, 0, 1}, depth)}, VK_FILTER_NEAREST, 4, depth);
  }
  // Within one image, from one part to another that does not meet it; by the newer command.
  const VkImageBlit2 inner{VK_STRUCTURE_TYPE_IMAGE_BLIT_2,       nullptr,
                           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {{0, 0, 0}, {8, 4, 1}},
                           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {{8, 4, 0}, {4, 8, 1}}};
  const VkBlitImageInfo2 newer{VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
                               nullptr,
                               source.image,
                               kGeneral,
                               source.image,
                               kGeneral,
                               1,
                               &inner,
                               VK_FILTER_LINEAR};
  vkCmdBlitImage2(s.cmd, &newer);
  barrier(s.cmd);
  take(s, p, source);
  run(s);
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT(s, mirrored[i] == texels.words[i / 8 * 8 + 7 - i % 8]);
    EXPECT(s, turned[i] == texels.words[63 - i]);
  }
  add(s, p.out);
  return finish(s);
}
