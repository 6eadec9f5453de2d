// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "model/gpu/texels.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

using gpu::Block;
using gpu::block_of;
using gpu::is_depth_stencil;
using gpu::is_planar;

namespace {

Wrong create_image(Validity& v, const Call& c) {
  const VkImageCreateInfo& info = *c.as<args_vkCreateImage>().pCreateInfo;
  const VkExtent3D& e = info.extent;
  if (e.width == 0 || e.height == 0 || e.depth == 0) return "makes an image without texels";
  if (info.arrayLayers == 0) return "makes an image without layers";
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::max({e.width, e.height, e.depth})));
  if (info.mipLevels == 0 || info.mipLevels > most)
    return "mipLevels is " + std::to_string(info.mipLevels) + ", and the image can have 1 to " + std::to_string(most);
  if (!std::has_single_bit(static_cast<std::uint32_t>(info.samples)))
    return "samples is " + std::to_string(info.samples) + ", not one count";
  if ((info.imageType == VK_IMAGE_TYPE_1D && (e.height != 1 || e.depth != 1)) ||
      (info.imageType == VK_IMAGE_TYPE_2D && e.depth != 1))
    return "extent has more dimensions than imageType";
  const bool multisampled = info.samples != VK_SAMPLE_COUNT_1_BIT;
  if (multisampled && (info.mipLevels != 1 || info.imageType != VK_IMAGE_TYPE_2D))
    return "a multisampled image has several mips, or is not 2D";
  if (info.imageType == VK_IMAGE_TYPE_3D && info.arrayLayers != 1) return "a 3D image has layers";
  if ((info.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0 &&
      (info.imageType != VK_IMAGE_TYPE_2D || e.width != e.height || info.arrayLayers < 6))
    return "a cube is not square, or has fewer than 6 layers";
  if (info.initialLayout != VK_IMAGE_LAYOUT_UNDEFINED && info.initialLayout != VK_IMAGE_LAYOUT_PREINITIALIZED)
    return "initialLayout is neither undefined nor preinitialized";
  if (info.format == VK_FORMAT_UNDEFINED) return "format is undefined";
  if (info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT &&
      !v.allows(c.dispatch(), Relaxation::drm_format_modifier))
    return "tiling is that of an extension that is not enabled";
  const ObjectId id = c.created();
  if (id == ObjectId::null) return {};
  Image& image = v.images.make(id);
  image.type = info.imageType;
  image.format = info.format;
  image.extent = e;
  image.mips = info.mipLevels;
  image.layers = info.arrayLayers;
  image.flags = info.flags;
  image.samples = info.samples;
  image.bound = (info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  image.usage = info.usage;
  image.create_op = v.op();
  const auto* of =
      find_chained<VkImageSwapchainCreateInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR);
  const ObjectId swapchain = of != nullptr ? c.id(&of->swapchain) : ObjectId::null;
  if (swapchain == ObjectId::null) return {};
  const Image* own = v.swapchains.find(swapchain);
  if (own == nullptr) return "is made of " + v.name(swapchain) + ", of which nothing is known";
  if (own->format != info.format || own->extent.width != e.width || own->extent.height != e.height ||
      own->layers != info.arrayLayers || info.mipLevels != 1 || multisampled)
    return "is not like the images of " + v.name(swapchain);
  image = *own;  // whatever else it says, it is one of those
  image.bound = false;
  return {};
}

