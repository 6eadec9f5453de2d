// SPDX-License-Identifier: Apache-2.0
// Bytes of buffers and blocks of images as commands address them. What lies
// outside is a violation, and nothing is touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "tests/icd/objects.h"

namespace fake {

// Empty if the range is not within the buffer, or the buffer without memory.
// VK_WHOLE_SIZE: to its end.
std::span<std::byte> bytes_of(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size);

// A box of blocks, slice by slice: of a 3D image its depth, else its layers.
struct Box {
  std::vector<std::byte*> slices;  // each one's first block
  VkDeviceSize row_pitch = 0;
  VkDeviceSize block_bytes = 0;
  std::uint32_t width = 0, height = 0;  // blocks
  const Plane* plane = nullptr;

  bool empty() const { return slices.empty(); }
  std::byte* row(std::size_t slice, std::uint32_t y) const { return slices[slice] + y * row_pitch; }
  std::size_t row_bytes() const { return static_cast<std::size_t>(width * block_bytes); }
};

// `offset` and `extent` in texels of the aspect's plane; empty and a violation if
// they are not within it.
Box box_of(const Image& image, VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t first_layer,
           std::uint32_t layers, const VkOffset3D& offset, const VkExtent3D& extent);
// All of a level.
Box box_of(const Image& image, VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t first_layer,
           std::uint32_t layers);
// Of a layer of a view (2D views of 3D images have slices for layers): what
// lies in `area`.
Box box_of_area(const Image& image, VkImageAspectFlagBits aspect, const VkImageSubresourceRange& range,
                std::uint32_t layer, const VkRect2D& area);

// The aspects of the format that a mask names; color names all planes.
std::vector<VkImageAspectFlagBits> aspects_of(const Image& image, VkImageAspectFlags mask);

// VK_REMAINING_* made numbers.
VkImageSubresourceRange resolved(const Image& image, VkImageSubresourceRange range);

}  // namespace fake
