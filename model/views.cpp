// SPDX-License-Identifier: Apache-2.0
#include "model/views.h"

#include <algorithm>
#include <bit>

#include "format/check.h"
#include "model/gpu/texels.h"

namespace rondo::model {

VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers) {
  return {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount};
}

VkImageSubresourceRange part_of(const Image* image, VkImageSubresourceRange part) {
  if (image == nullptr) return part;
  const auto limit = [](std::uint32_t first, std::uint32_t count, std::uint32_t all) {
    return first >= all ? 0 : std::min(count, all - first);
  };
  part.levelCount = limit(part.baseMipLevel, part.levelCount, image->mips);
  if (image->type == VK_IMAGE_TYPE_3D) part.baseArrayLayer = 0, part.layerCount = 1;
  part.layerCount = limit(part.baseArrayLayer, part.layerCount, image->layers);
  return part;
}

VkExtent3D extent_of(const Image& image, VkImageAspectFlags aspect, std::uint32_t mip) {
  return gpu::part_extent(image.format, aspect, image.extent, mip);
}

std::uint64_t bytes_of(const Image& image, const VkImageSubresourceRange& part) {
  // The aspect COLOR of a format with several planes stands for all its planes.
  const VkImageAspectFlags all = gpu::aspects_of(image.format);
  VkImageAspectFlags aspects = part.aspectMask & all;
  if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && all != VK_IMAGE_ASPECT_COLOR_BIT)
    aspects = all & ~VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
  std::uint64_t bytes = 0;
  for (; aspects != 0; aspects &= aspects - 1) {
    const VkImageAspectFlags aspect = aspects & (~aspects + 1);
    for (std::uint32_t i = 0; i < part.levelCount; ++i) {
      std::uint64_t mip = gpu::region_bytes(image.format, aspect, 0, 0, extent_of(image, aspect, part.baseMipLevel + i),
                                            part.layerCount);
      if (__builtin_mul_overflow(mip, image.samples, &mip) || __builtin_add_overflow(bytes, mip, &bytes))
        return UINT64_MAX;
    }
  }
  return bytes;
}

std::uint32_t numbers_of(const QueryPool& pool) {
  switch (pool.type) {
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_TIMESTAMP:
    case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
    case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
      return 1;
    case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
      return 2;
    case VK_QUERY_TYPE_PIPELINE_STATISTICS:
      return static_cast<std::uint32_t>(std::popcount(pool.statistics));
    default:
      return 0;
  }
}

std::uint64_t bytes_of(const Buffer* buffer, std::uint64_t offset, std::uint64_t size) {
  if (buffer == nullptr || offset >= buffer->bytes) return 0;
  const std::uint64_t bytes = std::min(size, buffer->bytes - offset);
  RONDO_CHECK(offset + bytes <= buffer->bytes);
  return bytes;
}

}  // namespace rondo::model
