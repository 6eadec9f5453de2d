// SPDX-License-Identifier: Apache-2.0
// Images of every shape: block-compressed, 3D, cube, layers and mip levels,
// depth and stencil, 4444; cleared, copied, blitted with scaling, resolved and
// read back, by the commands of Vulkan 1.0 and by those of copy_commands2.
#include "picture.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kCopies = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkImageLayout kFrom = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, kTo = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;

VkImageSubresourceLayers layers(std::uint32_t level, std::uint32_t first, std::uint32_t count) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, level, first, count};
}

Image create(Session& s, VkImageCreateInfo info, VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT) {
  const bool cube = (info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0;
  const Image i = create_image(s, info, cube ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_2D, aspect);
  transition(s.cmd, i, VK_IMAGE_LAYOUT_UNDEFINED, kTo);
  return i;
}

// Two blocks of BC1, copied image to image before they are read back.
void compressed(Session& s, const MappedBuffer& out, const MappedBuffer& in) {
  VkImageCreateInfo info = image_info(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 8, kCopies | VK_IMAGE_USAGE_SAMPLED_BIT);
  info.extent.height = 4;
  const Image first = create(s, info), second = create(s, info);
  const VkBufferImageCopy region{.imageSubresource = layers(0, 0, 1), .imageExtent = {8, 4, 1}};
  vkCmdCopyBufferToImage(s.cmd, in.buffer, first.image, kTo, 1, &region);
  transition(s.cmd, first, kTo, kFrom);
  // The blocks change places.
  const VkImageCopy blocks[2] = {{layers(0, 0, 1), {0, 0, 0}, layers(0, 0, 1), {4, 0, 0}, {4, 4, 1}},
                                 {layers(0, 0, 1), {4, 0, 0}, layers(0, 0, 1), {0, 0, 0}, {4, 4, 1}}};
  vkCmdCopyImage(s.cmd, first.image, kFrom, second.image, kTo, 2, blocks);
  copy_out(s.cmd, second, kTo, out, 0);
}

// Six layers and three levels, each level a blit of the one before; the last
// level of layer 5 is read back: the mean of its texels.
void mips(Session& s, const MappedBuffer& out, const MappedBuffer& in) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, kCopies | VK_IMAGE_USAGE_SAMPLED_BIT);
  info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  info.mipLevels = 3;
  info.arrayLayers = 6;
  const Image cube = create(s, info);
  VkBufferImageCopy region{.imageSubresource = layers(0, 5, 1), .imageExtent = {4, 4, 1}};
  const VkClearColorValue none{};
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                      VK_REMAINING_ARRAY_LAYERS};
  vkCmdClearColorImage(s.cmd, cube.image, kTo, &none, 1, &range);
  barrier(s.cmd);
  vkCmdCopyBufferToImage(s.cmd, in.buffer, cube.image, kTo, 1, &region);
  Image part = cube;
  part.range.levelCount = 1;
  for (std::uint32_t level = 1; level < 3; ++level) {
    part.range.baseMipLevel = level - 1;
    transition(s.cmd, part, kTo, kFrom);
    const std::int32_t size = 4 >> level;
    const VkImageBlit blit{layers(level - 1, 0, 6),
                           {{0, 0, 0}, {2 * size, 2 * size, 1}},
                           layers(level, 0, 6),
                           {{0, 0, 0}, {size, size, 1}}};
    vkCmdBlitImage(s.cmd, cube.image, kFrom, cube.image, kTo, 1, &blit, VK_FILTER_LINEAR);
  }
  part.range.baseMipLevel = 2;
  transition(s.cmd, part, kTo, kFrom);
  copy_out(s.cmd, cube, kFrom, out, 64, VK_IMAGE_ASPECT_COLOR_BIT, 2, 5);
  copy_out(s.cmd, cube, kFrom, out, 68, VK_IMAGE_ASPECT_COLOR_BIT, 2, 0);
}