Wrong create_swapchain(Validity& v, const Call& c) {
  const VkSwapchainCreateInfoKHR& info = *c.as<args_vkCreateSwapchainKHR>().pCreateInfo;
  const ObjectId id = c.created();
  if (info.imageExtent.width == 0 || info.imageExtent.height == 0 || info.imageArrayLayers == 0)
    return "makes images without texels";
  if (info.imageFormat == VK_FORMAT_UNDEFINED) return "imageFormat is undefined";
  if (id == ObjectId::null) return {};
  Image& image = v.swapchains.make(id);
  image.of_swapchain = true;
  image.create_op = v.op();
  image.usage = info.imageUsage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;  // as the player makes them
  if ((info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0) image.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
  image.format = info.imageFormat;
  image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image.layers = std::max(info.imageArrayLayers, 1u);
  image.bound = true;
  return {};
}

constexpr VkImageCreateFlags kSlices =
    VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT | VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;

Wrong check_view_type(const Image& image, VkImageViewType type) {
  const bool cube = type == VK_IMAGE_VIEW_TYPE_CUBE || type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  const bool flat = type == VK_IMAGE_VIEW_TYPE_2D || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  const bool fits =
      image.type == VK_IMAGE_TYPE_1D   ? type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_1D_ARRAY
      : image.type == VK_IMAGE_TYPE_3D ? type == VK_IMAGE_VIEW_TYPE_3D || (flat && (image.flags & kSlices) != 0)
                                       : flat || (cube && (image.flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT) != 0);
  return fits ? Wrong() : "viewType does not fit the image";
}

// Another format than the image's, of texels as large.
Wrong check_view_format(Validity& v, ObjectId id, const Image& image, VkFormat format) {
  if (format == VK_FORMAT_UNDEFINED) return "format is undefined";
  if (format == image.format || is_planar(image.format)) return {};
  const Block a = block_of(image.format), b = block_of(format);
  const bool blocks = (image.flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) != 0;
  if (is_depth_stencil(format) != is_depth_stencil(image.format) || is_planar(format) ||
      (a.bytes != 0 && b.bytes != 0 && a.bytes != b.bytes) || (!blocks && (a.width != b.width || a.height != b.height)))
    return "format is not one that " + v.name(id) + " can be seen in";
  v.needs_mutable_format(id);
  return {};
}

Wrong create_view(Validity& v, const Call& c) {
  const VkImageViewCreateInfo& info = *c.as<args_vkCreateImageView>().pCreateInfo;
  const ObjectId image_id = c.id(&info.image);
  if (Wrong w = check_bound(v, "image", image_id); !w.empty()) return w;
  const VkImageCreateFlags slices = info.viewType == VK_IMAGE_VIEW_TYPE_3D ? 0 : kSlices;
  if (const Image* image = v.image(image_id); image != nullptr) {
    if (Wrong w = check_view_type(*image, info.viewType); !w.empty()) return w;
    if (Wrong w = check_view_format(v, image_id, *image, info.format); !w.empty()) return w;
  }
  if (Wrong w = check_range(v, "subresourceRange", image_id, info.subresourceRange, slices); !w.empty()) return w;
  if (info.subresourceRange.aspectMask == 0) return "aspectMask is 0";
  const ObjectId id = c.created();
  if (id == ObjectId::null) return {};
  ImageView& view = v.image_views.make(id);
  view.image = image_id;
  v.hold(image_id, id);
  view.format = info.format;
  view.aspects = info.subresourceRange.aspectMask;
  view.levels = info.subresourceRange.levelCount;
  if (const Image* image = v.image(image_id); image != nullptr && view.levels == VK_REMAINING_MIP_LEVELS)
    view.levels = image->mips - info.subresourceRange.baseMipLevel;
  // A view of a compressed image in an uncompressed format counts in blocks.
  if (const Image* image = v.image(image_id);
      image != nullptr && (image->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) == 0) {
    const VkImageSubresourceRange& range = info.subresourceRange;
    view.extent = mip_extent(*image, range.baseMipLevel);
    view.layers = range.layerCount != VK_REMAINING_ARRAY_LAYERS
                      ? range.layerCount
                      : layers_of(*image, range.baseMipLevel, slices) - range.baseArrayLayer;
  }
  return {};
}

}  // namespace

VkExtent3D mip_extent(const Image& image, std::uint32_t mip) {
  const auto at = [&](std::uint32_t n) { return std::max(mip < 32 ? n >> mip : 0u, 1u); };
  return {at(image.extent.width), at(image.extent.height), at(image.extent.depth)};
}

std::uint32_t layers_of(const Image& image, std::uint32_t mip, VkImageCreateFlags slices) {
  return image.type == VK_IMAGE_TYPE_3D && (image.flags & slices) != 0 ? mip_extent(image, mip).depth : image.layers;
}

Wrong check_bound(Validity& v, const char* member, ObjectId id) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  if (!image->bound) return std::string(member) + " is " + v.name(id) + ", which no memory is bound to";
  return v.was_freed(image->memory) ? std::string(member) + " is " + v.name(id) + ", whose memory was freed" : Wrong();
}

Wrong check_range(Validity& v, const char* member, ObjectId id, const VkImageSubresourceRange& range,
                  VkImageCreateFlags slices) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  const std::uint32_t layers = layers_of(*image, range.baseMipLevel, slices);
  const auto fits = [](std::uint32_t base, std::uint32_t count, std::uint32_t all) {
    return count == VK_REMAINING_MIP_LEVELS ? base < all : count != 0 && within(base, count, all);
  };
  if (fits(range.baseMipLevel, range.levelCount, image->mips) && fits(range.baseArrayLayer, range.layerCount, layers))
    return {};
  return std::string(member) + " is outside " + v.name(id) + ", which has " + std::to_string(image->mips) +
         " mips and " + std::to_string(layers) + " layers";
}

void add_image_checks(std::vector<Handler>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateImage)] = create_image;
  table[static_cast<std::size_t>(CommandId::vkCreateImageView)] = create_view;
  table[static_cast<std::size_t>(CommandId::vkCreateSwapchainKHR)] = create_swapchain;
}

}  // namespace rondo::player::validity
