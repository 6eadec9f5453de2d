// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/access.h"

#include <algorithm>

#include "tests/icd/driver.h"

namespace fake {
namespace {

std::uint32_t blocks(std::uint32_t texels, std::uint32_t of_block) { return (texels + of_block - 1) / of_block; }

bool within(std::int64_t offset, std::uint32_t extent, std::uint32_t whole) {
  return offset >= 0 && offset + extent <= std::int64_t{whole};
}

}  // namespace

std::span<std::byte> bytes_of(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size) {
  if (buffer.data() == nullptr) {
    violation("uses a buffer without memory");
    return {};
  }
  if (offset > buffer.size || (size != VK_WHOLE_SIZE && size > buffer.size - offset)) {
    violation("goes beyond the end of a buffer");
    return {};
  }
  if (size == VK_WHOLE_SIZE) size = buffer.size - offset;
  return {buffer.data() + offset, static_cast<std::size_t>(size)};
}

Box box_of(const Image& image, VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t first_layer,
           std::uint32_t layers, const VkOffset3D& offset, const VkExtent3D& extent) {
  Box box;
  std::byte* data = image.data(aspect);
  if (data == nullptr) {
    violation("uses an image without memory");
    return box;
  }
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  const Image::Layout first = image.layout(aspect, level, first_layer);
  if (first.plane == nullptr || first_layer + std::uint64_t{layers} > image.layers ||
      !within(offset.x, extent.width, first.extent.width) || !within(offset.y, extent.height, first.extent.height) ||
      (volume && !within(offset.z, extent.depth, first.extent.depth))) {
    violation("goes beyond the edge of an image");
    return box;
  }
  box.plane = first.plane;
  box.row_pitch = first.row_pitch;
  box.block_bytes = first.block_bytes;
  box.width = blocks(extent.width, first.plane->block_width);
  box.height = blocks(extent.height, first.plane->block_height);
  const VkDeviceSize corner = static_cast<std::uint32_t>(offset.y) / first.plane->block_height * first.row_pitch +
                              static_cast<std::uint32_t>(offset.x) / first.plane->block_width * first.block_bytes;
  if (volume) {
    for (std::uint32_t z = 0; z < extent.depth; ++z)
      box.slices.push_back(data + first.offset + corner +
                           (static_cast<std::uint32_t>(offset.z) + z) * first.slice_pitch);
  } else {
    for (std::uint32_t layer = 0; layer < layers; ++layer)
      box.slices.push_back(data + image.layout(aspect, level, first_layer + layer).offset + corner);
  }
  return box;
}

Box box_of(const Image& image, VkImageAspectFlagBits aspect, std::uint32_t level, std::uint32_t first_layer,
           std::uint32_t layers) {
  // Slices that are named as layers are of the one layer that a volume has.
  if (image.image_type == VK_IMAGE_TYPE_3D) first_layer = 0, layers = 1;
  return box_of(image, aspect, level, first_layer, layers, {0, 0, 0}, image.layout(aspect, level, first_layer).extent);
}

Box box_of_area(const Image& image, VkImageAspectFlagBits aspect, const VkImageSubresourceRange& range,
                std::uint32_t layer, const VkRect2D& area) {
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  const std::uint32_t first = volume ? 0 : range.baseArrayLayer + layer;
  const Image::Layout layout = image.layout(aspect, range.baseMipLevel, first);
  if (layout.plane == nullptr) return {};
  // Where planes are smaller, so is the area.
  const auto x = static_cast<std::uint32_t>(area.offset.x) / layout.plane->width_divisor;
  const auto y = static_cast<std::uint32_t>(area.offset.y) / layout.plane->height_divisor;
  if (x >= layout.extent.width || y >= layout.extent.height) return {};
  const VkExtent3D extent{std::min(blocks(area.extent.width, layout.plane->width_divisor), layout.extent.width - x),
                          std::min(blocks(area.extent.height, layout.plane->height_divisor), layout.extent.height - y),
                          1};
  const auto z = volume ? static_cast<std::int32_t>(range.baseArrayLayer + layer) : 0;
  return box_of(image, aspect, range.baseMipLevel, first, 1,
                {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), z}, extent);
}

std::vector<VkImageAspectFlagBits> aspects_of(const Image& image, VkImageAspectFlags mask) {
  std::vector<VkImageAspectFlagBits> named;
  constexpr VkImageAspectFlags kPlanes =
      VK_IMAGE_ASPECT_PLANE_0_BIT | VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;
  for (const Plane& plane : planes_of(image.format))
    if ((mask & plane.aspect) != 0 || ((mask & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && (plane.aspect & kPlanes) != 0))
      named.push_back(plane.aspect);
  return named;
}

VkImageSubresourceRange resolved(const Image& image, VkImageSubresourceRange range) {
  if (range.levelCount == VK_REMAINING_MIP_LEVELS) range.levelCount = image.levels - range.baseMipLevel;
  if (range.layerCount == VK_REMAINING_ARRAY_LAYERS) range.layerCount = image.layers - range.baseArrayLayer;
  return range;
}

}  // namespace fake
