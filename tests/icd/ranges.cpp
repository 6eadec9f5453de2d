// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/ranges.h"

#include <algorithm>

#include "tests/icd/access.h"
#include "tests/icd/driver.h"

namespace fake {
namespace {

bool wrong(const char* name, const std::string& what) {
  violation(std::string(name) + " " + what);
  return false;
}

// Nothing is read or written there.
bool meaningless(const char* name, const std::string& what) {
  harmless(std::string(name) + " " + what);
  return false;
}

bool is_live(const Binding& binding) { return binding.memory != nullptr && binding.memory->alive; }

bool is_bound(const Image& image) {
  if ((image.flags & VK_IMAGE_CREATE_DISJOINT_BIT) == 0) return is_live(image.binding);
  return std::all_of(image.plane_bindings.begin(), image.plane_bindings.end(), is_live);
}

// [offset, offset + size) of `whole`, in whole blocks but at the far edge.
bool fits(std::int64_t offset, std::uint32_t size, std::uint32_t whole, std::uint32_t block) {
  const std::int64_t end = offset + size;
  return size != 0 && offset >= 0 && end <= std::int64_t{whole} && offset % block == 0 &&
         (end % block == 0 || end == std::int64_t{whole});
}

// … at least within the blocks that there are: what a driver rounds to.
bool stays(std::int64_t offset, std::uint32_t size, std::uint32_t whole, std::uint32_t block) {
  return offset >= 0 && offset + size <= (std::int64_t{whole} + block - 1) / block * block;
}

bool has_part(std::uint32_t first, std::uint32_t count, std::uint32_t all, std::uint32_t remaining) {
  return first < all && count != 0 && (count == remaining || count <= all - first);
}

}  // namespace

bool is_usable(const Buffer& buffer, VkBufferUsageFlags usage, const char* name) {
  if (!is_live(buffer.binding)) return wrong(name, "is not bound to memory, or that was freed");
  return (buffer.usage & usage) == usage || wrong(name, "was not made for such a use");
}

bool is_usable(const Image& image, VkImageUsageFlags usage, const char* name) {
  if (!is_bound(image)) return wrong(name, "is not bound to memory, or that was freed");
  return (image.usage & usage) == usage || wrong(name, "was not made for such a use");
}

bool is_within(const Buffer& buffer, VkDeviceSize offset, VkDeviceSize size, const char* name) {
  if (offset > buffer.size || (size != VK_WHOLE_SIZE && size > buffer.size - offset))
    return wrong(name, "reaches outside the buffer");
  return (offset != buffer.size && size != 0) || meaningless(name, "is empty");
}

bool is_within(const Buffer& buffer, VkDeviceSize offset, std::uint64_t count, VkDeviceSize stride, VkDeviceSize size,
               const char* name) {
  if (count == 0) return true;
  VkDeviceSize bytes = 0;
  if (__builtin_mul_overflow(count - 1, stride, &bytes) || __builtin_add_overflow(bytes, size, &bytes) ||
      offset > buffer.size || bytes > buffer.size - offset)
    return wrong(name, "reaches outside the buffer");
  return true;
}

bool is_multiple(VkDeviceSize value, VkDeviceSize of, const char* name) {
  return value % of == 0 || wrong(name, "is no multiple of " + std::to_string(of));
}

bool has_aspects(const Image& image, VkImageAspectFlags aspects, const char* name) {
  VkImageAspectFlags known = 0;
  for (const Plane& plane : planes_of(image.format)) known |= plane.aspect;
  if ((known & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)) == 0) known |= VK_IMAGE_ASPECT_COLOR_BIT;
  if (aspects == 0 || (aspects & ~known) != 0) return wrong(name, "names aspects that the image lacks");
  return true;
}

bool has_layers(const Image& image, const VkImageSubresourceLayers& layers, const char* name) {
  if (!has_aspects(image, layers.aspectMask, name)) return false;
  if (layers.mipLevel >= image.levels) return wrong(name, "names a level that the image lacks");
  return has_part(layers.baseArrayLayer, layers.layerCount, image.layers, layers.layerCount + 1) ||
         wrong(name, "names layers that the image lacks");
}

bool has_range(const Image& image, const VkImageSubresourceRange& range, const char* name) {
  if (!has_aspects(image, range.aspectMask, name)) return false;
  if (!has_part(range.baseMipLevel, range.levelCount, image.levels, VK_REMAINING_MIP_LEVELS))
    return wrong(name, "names levels that the image lacks");
  // Slices of a volume count as layers where 2D views of it may be made.
  const bool slices = (image.flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) != 0;
  const std::uint32_t layers = slices ? std::max(image.layers, image.extent.depth) : image.layers;
  return has_part(range.baseArrayLayer, range.layerCount, layers, VK_REMAINING_ARRAY_LAYERS) ||
         wrong(name, "names layers that the image lacks");
}

bool has_box(const Image& image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
             const VkExtent3D& extent, const char* name) {
  if (!has_layers(image, layers, name)) return false;
  const bool volume = image.image_type == VK_IMAGE_TYPE_3D;
  for (const VkImageAspectFlagBits aspect : aspects_of(image, layers.aspectMask)) {
    const Image::Layout at = image.layout(aspect, layers.mipLevel, layers.baseArrayLayer);
    const std::uint32_t width = at.plane->block_width, height = at.plane->block_height;
    if (!stays(offset.x, extent.width, at.extent.width, width) ||
        !stays(offset.y, extent.height, at.extent.height, height) ||
        (volume ? !stays(offset.z, extent.depth, at.extent.depth, 1) : offset.z != 0))
      return wrong(name, "reaches beyond the edge of the image");
    if (!fits(offset.x, extent.width, at.extent.width, width) ||
        !fits(offset.y, extent.height, at.extent.height, height) || extent.depth == 0)
      return meaningless(name, "is empty or no box of whole blocks");
  }
  return true;
}

bool is_within(const VkRect2D& area, std::uint32_t width, std::uint32_t height) {
  const auto inside = [](std::int32_t at, std::uint32_t size, std::uint32_t whole) {
    return at >= 0 && static_cast<std::uint64_t>(at) + size <= whole;
  };
  return inside(area.offset.x, area.extent.width, width) && inside(area.offset.y, area.extent.height, height);
}

}  // namespace fake