// Two slices of a volume become two layers, by the newer commands.
void volume(Session& s, const MappedBuffer& out) {
  LOAD(s, vkCmdCopyImage2KHR);
  LOAD(s, vkCmdCopyImageToBuffer2KHR);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 2, kCopies);
  info.arrayLayers = 2;
  const Image flat = create(s, info);
  info.arrayLayers = 1;
  info.imageType = VK_IMAGE_TYPE_3D;
  info.extent.depth = 4;
  const Image solid = create(s, info);
  const VkClearColorValue red{{1, 0, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(s.cmd, solid.image, kTo, &red, 1, &all);
  transition(s.cmd, solid, kTo, kFrom);
  const VkImageCopy2 region{
      VK_STRUCTURE_TYPE_IMAGE_COPY_2, nullptr, layers(0, 0, 1), {0, 0, 1}, layers(0, 0, 2), {0, 0, 0}, {2, 2, 2}};
  const VkCopyImageInfo2 copy{
      VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, nullptr, solid.image, kFrom, flat.image, kTo, 1, &region};
  vkCmdCopyImage2KHR(s.cmd, &copy);
  transition(s.cmd, flat, kTo, kFrom);
  const VkBufferImageCopy2 part{.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                .bufferOffset = 128,
                                .imageSubresource = layers(0, 0, 2),
                                .imageExtent = {2, 2, 1}};
  const VkCopyImageToBufferInfo2 back{
      VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, nullptr, flat.image, kFrom, out.buffer, 1, &part};
  vkCmdCopyImageToBuffer2KHR(s.cmd, &back);
}

// Depth and stencil, cleared and copied an aspect at a time.
void depth(Session& s, const MappedBuffer& out) {
  constexpr VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const Image i = create(s, image_info(VK_FORMAT_D24_UNORM_S8_UINT, 2, kCopies), both);
  const VkClearDepthStencilValue value{1, 0x5a};
  const VkImageSubresourceRange all{both, 0, 1, 0, 1};
  vkCmdClearDepthStencilImage(s.cmd, i.image, kTo, &value, 1, &all);
  copy_out(s.cmd, i, kTo, out, 192, VK_IMAGE_ASPECT_DEPTH_BIT);
  copy_out(s.cmd, i, kTo, out, 208, VK_IMAGE_ASPECT_STENCIL_BIT);
}

// Four samples, cleared, resolved, blitted into 16 bits a texel, read back.
void samples(Session& s, const MappedBuffer& out) {
  LOAD(s, vkCmdResolveImage2KHR);
  LOAD(s, vkCmdBlitImage2KHR);
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, 2, kCopies | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
  const Image single = create(s, info), other = create(s, info);
  info.samples = VK_SAMPLE_COUNT_4_BIT;
  const Image multi = create(s, info);
  const VkClearColorValue color{{0, 1, 0, 1}};
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(s.cmd, multi.image, kTo, &color, 1, &all);
  transition(s.cmd, multi, kTo, kFrom);
  const VkImageResolve part{layers(0, 0, 1), {0, 0, 0}, layers(0, 0, 1), {0, 0, 0}, {2, 2, 1}};
  vkCmdResolveImage(s.cmd, multi.image, kFrom, other.image, kTo, 1, &part);
  const VkImageResolve2 region{VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
                               nullptr,
                               part.srcSubresource,
                               part.srcOffset,
                               part.dstSubresource,
                               part.dstOffset,
                               part.extent};
  const VkResolveImageInfo2 resolve{
      VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, nullptr, multi.image, kFrom, single.image, kTo, 1, &region};
  vkCmdResolveImage2KHR(s.cmd, &resolve);
  copy_out(s.cmd, other, kTo, out, 240);
  transition(s.cmd, single, kTo, kFrom);
  VkImageCreateInfo small = image_info(VK_FORMAT_A4R4G4B4_UNORM_PACK16, 2, kCopies);
  const Image packed = create(s, small);
  const VkImageBlit2 scaled{VK_STRUCTURE_TYPE_IMAGE_BLIT_2, nullptr,         layers(0, 0, 1),
                            {{0, 0, 0}, {2, 2, 1}},         layers(0, 0, 1), {{0, 0, 0}, {2, 2, 1}}};
  const VkBlitImageInfo2 blit{VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
                              nullptr,
                              single.image,
                              kFrom,
                              packed.image,
                              kTo,
                              1,
                              &scaled,
                              VK_FILTER_NEAREST};
  vkCmdBlitImage2KHR(s.cmd, &blit);
  copy_out(s.cmd, packed, kTo, out, 256);
}

}  // namespace

int main() {
  VkPhysicalDevice4444FormatsFeaturesEXT packed{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT, nullptr,
                                                VK_TRUE, VK_TRUE};
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &packed};
  core.features.textureCompressionBC = core.features.imageCubeArray = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  wanted.extensions = {VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME, VK_EXT_4444_FORMATS_EXTENSION_NAME,
                       VK_KHR_MAINTENANCE_1_EXTENSION_NAME};
  Session s = open("images", wanted);
  std::uint32_t words[16];
  for (std::uint32_t i = 0; i < 16; ++i) words[i] = 0x01010101 * (i < 8 ? 40 : 80);
  const MappedBuffer in = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, words);
  const std::uint32_t blocks[4] = {0x11112222, 0x33334444, 0x55556666, 0x77778888};
  const MappedBuffer bc = buffer_of(s, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, blocks);
  const MappedBuffer out = create_readback(s, 320);
  compressed(s, out, bc);
  mips(s, out, in);
  volume(s, out);
  depth(s, out);
  samples(s, out);
  run(s);

  EXPECT(s, out.words[0] == blocks[2] && out.words[1] == blocks[3] && out.words[2] == blocks[0]);
  EXPECT(s, out.words[16] == 0x3c3c3c3c && out.words[17] == 0);
  EXPECT(s, count(out.words + 32, 8, kRed) == 8);
  EXPECT(s, (out.words[48] & 0xffffff) == 0xffffff && out.words[52] == 0x5a5a5a5a);
  EXPECT(s, count(out.words + 60, 4, kGreen) == 4);
  EXPECT(s, out.words[64] == 0xf0f0f0f0);  // opaque green: f0f0
  add(s, out);
  return finish(s);
}
