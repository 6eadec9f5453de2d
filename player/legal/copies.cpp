// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves, clears and fills stay within their buffers and
// images. The two versions of a command differ in their structures only.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

using gpu::aspects_of;
using gpu::Block;
using gpu::block_of;
using gpu::is_compressed;
using gpu::is_depth_stencil;
using gpu::is_integer;
using gpu::is_planar;
using gpu::plane_extent;
using gpu::region_bytes;

namespace {

constexpr VkBufferUsageFlags kFromBuffer = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
constexpr VkBufferUsageFlags kToBuffer = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kFromImage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
constexpr VkImageUsageFlags kToImage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;

// As many as there are; where VK_KHR_maintenance5 or Vulkan 1.4 says so, all from the first on.
std::uint32_t layer_count(Validity& v, ObjectId id, const VkImageSubresourceLayers& layers) {
  const Image* image = v.image(id);
  if (layers.layerCount != VK_REMAINING_ARRAY_LAYERS || image == nullptr || layers.baseArrayLayer >= image->layers ||
      !v.allows(id, Relaxation::maintenance5))
    return layers.layerCount;
  return image->layers - layers.baseArrayLayer;
}

Wrong check_layers(Validity& v, const char* member, ObjectId id, const VkImageSubresourceLayers& layers) {
  const Image* image = v.image(id);
  const std::uint32_t count = layer_count(v, id, layers);
  if (image == nullptr) return {};
  if (layers.aspectMask == 0 || (layers.aspectMask & ~aspects_of(image->format)) != 0)
    return std::string(member) + " names aspects that " + v.name(id) + " lacks";
  if (layers.mipLevel < image->mips && count != 0 && within(layers.baseArrayLayer, count, image->layers)) return {};
  return std::string(member) + ": mip " + std::to_string(layers.mipLevel) + ", layers " +
         std::to_string(layers.baseArrayLayer) + " to " + std::to_string(std::uint64_t{layers.baseArrayLayer} + count) +
         " of " + v.name(id) + ", which has " + std::to_string(image->mips) + " mips and " +
         std::to_string(image->layers) + " layers";
}

VkExtent3D texels_of(const Image& image, const VkImageSubresourceLayers& layers) {
  Image plane = image;
  plane.extent = plane_extent(image.format, layers.aspectMask, image.extent);
  return mip_extent(plane, layers.mipLevel);
}

// `extent` in texels of this image. Whole blocks at the rim may reach beyond it.
Wrong check_texels(Validity& v, const char* member, ObjectId id, const VkImageSubresourceLayers& layers,
                   const VkOffset3D& offset, const VkExtent3D& extent) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  const VkExtent3D whole = texels_of(*image, layers);
  const Block block = block_of(image->format, layers.aspectMask);
  const auto fits = [](std::int32_t from, std::uint32_t size, std::uint32_t all, std::uint32_t unit) {
    return from >= 0 && within(static_cast<std::uint32_t>(from), size, (std::uint64_t{all} + unit - 1) / unit * unit);
  };
  if (fits(offset.x, extent.width, whole.width, block.width) &&
      fits(offset.y, extent.height, whole.height, block.height) &&
      (image->type == VK_IMAGE_TYPE_3D ? fits(offset.z, extent.depth, whole.depth, 1) : offset.z == 0))
    return {};
  return std::string(member) + " has texels outside mip " + std::to_string(layers.mipLevel) + " of " + v.name(id) +
         ", which is " + std::to_string(whole.width) + "x" + std::to_string(whole.height) + "x" +
         std::to_string(whole.depth);
}

Wrong check_images(Validity& v, ObjectId from, ObjectId to) {
  if (Wrong w = check_bound(v, "srcImage", from); !w.empty()) return w;
  if (Wrong w = check_bound(v, "dstImage", to); !w.empty()) return w;
  if (Wrong w = v.needs_image_usage("srcImage", from, kFromImage); !w.empty()) return w;
  return v.needs_image_usage("dstImage", to, kToImage);
}

