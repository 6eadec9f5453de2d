// SPDX-License-Identifier: Apache-2.0
// Blocks, planes and kinds of formats, as far as commands on images need them.
// One description for what layer and player read back, and for what the player checks.
#pragma once

#include <cstdint>

#include "format/vulkan.h"

namespace rondo::gpu {

struct Block {
  std::uint32_t width = 1, height = 1;
  std::uint32_t bytes = 0;  // 0: not known, or it has planes or aspects
};
Block block_of(VkFormat format);
// … of one plane or aspect, as copies to and from buffers have it.
Block block_of(VkFormat format, VkImageAspectFlags aspect);

// What the name of a format says of it.
bool is_planar(VkFormat format);
bool is_compressed(VkFormat format);
bool is_depth_stencil(VkFormat format);
bool has_stencil(VkFormat format);
bool is_integer(VkFormat format);
// That images of it have; of planes the color that is all of them, too.
VkImageAspectFlags aspects_of(VkFormat format);
// In which format one plane or aspect of an image is copied to a buffer: R8G8_UNORM for the second plane of NV12,
// X8_D24_UNORM for the depth of D24_UNORM_S8. Of other images their own. UNDEFINED: not known.
VkFormat format_of_part(VkFormat format, VkImageAspectFlags aspect);
// A plane of a smaller size than the image.
VkExtent3D plane_extent(VkFormat format, VkImageAspectFlags aspect, VkExtent3D extent);

// One mip of an image, or of a plane of it.
VkExtent3D part_extent(VkFormat format, VkImageAspectFlags aspect, VkExtent3D image, std::uint32_t mip);

// Bytes that a copy touches behind its offset into the buffer; 0: not known.
std::uint64_t region_bytes(VkFormat format, VkImageAspectFlags aspect, std::uint32_t row_length,
                           std::uint32_t image_height, const VkExtent3D& extent, std::uint32_t layers);

}  // namespace rondo::gpu
