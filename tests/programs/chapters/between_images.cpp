// SPDX-License-Identifier: Apache-2.0
// Chapter "Copy Commands", between images: slices of a volume to layers and back,
// texels of one size in different formats, blocks to texels and back, one image
// onto another part of itself, one level of a chain from the one before.
#include "chapter.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkImageUsageFlags kBoth = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkImageSubresourceLayers part(std::uint32_t level, std::uint32_t first = 0, std::uint32_t count = 1) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, level, first, count};
}

void copy(Session& s, const Image& from, const Image& to, const std::vector<VkImageCopy>& regions) {
  vkCmdCopyImage(s.cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL,
                 static_cast<std::uint32_t>(regions.size()), regions.data());
  barrier(s.cmd);
}

Image create_from(Session& s, VkImageCreateInfo info, const MappedBuffer& words, VkDeviceSize at) {
  const Image i =
      create_general(s, info, info.imageType == VK_IMAGE_TYPE_3D ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D);
  const VkBufferImageCopy all{
      .bufferOffset = at, .imageSubresource = part(0, 0, info.arrayLayers), .imageExtent = info.extent};
  vkCmdCopyBufferToImage(s.cmd, words.buffer, i.image, VK_IMAGE_LAYOUT_GENERAL, 1, &all);
  barrier(s.cmd);
  return i;
}

void slices_and_layers(Session& s, const MappedBuffer& words, Pictures& p) {
  VkImageCreateInfo solid = image_info(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 4}, kBoth);
  solid.imageType = VK_IMAGE_TYPE_3D;
  VkImageCreateInfo stack = image_info(VK_FORMAT_R8G8B8A8_UNORM, {8, 8, 1}, kBoth);
  stack.arrayLayers = 6;
  const Image volume = create_from(s, solid, words, 0), sheets = create_from(s, stack, words, 4096);
  copy(s, volume, sheets, {{part(0), {1, 2, 1}, part(0, 3, 2), {4, 0, 0}, {4, 4, 2}}});
  copy(s, sheets, volume, {{part(0, 0, 3), {0, 0, 0}, part(0), {0, 5, 1}, {3, 3, 3}}});
  const std::uint32_t *layer = take(s, p, sheets, 4, VK_IMAGE_ASPECT_COLOR_BIT, 0, 3), *all = take(s, p, volume);
  run(s);
  EXPECT(s, layer[4] == words.words[64 + 2 * 8 + 1]);
  EXPECT(s, all[64 + 5 * 8] == words.words[1024]);
}

// Bits and not values: floats to words, and half as many halves.
void formats(Session& s, const MappedBuffer& words, Pictures& p) {
  const Image floats = create_from(s, image_info(VK_FORMAT_R32_SFLOAT, 8, kBoth), words, 0),
              bytes = create_from(s, image_info(VK_FORMAT_R8G8B8A8_UINT, 8, kBoth), words, 512),
              pairs = create_from(s, image_info(VK_FORMAT_R16G16_SNORM, 8, kBoth), words, 1024);
  copy(s, bytes, floats,
       {{part(0), {0, 0, 0}, part(0), {4, 4, 0}, {4, 4, 1}}, {part(0), {7, 0, 0}, part(0), {0, 7, 0}, {1, 1, 1}}});
  copy(s, floats, pairs, {{part(0), {4, 4, 0}, part(0), {0, 0, 0}, {3, 2, 1}}});
  const std::uint32_t *a = take(s, p, floats), *b = take(s, p, pairs);
  run(s);
  EXPECT(s, a[4 * 8 + 4] == words.words[128] && a[56] == words.words[128 + 7]);
  EXPECT(s, b[0] == words.words[128]);
}

void blocks(Session& s, const MappedBuffer& words, Pictures& p) {
  const Image squares = create_from(s, image_info(VK_FORMAT_BC1_RGBA_UNORM_BLOCK, {16, 16, 1}, kBoth), words, 0),
              texels = create_from(s, image_info(VK_FORMAT_R32G32_UINT, {8, 8, 1}, kBoth), words, 2048);
  copy(s, squares, texels, {{part(0), {4, 8, 0}, part(0), {1, 1, 0}, {8, 8, 1}}});
  copy(s, texels, squares, {{part(0), {6, 6, 0}, part(0), {0, 0, 0}, {2, 1, 1}}});
  const std::uint32_t* found = take(s, p, texels, 8);
  const VkBufferImageCopy all{.bufferOffset = p.used, .imageSubresource = part(0), .imageExtent = {16, 16, 1}};
  vkCmdCopyImageToBuffer(s.cmd, squares.image, VK_IMAGE_LAYOUT_GENERAL, p.out.buffer, 1, &all);
  p.used += 128;
  run(s);
  EXPECT(s, found[(1 * 8 + 1) * 2] == words.words[(2 * 4 + 1) * 2]);
  EXPECT(s, p.out.words[p.used / 4 - 32] == words.words[512 + (6 * 8 + 6) * 2]);
}

// Each level from the one before: blits of an image to itself, and copies of its corners.
void chain(Session& s, const MappedBuffer& words, Pictures& p) {
  VkImageCreateInfo info = image_info(VK_FORMAT_R8G8B8A8_UNORM, {16, 8, 1}, kBoth);
  info.mipLevels = 5;
  const Image i = create_from(s, info, words, 0);
  for (std::uint32_t level = 1; level < 5; ++level) {
    const auto size = [](std::uint32_t whole, std::uint32_t at) {
      return static_cast<std::int32_t>(whole >> at == 0 ? 1 : whole >> at);
    };
    const VkImageBlit half{part(level - 1),
                           {{0, 0, 0}, {size(16, level - 1), size(8, level - 1), 1}},
                           part(level),
                           {{0, 0, 0}, {size(16, level), size(8, level), 1}}};
    vkCmdBlitImage(s.cmd, i.image, VK_IMAGE_LAYOUT_GENERAL, i.image, VK_IMAGE_LAYOUT_GENERAL, 1, &half,
                   VK_FILTER_NEAREST);
    barrier(s.cmd);
  }
  copy(s, i, i, {{part(2), {0, 0, 0}, part(0), {12, 6, 0}, {4, 2, 1}}});
  copy(s, i, i, {{part(0), {0, 0, 0}, part(0), {8, 0, 0}, {4, 4, 1}}});
  const std::uint32_t* whole = take(s, p, i);
  for (std::uint32_t level = 1; level < 5; ++level) take(s, p, i, 4, VK_IMAGE_ASPECT_COLOR_BIT, level);
  run(s);
  EXPECT(s, whole[8] == whole[0] && whole[0] == words.words[0]);
}

}  // namespace

int main() {
  Needs needs;
  WISH_CORE(needs, textureCompressionBC);
  Session s = open("between_images", needs);
  const MappedBuffer words = buffer(s, 8192, kCopies);
  fill(words, 6);
  Pictures p = create_pictures(s, 16384);
  slices_and_layers(s, words, p);
  formats(s, words, p);
  if (HAS_CORE(needs, textureCompressionBC)) blocks(s, words, p);
  chain(s, words, p);
  add(s, p.out);
  return finish(s);
}