template <class Region>
Wrong copy_buffers(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const Region* regions) {
  v.needs_usage(from, kFromBuffer);
  v.needs_usage(to, kToBuffer);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (regions[i].size == VK_WHOLE_SIZE) return "a region's size is VK_WHOLE_SIZE";
    if (Wrong w = check_bytes(v, "srcBuffer", from, regions[i].srcOffset, regions[i].size); !w.empty()) return w;
    if (Wrong w = check_bytes(v, "dstBuffer", to, regions[i].dstOffset, regions[i].size); !w.empty()) return w;
  }
  return {};
}

template <class Region>
Wrong copy_buffer_image(Validity& v, ObjectId buffer, ObjectId image_id, bool to_image, std::uint32_t count,
                        const Region* regions) {
  v.needs_usage(buffer, to_image ? kFromBuffer : kToBuffer);
  if (Wrong w = check_bound(v, "image", image_id); !w.empty()) return w;
  if (Wrong w = v.needs_image_usage("image", image_id, to_image ? kToImage : kFromImage); !w.empty()) return w;
  const Image* image = v.image(image_id);
  if (image != nullptr && image->samples != VK_SAMPLE_COUNT_1_BIT) return v.name(image_id) + " is multisampled";
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    const VkImageSubresourceLayers& sub = r.imageSubresource;
    if (Wrong w = check_region(v, image_id, sub, r.imageOffset, r.imageExtent); !w.empty()) return w;
    const std::uint64_t bytes = image == nullptr
                                    ? 0
                                    : region_bytes(image->format, sub.aspectMask, r.bufferRowLength,
                                                   r.bufferImageHeight, r.imageExtent, layer_count(v, image_id, sub));
    if (image != nullptr && bytes == 0 && r.imageExtent.width != 0 && r.imageExtent.height != 0 &&
        r.imageExtent.depth != 0)
      return "how long a texel of " + v.name(image_id) + "'s format is, is not known";
    if (Wrong w = check_bytes(v, "a region", buffer, r.bufferOffset, bytes); !w.empty()) return w;
  }
  return {};
}

// Aspects are copied one by one, each to one of texels as large.
Wrong check_aspects(const Image& source, const Image& target, VkImageAspectFlags from, VkImageAspectFlags to) {
  if (std::popcount(from) != std::popcount(to) || (is_planar(source.format) && from == VK_IMAGE_ASPECT_COLOR_BIT) ||
      (is_planar(target.format) && to == VK_IMAGE_ASPECT_COLOR_BIT))
    return "a region names other aspects of the source than of the target";
  if (source.format == target.format && from == to) return {};
  for (; from != 0; from &= from - 1, to &= to - 1)
    if (const Block a = block_of(source.format, from & (~from + 1)), b = block_of(target.format, to & (~to + 1));
        a.bytes == 0 || a.bytes != b.bytes)
      return "the images' texels are of different sizes";
  return {};
}

template <class Region>
Wrong check_pairs(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const Region* regions) {
  const Image *source = v.image(from), *target = v.image(to);
  if (source == nullptr || target == nullptr) return {};
  if (source->samples != target->samples) return "the images have different numbers of samples";
  const bool from_volume = source->type == VK_IMAGE_TYPE_3D, to_volume = target->type == VK_IMAGE_TYPE_3D;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "srcSubresource", from, r.srcSubresource); !w.empty()) return w;
    if (Wrong w = check_layers(v, "dstSubresource", to, r.dstSubresource); !w.empty()) return w;
    if (Wrong w = check_aspects(*source, *target, r.srcSubresource.aspectMask, r.dstSubresource.aspectMask); !w.empty())
      return w;
    if (Wrong w = check_texels(v, "srcImage", from, r.srcSubresource, r.srcOffset, r.extent); !w.empty()) return w;
    const std::uint32_t read = from_volume ? r.extent.depth : layer_count(v, from, r.srcSubresource);
    const std::uint32_t written =
        to_volume ? (from_volume ? r.extent.depth : read) : layer_count(v, to, r.dstSubresource);
    if (read != written || (!from_volume && !to_volume && r.extent.depth > 1) ||
        (!from_volume && to_volume && r.extent.depth != 1 && r.extent.depth != read))
      return "a region's source has another number of slices than its target";
    const Block a = block_of(source->format, r.srcSubresource.aspectMask),
                b = block_of(target->format, r.dstSubresource.aspectMask);
    const VkExtent3D there{(r.extent.width + a.width - 1) / a.width * b.width,
                           (r.extent.height + a.height - 1) / a.height * b.height, written};
    if (Wrong w = check_texels(v, "dstImage", to, r.dstSubresource, r.dstOffset, there); !w.empty()) return w;
  }
  return {};
}

