// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/clear.h"

#include <array>
#include <cstring>

namespace fake {
namespace {

// Planes of one value: as if the plane's own format had been cleared.
VkClearColorValue color_of_plane(VkImageAspectFlagBits aspect, const VkClearColorValue& color) {
  // Y in G; Cb in B, and Cr in R beside it or alone (the formats' component order).
  VkClearColorValue plane = color;
  if (aspect == VK_IMAGE_ASPECT_PLANE_0_BIT)
    plane.uint32[0] = color.uint32[1];
  else if (aspect == VK_IMAGE_ASPECT_PLANE_1_BIT) {
    plane.uint32[0] = color.uint32[2];
    plane.uint32[1] = color.uint32[0];
  }
  return plane;
}

}  // namespace

void clear_box(const Box& box, const Image& image, VkFormat format, VkImageAspectFlagBits aspect,
               const VkClearValue& value) {
  if (box.empty()) return;
  std::array<std::byte, 64> texel{};
  if (box.plane->bytes > texel.size()) return;
  if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) {
    encode_depth(image.format, value.depthStencil.depth, texel.data());
  } else if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) {
    texel[0] = static_cast<std::byte>(value.depthStencil.stencil);
  } else {
    const bool plane = aspect != VK_IMAGE_ASPECT_COLOR_BIT;
    const TexelFormat* known = texel_format(plane ? box.plane->format : format);
    if (known == nullptr) return;
    encode(*known, plane ? color_of_plane(aspect, value.color) : value.color, texel.data());
  }
  const std::size_t bytes = box.plane->bytes;
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y) {
      std::byte* row = box.row(slice, y);
      for (std::size_t at = 0; at + bytes <= box.row_bytes(); at += bytes) std::memcpy(row + at, texel.data(), bytes);
    }
}

void scramble(const Box& box) {
  constexpr int kUndefined = 0xcd;
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y) std::memset(box.row(slice, y), kUndefined, box.row_bytes());
}

}  // namespace fake
