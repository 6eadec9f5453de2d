// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/sample_words.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "model/gpu/texels.h"

namespace rondo::gpu {

namespace {

// What 1.0 is; 0: it is no depth of fixed point.
double whole_depth(VkFormat format, VkImageAspectFlags aspect) {
  if (aspect != VK_IMAGE_ASPECT_DEPTH_BIT) return 0;
  switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_D16_UNORM_S8_UINT:
      return 0xffff;
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D24_UNORM_S8_UINT:
      return 0xffffff;
    default:
      return 0;
  }
}

}  // namespace

std::uint32_t words_of(VkFormat format, VkImageAspectFlags aspect) {
  const Block block = block_of(format, aspect);
  if (block.width != 1 || block.height != 1) return 0;
  switch (block.bytes) {
    case 1:
    case 2:
    case 4:
      return 1;
    case 8:
      return 2;
    case 16:
      return 4;
    default:
      return 0;
  }
}

void to_words(VkFormat format, VkImageAspectFlags aspect, std::span<const std::byte> texels,
              std::span<std::uint32_t> words) {
  const std::size_t bytes = block_of(format, aspect).bytes;
  if (bytes >= 4) {
    std::memcpy(words.data(), texels.data(), words.size_bytes());
  } else {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = 0;
      std::memcpy(&words[i], texels.data() + i * bytes, bytes);
    }
  }
  if (const double whole = whole_depth(format, aspect); whole != 0)
    for (std::uint32_t& word : words) word = std::bit_cast<std::uint32_t>(static_cast<float>(word / whole));
}

void from_words(VkFormat format, VkImageAspectFlags aspect, std::span<const std::uint32_t> words,
                std::span<std::byte> texels) {
  const std::size_t bytes = block_of(format, aspect).bytes;
  const double whole = whole_depth(format, aspect);
  if (bytes >= 4 && whole == 0) {
    std::memcpy(texels.data(), words.data(), words.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t word = words[i];
    if (whole != 0) {
      const double depth = static_cast<double>(std::bit_cast<float>(word));
      word = depth > 0 ? static_cast<std::uint32_t>(std::lround(std::fmin(depth, 1.0) * whole)) : 0;
    }
    std::memcpy(texels.data() + i * bytes, &word, bytes);
  }
}

}  // namespace rondo::gpu
