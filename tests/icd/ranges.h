// SPDX-License-Identifier: Apache-2.0
// Ranges of buffers and images that commands name. Each function says what is
// wrong (violation()) and returns whether all is right. `name`: the parameter.
#pragma once

#include "tests/icd/objects.h"

namespace fake {

// Bound to memory, and made for `usage` (0: any).
bool is_usable(const Buffer& buffer, VkBufferUsageFlags usage, const char* name);
bool is_usable(const Image& image, VkImageUsageFlags usage, const char* name);

// VK_WHOLE_SIZE: to the end, and something is left there.
bool is_within(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size, const char* name);
// `count` elements of `size` bytes, each `stride` after the one before.
bool is_within(const Buffer& buffer, VkDeviceSize offset, std::uint64_t count, VkDeviceSize stride, VkDeviceSize size,
               const char* name);
bool is_multiple(VkDeviceSize value, VkDeviceSize of, const char* name);

// Aspects, levels and layers are the image's.
bool has_aspects(const Image& image, VkImageAspectFlags aspects, const char* name);
bool has_layers(const Image& image, const VkImageSubresourceLayers& layers, const char* name);
bool has_range(const Image& image, const VkImageSubresourceRange& range, const char* name);

// A box of whole blocks of one aspect, in texels of its plane; not empty.
bool has_box(const Image& image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
             const VkExtent3D& extent, const char* name);

// The rectangle lies within the extent.
bool is_within(const VkRect2D& area, std::uint32_t width, std::uint32_t height);

}  // namespace fake