template <class Region>
Wrong copy_images(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const Region* regions) {
  if (Wrong w = check_images(v, from, to); !w.empty()) return w;
  return check_pairs(v, from, to, count, regions);
}

// Depth and stencil may be resolved only with VK_KHR_maintenance10. Source and target may then have different
// depth/stencil formats.
Wrong check_resolved(const Image& from, const Image& to, const VkImageSubresourceLayers& source,
                     const VkImageSubresourceLayers& target, bool any_aspect) {
  constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT;
  if (!any_aspect && (source.aspectMask != kColor || target.aspectMask != kColor))
    return "a region names another aspect than color";
  if (source.aspectMask != target.aspectMask) return "a region names other aspects of the source than of the target";
  if (from.format == to.format) return {};
  if (any_aspect && is_depth_stencil(from.format) && is_depth_stencil(to.format)) return {};
  return "the images have different formats";
}

template <class Region>
Wrong resolve(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const Region* regions) {
  const Image *source = v.image(from), *target = v.image(to);
  if (source != nullptr && target != nullptr) {
    if (source->samples == VK_SAMPLE_COUNT_1_BIT || target->samples != VK_SAMPLE_COUNT_1_BIT)
      return "resolves from one sample, or into several";
  }
  const bool any_aspect = v.allows(from, Relaxation::maintenance10);
  if (Wrong w = check_images(v, from, to); !w.empty()) return w;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "srcSubresource", from, r.srcSubresource); !w.empty()) return w;
    if (Wrong w = check_layers(v, "dstSubresource", to, r.dstSubresource); !w.empty()) return w;
    if (source != nullptr && target != nullptr)
      if (Wrong w = check_resolved(*source, *target, r.srcSubresource, r.dstSubresource, any_aspect); !w.empty())
        return w;
    if (layer_count(v, from, r.srcSubresource) != layer_count(v, to, r.dstSubresource))
      return "a region's source has other layers than its target";
    if (Wrong w = check_texels(v, "srcImage", from, r.srcSubresource, r.srcOffset, r.extent); !w.empty()) return w;
    if (Wrong w = check_texels(v, "dstImage", to, r.dstSubresource, r.dstOffset, r.extent); !w.empty()) return w;
  }
  return {};
}

Wrong check_corners(Validity& v, const char* member, ObjectId id, const VkImageSubresourceLayers& layers,
                    const VkOffset3D (&corners)[2]) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  const VkExtent3D whole = mip_extent(*image, layers.mipLevel);
  const auto inside = [](std::int32_t at, std::uint32_t all) {
    return at >= 0 && static_cast<std::uint32_t>(at) <= all;
  };
  for (const VkOffset3D& o : corners)
    if (!inside(o.x, whole.width) || !inside(o.y, whole.height) || !inside(o.z, whole.depth))
      return std::string(member) + " reaches outside mip " + std::to_string(layers.mipLevel) + " of " + v.name(id);
  if (image->type != VK_IMAGE_TYPE_3D && (corners[0].z != 0 || corners[1].z != 1))
    return std::string(member) + " is not from 0 to 1 deep";
  return {};
}

// One side of a blit's region.
struct BlitSide {
  const Image& image;
  std::uint32_t layers;
  const VkOffset3D (&corners)[2];
  bool is_volume() const { return image.type == VK_IMAGE_TYPE_3D; }
  std::uint32_t slices() const {
    return is_volume() ? static_cast<std::uint32_t>(std::abs(corners[1].z - corners[0].z)) : layers;
  }
};

// As many layers as are read are written. Where VK_KHR_maintenance8 says so, slices become layers, or layers slices.
bool blits_as_many(const Validity& v, const BlitSide& from, const BlitSide& to, ObjectId of) {
  if (!from.is_volume() && !to.is_volume()) return from.layers == to.layers;
  if (from.is_volume() != to.is_volume() && v.allows(of, Relaxation::maintenance8))
    return (from.is_volume() ? from : to).layers == 1 && from.slices() == to.slices();
  return from.layers == 1 && to.layers == 1;
}

