// SPDX-License-Identifier: Apache-2.0
// Texels as colors and back, for clears and blits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/vulkan.h"

namespace fake {

enum class Kind : std::uint8_t { unorm, snorm, uint, sint, uscaled, sscaled, srgb, sfloat, ufloat, sfixed5 };

// Of a texel as it lies in memory, little-endian: `bits` from `shift` on.
struct Component {
  char channel;  // R G B A, D, S
  std::uint8_t bits, shift, plane;
  Kind kind;
};
struct TexelFormat {
  VkFormat format;
  std::uint8_t bytes;  // of one texel; of all planes together
  std::uint8_t count;  // 0: compressed, or with a shared exponent
  Component components[4];
};
extern const TexelFormat kTexelFormats[];
extern const std::size_t kTexelFormatCount;

// Null for what has no components of its own: block-compressed formats.
const TexelFormat* texel_format(VkFormat format);
bool is_integer(const TexelFormat& format);

// Into one texel; the bits of other components stay.
void encode(const TexelFormat& format, const VkClearColorValue& color, std::byte* texel);
void encode_depth(VkFormat format, float depth, std::byte* texel);  // of the depth plane
VkClearColorValue decode(const TexelFormat& format, const std::byte* texel);

}  // namespace fake
