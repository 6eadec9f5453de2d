// SPDX-License-Identifier: Apache-2.0
// Block sizes of formats, as far as copies between buffers and images need them.
#pragma once

#include <cstdint>

#include "format/vulkan.h"

namespace rondo::player::validity {

struct Block {
  std::uint32_t width = 1, height = 1;
  std::uint32_t bytes = 0;  // 0: not known, or it has planes or aspects
};
Block block_of(VkFormat format);

// Bytes that a copy touches behind its offset into the buffer; 0: not known.
std::uint64_t region_bytes(VkFormat format, VkImageAspectFlags aspect, std::uint32_t row_length,
                           std::uint32_t image_height, const VkExtent3D& extent, std::uint32_t layers);

}  // namespace rondo::player::validity