// Converted by drawing: what cannot be drawn to or sampled so is no blit's.
bool can_convert(VkFormat from, VkFormat to) {
  if (is_planar(from) || is_planar(to)) return false;
  if (from == to) return true;
  return !is_depth_stencil(from) && !is_depth_stencil(to) && !is_compressed(to) && is_integer(from) == is_integer(to);
}

template <class Region>
Wrong blit(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const Region* regions) {
  const Image *source = v.image(from), *target = v.image(to);
  if (source == nullptr || target == nullptr) return {};
  if (source->samples != VK_SAMPLE_COUNT_1_BIT || target->samples != VK_SAMPLE_COUNT_1_BIT)
    return "an image is multisampled";
  if (!can_convert(source->format, target->format)) return "the formats cannot be converted into one another";
  if (Wrong w = check_images(v, from, to); !w.empty()) return w;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "srcSubresource", from, r.srcSubresource); !w.empty()) return w;
    if (Wrong w = check_layers(v, "dstSubresource", to, r.dstSubresource); !w.empty()) return w;
    if (r.srcSubresource.aspectMask != r.dstSubresource.aspectMask)
      return "a region names other aspects of the source than of the target";
    if (Wrong w = check_corners(v, "srcOffsets", from, r.srcSubresource, r.srcOffsets); !w.empty()) return w;
    if (Wrong w = check_corners(v, "dstOffsets", to, r.dstSubresource, r.dstOffsets); !w.empty()) return w;
    if (!blits_as_many(v, {*source, layer_count(v, from, r.srcSubresource), r.srcOffsets},
                       {*target, layer_count(v, to, r.dstSubresource), r.dstOffsets}, from))
      return "a region's source has other layers than its target";
  }
  return {};
}

