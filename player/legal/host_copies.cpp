// SPDX-License-Identifier: Apache-2.0
// Copies between images and memory that the host makes (VK_EXT_host_image_copy)
// stay within their images, and have all the bytes that they take.
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

#ifdef VK_EXT_host_image_copy

namespace {

constexpr VkImageUsageFlags kHost = VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT;

// Bytes that the capture has at this pointer; 0: none.
std::uint64_t bytes_at(const Call& c, const void* const& pointer) {
  const std::uint32_t offset = c.view.offset(&pointer);
  const auto found = std::find_if(c.lowered.data.begin(), c.lowered.data.end(),
                                  [&](const codec::DataRef& data) { return data.offset == offset; });
  return found == c.lowered.data.end() ? 0 : found->bytes;
}

VkImageSubresourceLayers layers_in(const Image& image, VkImageSubresourceLayers layers) {
  if (layers.layerCount == VK_REMAINING_ARRAY_LAYERS)
    layers.layerCount = image.layers - std::min(image.layers, layers.baseArrayLayer);
  return layers;
}

Wrong check_host_image(Validity& v, const char* member, ObjectId id) {
  if (Wrong w = check_bound(v, member, id); !w.empty()) return w;
  if (const Image* image = v.image(id); image != nullptr && image->samples != VK_SAMPLE_COUNT_1_BIT)
    return v.name(id) + " is multisampled";
  return v.needs_image_usage(member, id, kHost);
}

// What the driver itself lays out (VK_HOST_IMAGE_COPY_MEMCPY_EXT) is measured when it is played.
template <class Region>
Wrong check_regions(Validity& v, const Call& c, const char* member, ObjectId id, bool as_it_lies, std::uint32_t count,
                    const Region* regions) {
  if (Wrong w = check_host_image(v, member, id); !w.empty()) return w;
  const Image* image = v.image(id);
  if (image == nullptr) return std::string("nothing is known of ") + member;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    const VkImageSubresourceLayers layers = layers_in(*image, r.imageSubresource);
    if (Wrong w = check_region(v, id, layers, r.imageOffset, r.imageExtent); !w.empty()) return w;
    if (layers.layerCount != r.imageSubresource.layerCount)
      v.change(c, r.imageSubresource.layerCount, layers.layerCount);
    const void* const& pointer = reinterpret_cast<const void* const&>(r.pHostPointer);
    const std::uint64_t there = bytes_at(c, pointer);
    if (there == 0) return "a region has no bytes";
    const std::uint64_t needed = gpu::region_bytes(image->format, layers.aspectMask, r.memoryRowLength,
                                                   r.memoryImageHeight, r.imageExtent, layers.layerCount);
    if (!as_it_lies && (needed == 0 || needed > there))
      return "a region has " + std::to_string(there) + " bytes, and takes " + std::to_string(needed);
    if (as_it_lies && (r.memoryRowLength != 0 || r.memoryImageHeight != 0))
      return "a region of the driver's own layout says how long its rows are";
  }
  return {};
}

Wrong to_image(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCopyMemoryToImage>().pCopyMemoryToImageInfo;
  return check_regions(v, c, "dstImage", c.id(&a.dstImage), (a.flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0,
                       a.regionCount, a.pRegions);
}
Wrong to_memory(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCopyImageToMemory>().pCopyImageToMemoryInfo;
  return check_regions(v, c, "srcImage", c.id(&a.srcImage), (a.flags & VK_HOST_IMAGE_COPY_MEMCPY_EXT) != 0,
                       a.regionCount, a.pRegions);
}
Wrong to_another(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCopyImageToImage>().pCopyImageToImageInfo;
  if (Wrong w = check_host_image(v, "srcImage", c.id(&a.srcImage)); !w.empty()) return w;
  if (Wrong w = check_host_image(v, "dstImage", c.id(&a.dstImage)); !w.empty()) return w;
  return check_image_regions(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}

Wrong transition(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkTransitionImageLayout>();
  for (std::uint32_t i = 0; i < a.transitionCount; ++i) {
    const VkHostImageLayoutTransitionInfoEXT& one = a.pTransitions[i];
    const ObjectId id = c.id(&one.image);
    if (Wrong w = check_host_image(v, "image", id); !w.empty()) return w;
    if (Wrong w = check_range(v, "subresourceRange", id, one.subresourceRange); !w.empty()) return w;
    if (const Image* image = v.image(id);
        image != nullptr && (one.subresourceRange.aspectMask & ~gpu::aspects_of(image->format)) != 0)
      return "subresourceRange names aspects that " + v.name(id) + " lacks";
    if (one.newLayout == VK_IMAGE_LAYOUT_UNDEFINED || one.newLayout == VK_IMAGE_LAYOUT_PREINITIALIZED)
      return "newLayout is one that nothing can be in";
  }
  return {};
}

}  // namespace

void add_host_copy_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::vkCopyMemoryToImage)] = to_image;
  table[static_cast<std::size_t>(CommandId::vkCopyImageToMemory)] = to_memory;
  table[static_cast<std::size_t>(CommandId::vkCopyImageToImage)] = to_another;
  table[static_cast<std::size_t>(CommandId::vkTransitionImageLayout)] = transition;
}

#else

void add_host_copy_checks(std::vector<Handler>&) {}

#endif

}  // namespace rondo::player::validity
