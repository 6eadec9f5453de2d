// SPDX-License-Identifier: Apache-2.0
// Chapter "Copy Commands", between buffers and images: rows and slices longer
// than they need be, corners of images, levels and layers, several regions in
// one command of either version, depth and stencil apart.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kBytes = 65536;
constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkBufferImageCopy2 region(VkDeviceSize at, std::uint32_t row, std::uint32_t height,
                          const VkImageSubresourceLayers& where, VkOffset3D offset, VkExtent3D extent) {
  return {VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2, nullptr, at, row, height, where, offset, extent};
}

void in(Session& s, const MappedBuffer& from, const Image& to, const std::vector<VkBufferImageCopy2>& regions) {
  const VkCopyBufferToImageInfo2 info{
      VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, nullptr,       from.buffer, to.image, VK_IMAGE_LAYOUT_GENERAL,
      static_cast<std::uint32_t>(regions.size()),    regions.data()};
  vkCmdCopyBufferToImage2(s.cmd, &info);
  barrier(s.cmd);
}

void out(Session& s, const Image& from, const MappedBuffer& to, const std::vector<VkBufferImageCopy2>& regions) {
  const VkCopyImageToBufferInfo2 info{
      VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, nullptr,       from.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer,
      static_cast<std::uint32_t>(regions.size()),    regions.data()};
  vkCmdCopyImageToBuffer2(s.cmd, &info);
  barrier(s.cmd);
}

constexpr VkImageSubresourceLayers color(std::uint32_t level, std::uint32_t first, std::uint32_t count) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, level, first, count};
}

// Two levels of three layers, written and read in pieces that cross one another.
void layers(Session& s, const MappedBuffer& words, const MappedBuffer& back) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {21, 13, 1}, kBoth);
  info.mipLevels = 3;
  info.arrayLayers = 3;
  const Image i = create_general(s, info);
  clear(s.cmd, i, {});
  in(s, words, i,
     {region(0, 32, 16, color(0, 0, 3), {0, 0, 0}, {21, 13, 1}),
      region(8192, 0, 0, color(1, 1, 1), {0, 0, 0}, {10, 6, 1}),
      region(9000, 11, 7, color(1, 0, 1), {3, 2, 0}, {7, 4, 1}),
      region(12, 5, 0, color(2, 2, 1), {4, 2, 0}, {1, 1, 1})});
  out(s, i, back,
      {region(4, 0, 0, color(0, 1, 2), {0, 0, 0}, {21, 13, 1}),
       region(4096, 64, 2, color(0, 0, 1), {20, 11, 0}, {1, 2, 1}),
       region(8192, 10, 6, color(1, 0, 2), {0, 0, 0}, {10, 6, 1}),
       region(12000, 0, 0, color(2, 2, 1), {0, 0, 0}, {5, 3, 1})});
  run(s);
  // The first texel of layer 1 is that of the buffer's second slice.
  EXPECT(s, back.words[1] == words.words[32 * 16]);
  EXPECT(s, back.words[3000 + 2 * 5 + 4] == words.words[3]);
}

void slices(Session& s, const MappedBuffer& words, const MappedBuffer& back) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R16G16_UINT, {9, 7, 5}, kBoth);
  info.imageType = VK_IMAGE_TYPE_3D;
  info.mipLevels = 2;
  const Image i = create_general(s, info, VK_IMAGE_VIEW_TYPE_3D);
  clear(s.cmd, i, {});
  in(s, words, i,
     {region(256, 12, 9, color(0, 0, 1), {0, 0, 0}, {9, 7, 5}),
      region(16, 0, 0, color(1, 0, 1), {0, 0, 1}, {4, 3, 1})});
  out(s, i, back,
      {region(16384, 0, 0, color(0, 0, 1), {0, 0, 1}, {9, 7, 3}),
       region(20000, 0, 8, color(0, 0, 1), {8, 6, 0}, {1, 1, 5}),
       region(22000, 7, 3, color(1, 0, 1), {1, 0, 0}, {3, 3, 2})});
  run(s);
  EXPECT(s, back.words[4096] == words.words[64 + 12 * 9]);
  EXPECT(s, back.words[5000 + 4 * 8] == words.words[64 + 4 * 108 + 6 * 12 + 8]);
}

// Aspects in one buffer behind one another, tightly and with long rows.
void aspects(Session& s, const MappedBuffer& words, const MappedBuffer& back) {
  if (!can_be(s, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_FEATURE_TRANSFER_DST_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT))
    return;
  const Image i = create_general(s, image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, {10, 6, 1}, kBoth), VK_IMAGE_VIEW_TYPE_2D,
                                 kDepthAndStencil);
  const VkImageSubresourceLayers depth{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
      stencil{VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1};
  for (std::uint32_t n = 0; n < 60; ++n) {
    const float value = static_cast<float>(n) / 64;
    std::memcpy(words.words + 2048 + n, &value, 4);
  }
  in(s, words, i,
     {region(8192, 0, 0, depth, {0, 0, 0}, {10, 6, 1}), region(1024, 16, 6, stencil, {0, 0, 0}, {10, 6, 1}),
      region(4, 0, 0, stencil, {2, 3, 0}, {4, 2, 1})});
  out(s, i, back,
      {region(32768, 0, 0, depth, {0, 0, 0}, {10, 6, 1}), region(33100, 0, 0, stencil, {0, 0, 0}, {10, 6, 1}),
       region(34000, 13, 0, stencil, {1, 1, 0}, {7, 3, 1}), region(35000, 12, 6, depth, {5, 5, 0}, {5, 1, 1})});
  run(s);
  EXPECT(s, back.words[8192 + 59] == words.words[2048 + 59]);
  EXPECT(s, back.words[8750] == words.words[2048 + 55]);
}

// Blocks of four texels by four, at the edge of an image that ends within one.
void blocks(Session& s, const MappedBuffer& words, const MappedBuffer& back) {
  if (!can_be(s, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT)) return;
  VkImageCreateInfo info = image_info(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {18, 10, 1}, kBoth);
  info.mipLevels = 2;
  const Image i = create_general(s, info);
  in(s, words, i,
     {region(0, 20, 12, color(0, 0, 1), {0, 0, 0}, {18, 10, 1}),
      region(800, 0, 0, color(1, 0, 1), {0, 0, 0}, {9, 5, 1})});
  in(s, words, i, {region(640, 0, 0, color(0, 0, 1), {16, 4, 0}, {2, 4, 1})});
  out(s, i, back,
      {region(40000, 0, 0, color(0, 0, 1), {0, 0, 0}, {18, 10, 1}),
       region(41000, 24, 8, color(0, 0, 1), {16, 8, 0}, {2, 2, 1}),
       region(42000, 16, 0, color(1, 0, 1), {4, 0, 0}, {5, 5, 1})});
  run(s);
  EXPECT(s, back.words[10000 + 9 * 2] == words.words[160]);
}

}  // namespace

int main() {
  Needs needs;
  WISH_CORE(needs, textureCompressionBC);
  Session s = open("strides", needs);
  const MappedBuffer words = buffer(s, kBytes, kCopies), back = buffer(s, kBytes, kCopies);
  fill(words, 8);
  layers(s, words, back);
  slices(s, words, back);
  aspects(s, words, back);
  if (HAS_CORE(needs, textureCompressionBC)) blocks(s, words, back);
  add(s, back);
  return finish(s);
}