Wrong copy_buffer_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyBuffer>();
  return copy_buffers(v, c.id(&a.srcBuffer), c.id(&a.dstBuffer), a.regionCount, a.pRegions);
}
Wrong copy_buffer_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
  return copy_buffers(v, c.id(&a.srcBuffer), c.id(&a.dstBuffer), a.regionCount, a.pRegions);
}
Wrong copy_to_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyBufferToImage>();
  return copy_buffer_image(v, c.id(&a.srcBuffer), c.id(&a.dstImage), true, a.regionCount, a.pRegions);
}
Wrong copy_to_image_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo;
  return copy_buffer_image(v, c.id(&a.srcBuffer), c.id(&a.dstImage), true, a.regionCount, a.pRegions);
}
Wrong copy_to_buffer_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyImageToBuffer>();
  return copy_buffer_image(v, c.id(&a.dstBuffer), c.id(&a.srcImage), false, a.regionCount, a.pRegions);
}
Wrong copy_to_buffer_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo;
  return copy_buffer_image(v, c.id(&a.dstBuffer), c.id(&a.srcImage), false, a.regionCount, a.pRegions);
}
Wrong copy_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyImage>();
  return copy_images(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong copy_image_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyImage2>().pCopyImageInfo;
  return copy_images(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong resolve_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdResolveImage>();
  return resolve(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong resolve_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdResolveImage2>().pResolveImageInfo;
  return resolve(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong blit_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBlitImage>();
  if (a.filter == VK_FILTER_CUBIC_EXT && !v.allows(c.dispatch(), Relaxation::cubic_filter)) return "filter is cubic";
  return blit(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong blit_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdBlitImage2>().pBlitImageInfo;
  if (a.filter == VK_FILTER_CUBIC_EXT && !v.allows(c.dispatch(), Relaxation::cubic_filter)) return "filter is cubic";
  return blit(v, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}

Wrong clear(Validity& v, ObjectId id, bool color, std::uint32_t count, const VkImageSubresourceRange* ranges) {
  if (Wrong w = check_bound(v, "image", id); !w.empty()) return w;
  if (Wrong w = v.needs_image_usage("image", id, kToImage); !w.empty()) return w;
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  if (is_depth_stencil(image->format) == color || (color && (is_compressed(image->format) || is_planar(image->format))))
    return v.name(id) + " has no format that can be cleared so";
  for (std::uint32_t i = 0; i < count; ++i) {
    if (ranges[i].aspectMask == 0 || (ranges[i].aspectMask & ~aspects_of(image->format)) != 0)
      return "pRanges names aspects that " + v.name(id) + " lacks";
    if (Wrong w = check_range(v, "pRanges", id, ranges[i]); !w.empty()) return w;
  }
  return {};
}
Wrong clear_color(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdClearColorImage>();
  return clear(v, c.id(&a.image), true, a.rangeCount, a.pRanges);
}
Wrong clear_depth(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdClearDepthStencilImage>();
  return clear(v, c.id(&a.image), false, a.rangeCount, a.pRanges);
}

// Fills and updates within a pass do not touch what it draws to: played as they are.
Wrong fill(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdFillBuffer>();
  const ObjectId id = c.id(&a.dstBuffer);
  if (a.dstOffset % 4 != 0 || (a.size != VK_WHOLE_SIZE && a.size % 4 != 0))
    return "dstOffset or size is no multiple of 4";
  if (Wrong w = check_bytes(v, "dstBuffer", id, a.dstOffset, a.size); !w.empty()) return w;
  const Buffer* buffer = v.buffers.find(id);
  // Sets no bytes: Vulkan has no such fill.
  if (a.size == 0 || (buffer != nullptr && a.dstOffset == buffer->bytes)) v.skip();
  v.needs_usage(id, kToBuffer);
  return {};
}
Wrong update(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdUpdateBuffer>();
  if (a.dataSize == 0) v.skip();
  if (a.dstOffset % 4 != 0 || a.dataSize % 4 != 0) return "dstOffset or dataSize is no multiple of 4";
  if (a.dataSize > 65536) return "dataSize is more than 65536";
  v.needs_usage(c.id(&a.dstBuffer), kToBuffer);
  return check_bytes(v, "dstBuffer", c.id(&a.dstBuffer), a.dstOffset, a.dataSize);
}

}  // namespace

Wrong check_region(Validity& v, ObjectId id, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                   const VkExtent3D& extent) {
  if (Wrong w = check_layers(v, "imageSubresource", id, layers); !w.empty()) return w;
  const Image* image = v.image(id);
  if (image != nullptr && (!std::has_single_bit(layers.aspectMask) ||
                           (is_planar(image->format) && layers.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT)))
    return "a region names several aspects";
  if (Wrong w = check_texels(v, "a region", id, layers, offset, extent); !w.empty()) return w;
  if (image != nullptr && image->type != VK_IMAGE_TYPE_3D && extent.depth > 1)
    return "a region is deeper than " + v.name(id);
  return {};
}

Wrong check_image_regions(Validity& v, ObjectId from, ObjectId to, std::uint32_t count, const VkImageCopy2* regions) {
  return check_pairs(v, from, to, count, regions);
}

void add_copy_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdCopyBuffer, copy_buffer_1);
  add(CommandId::vkCmdCopyBuffer2, copy_buffer_2);
  add(CommandId::vkCmdCopyBufferToImage, copy_to_image_1);
  add(CommandId::vkCmdCopyBufferToImage2, copy_to_image_2);
  add(CommandId::vkCmdCopyImageToBuffer, copy_to_buffer_1);
  add(CommandId::vkCmdCopyImageToBuffer2, copy_to_buffer_2);
  add(CommandId::vkCmdCopyImage, copy_image_1);
  add(CommandId::vkCmdCopyImage2, copy_image_2);
  add(CommandId::vkCmdResolveImage, resolve_1);
  add(CommandId::vkCmdResolveImage2, resolve_2);
  add(CommandId::vkCmdBlitImage, blit_1);
  add(CommandId::vkCmdBlitImage2, blit_2);
  add(CommandId::vkCmdClearColorImage, clear_color);
  add(CommandId::vkCmdClearDepthStencilImage, clear_depth);
  add(CommandId::vkCmdFillBuffer, fill);
  add(CommandId::vkCmdUpdateBuffer, update);
}

}  // namespace rondo::player::validity
