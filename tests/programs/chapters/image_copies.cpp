// SPDX-License-Identifier: Apache-2.0
// Copies of images: between formats whose texels are as large, from depth to depth and
// stencil alone, between slices and layers, levels whose blocks are cut off, buffers
// with rows and images longer than what is copied, linear images that the host reads.
#include "chapter.h"

using namespace program;

namespace {

constexpr std::uint32_t kExtent = 8, kTexels = kExtent * kExtent;
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
constexpr VkImageUsageFlags kTransfers = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageAspectFlags kColors = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

Image create(Session& s, VkFormat format, VkExtent3D extent, std::uint32_t levels = 1, std::uint32_t layers = 1,
             VkImageAspectFlags aspect = kColors) {
  VkImageCreateInfo info = image_info(format, extent, kTransfers);
  if (extent.depth > 1) info.imageType = VK_IMAGE_TYPE_3D;
  info.mipLevels = levels;
  info.arrayLayers = layers;
  return create_general(s, info, VK_IMAGE_VIEW_TYPE_2D, aspect);
}

}  // namespace

int main() {
  Needs needs;
  WISH_CORE(needs, textureCompressionBC);
  Session s = open("image_copies", needs);
  Pictures p = create_pictures(s, 64 * 1024);
  const MappedBuffer texels = buffer(s, 8192, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  for (std::uint32_t i = 0; i < 2048; ++i) texels.words[i] = mix(i, 3) & 0xbf7fbf7f;  // no NaNs
  const auto load = [&](const Image& to, const VkBufferImageCopy& region) {
    vkCmdCopyBufferToImage(s.cmd, texels.buffer, to.image, kGeneral, 1, &region);
    barrier(s.cmd);
  };
  const auto copy = [&](const Image& from, const Image& to, const VkImageCopy& region) {
    vkCmdCopyImage(s.cmd, from.image, kGeneral, to.image, kGeneral, 1, &region);
    barrier(s.cmd);
  };
  // Rows of 13 texels, images of 11 rows, from within.
  const Image source = create(s, VK_FORMAT_R8G8B8A8_UNORM, {kExtent, kExtent, 1}, 1, 3);
  clear(s.cmd, source, {});
  load(source, {.bufferOffset = 12,
                .bufferRowLength = 13,
                .bufferImageHeight = 11,
                .imageSubresource = {kColors, 0, 0, 3},
                .imageOffset = {1, 0, 0},
                .imageExtent = {7, 8, 1}});
  for (std::uint32_t layer = 0; layer < 3; ++layer) take(s, p, source, 4, kColors, 0, layer);
  // As other formats, in parts.
  for (const VkFormat format : {VK_FORMAT_R32_UINT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_B8G8R8A8_SRGB,
                                VK_FORMAT_A2B10G10R10_UNORM_PACK32, VK_FORMAT_R32_SFLOAT}) {
    if (!can_be(s, format, VK_FORMAT_FEATURE_TRANSFER_DST_BIT)) continue;
    const Image other = create(s, format, {kExtent, kExtent, 1});
    clear(s.cmd, other, {});
    copy(source, other, {{kColors, 0, 1, 1}, {2, 1, 0}, {kColors, 0, 0, 1}, {0, 3, 0}, {5, 4, 1}});
    take(s, p, other);
  }
  // Slices to layers and back.
  const Image solid = create(s, VK_FORMAT_R32_SFLOAT, {kExtent, kExtent, 4});
  load(solid, {.imageSubresource = {kColors, 0, 0, 1}, .imageExtent = {kExtent, kExtent, 4}});
  copy(solid, source, {{kColors, 0, 0, 1}, {0, 0, 2}, {kColors, 0, 1, 2}, {0, 0, 0}, {6, 8, 2}});
  copy(source, solid, {{kColors, 0, 0, 3}, {1, 1, 0}, {kColors, 0, 0, 1}, {0, 0, 1}, {4, 4, 3}});
  for (std::uint32_t layer = 0; layer < 3; ++layer) take(s, p, source, 4, kColors, 0, layer);
  take(s, p, solid);
  // Depth and stencil, each by itself.
  constexpr VkFormat packed = VK_FORMAT_D32_SFLOAT_S8_UINT;
  const Image behind[2] = {create(s, packed, {kExtent, kExtent, 1}, 1, 1, kDepth | kStencil),
                           create(s, packed, {kExtent, kExtent, 1}, 1, 1, kDepth | kStencil)};
  const VkClearDepthStencilValue half{0.5f, 7};
  for (const Image& i : behind) vkCmdClearDepthStencilImage(s.cmd, i.image, kGeneral, &half, 1, &i.range);
  barrier(s.cmd);
  load(behind[0], {.bufferOffset = 64, .imageSubresource = {kStencil, 0, 0, 1}, .imageExtent = {kExtent, kExtent, 1}});
  const VkClearDepthStencilValue quarter{0.25f, 9};
  const VkImageSubresourceRange depth{kDepth, 0, 1, 0, 1};
  vkCmdClearDepthStencilImage(s.cmd, behind[0].image, kGeneral, &quarter, 1, &depth);
  barrier(s.cmd);
  copy(behind[0], behind[1], {{kStencil, 0, 0, 1}, {0, 0, 0}, {kStencil, 0, 0, 1}, {0, 0, 0}, {8, 4, 1}});
  copy(behind[0], behind[1], {{kDepth, 0, 0, 1}, {0, 4, 0}, {kDepth, 0, 0, 1}, {0, 4, 0}, {8, 4, 1}});
  copy(behind[1], behind[0],
       {{kDepth | kStencil, 0, 0, 1}, {0, 3, 0}, {kDepth | kStencil, 0, 0, 1}, {0, 0, 0}, {8, 2, 1}});
  for (const Image& i : behind) {
    take(s, p, i, 4, kDepth);
    take(s, p, i, 1, kStencil);
  }
  // Blocks of 4x4, of which the last level has a part, and texels as large as a block.
  if (HAS_CORE(needs, textureCompressionBC)) {
    const Image blocks = create(s, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {12, 12, 1}, 4);
    const Image words = create(s, VK_FORMAT_R32G32_UINT, {3, 3, 1});
    load(blocks, {.bufferRowLength = 16, .imageSubresource = {kColors, 0, 0, 1}, .imageExtent = {12, 12, 1}});
    load(blocks, {.bufferOffset = 256, .imageSubresource = {kColors, 1, 0, 1}, .imageExtent = {6, 6, 1}});
    load(blocks, {.bufferOffset = 512, .imageSubresource = {kColors, 3, 0, 1}, .imageExtent = {1, 1, 1}});
    copy(blocks, words, {{kColors, 0, 0, 1}, {0, 0, 0}, {kColors, 0, 0, 1}, {0, 0, 0}, {12, 12, 1}});
    take(s, p, words, 8);
    copy(words, blocks, {{kColors, 0, 0, 1}, {1, 1, 0}, {kColors, 1, 0, 1}, {0, 0, 0}, {1, 1, 1}});
    const VkBufferImageCopy out{
        .bufferOffset = p.used, .imageSubresource = {kColors, 1, 0, 1}, .imageExtent = {6, 6, 1}};
    vkCmdCopyImageToBuffer(s.cmd, blocks.image, kGeneral, p.out.buffer, 1, &out);
    p.used += 32;
  }
  // The host looks at texels through the rows of a linear image.
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, kExtent, kTransfers);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
  const VkImage linear = keep(s, vkDestroyImage, create_unbound_image(s, info));
  const VkDeviceMemory memory = keep(
      s, vkFreeMemory,
      bind_to_memory_of_its_own(s, linear, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT));
  const VkImageSubresource first{kColors, 0, 0};
  VkSubresourceLayout rows;
  vkGetImageSubresourceLayout(s.device, linear, &first, &rows);
  void* mapped = nullptr;
  CHECK(vkMapMemory(s.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  auto* bytes = static_cast<std::uint8_t*>(mapped) + rows.offset;
  for (std::uint32_t y = 0; y < kExtent; ++y)
    std::memcpy(bytes + y * rows.rowPitch, texels.words + 100 + y * kExtent, kExtent * 4);
  change_layout(s.cmd, linear, VK_IMAGE_LAYOUT_PREINITIALIZED, kGeneral);
  const VkImageCopy part{{kColors, 0, 2, 1}, {0, 0, 0}, {kColors, 0, 0, 1}, {3, 3, 0}, {4, 5, 1}};
  vkCmdCopyImage(s.cmd, source.image, kGeneral, linear, kGeneral, 1, &part);
  run(s);
  std::uint32_t seen[kTexels];
  for (std::uint32_t y = 0; y < kExtent; ++y) std::memcpy(seen + y * kExtent, bytes + y * rows.rowPitch, kExtent * 4);
  vkUnmapMemory(s.device, memory);
  EXPECT(s, std::memcmp(seen, texels.words + 100, kExtent * 4) == 0 && p.out.words[1] == texels.words[3]);
  s.sum = checksum(seen, kTexels);
  add(s, p.out);
  return finish(s);
}
