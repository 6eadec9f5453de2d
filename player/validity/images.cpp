// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

Wrong create_image(Validity& v, const Call& c) {
  const VkImageCreateInfo& info = *c.as<args_vkCreateImage>().pCreateInfo;
  const VkExtent3D& e = info.extent;
  if (e.width == 0 || e.height == 0 || e.depth == 0) return "makes an image without texels";
  if (info.arrayLayers == 0) return "makes an image without layers";
  const auto most = static_cast<std::uint32_t>(std::bit_width(std::max({e.width, e.height, e.depth})));
  if (info.mipLevels == 0 || info.mipLevels > most)
    return "mipLevels is " + std::to_string(info.mipLevels) + ", and the image can have 1 to " +
           std::to_string(most);
  if (!std::has_single_bit(static_cast<std::uint32_t>(info.samples)))
    return "samples is " + std::to_string(info.samples) + ", not one count";
  if ((info.imageType == VK_IMAGE_TYPE_1D && (e.height != 1 || e.depth != 1)) ||
      (info.imageType == VK_IMAGE_TYPE_2D && e.depth != 1))
    return "extent has more dimensions than imageType";
  const ObjectId id = c.created();
  if (id == 0) return {};
  Image& image = v.images.make(id);
  image.type = info.imageType;
  image.format = info.format;
  image.extent = e;
  image.mips = info.mipLevels;
  image.layers = info.arrayLayers;
  image.flags = info.flags;
  image.samples = info.samples;
  image.bound = (info.flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) != 0;
  return {};
}

Wrong create_swapchain(Validity& v, const Call& c) {
  const VkSwapchainCreateInfoKHR& info = *c.as<args_vkCreateSwapchainKHR>().pCreateInfo;
  const ObjectId id = c.created();
  if (id == 0) return {};
  Image& image = v.swapchains.make(id);
  image.format = info.imageFormat;
  image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image.layers = std::max(info.imageArrayLayers, 1u);
  image.bound = true;
  return {};
}

Wrong create_view(Validity& v, const Call& c) {
  const VkImageViewCreateInfo& info = *c.as<args_vkCreateImageView>().pCreateInfo;
  const ObjectId image_id = c.id(&info.image);
  if (Wrong w = check_bound(v, "image", image_id); !w.empty()) return w;
  if (Wrong w = check_range(v, "subresourceRange", image_id, info.subresourceRange); !w.empty()) return w;
  if (info.subresourceRange.aspectMask == 0) return "aspectMask is 0";
  const ObjectId id = c.created();
  if (id == 0) return {};
  ImageView& view = v.image_views.make(id);
  view.image = image_id;
  v.hold(image_id, id);
  view.format = info.format;
  // A view of a compressed image in an uncompressed format counts in blocks.
  if (const Image* image = v.image(image_id);
      image != nullptr && (image->flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) == 0) {
    const VkImageSubresourceRange& range = info.subresourceRange;
    view.extent = mip_extent(*image, range.baseMipLevel);
    view.layers = range.layerCount != VK_REMAINING_ARRAY_LAYERS
                      ? range.layerCount
                      : layers_of(*image, range.baseMipLevel) - range.baseArrayLayer;
  }
  return {};
}

}  // namespace

VkExtent3D mip_extent(const Image& image, std::uint32_t mip) {
  const auto at = [&](std::uint32_t n) { return std::max(mip < 32 ? n >> mip : 0u, 1u); };
  return {at(image.extent.width), at(image.extent.height), at(image.extent.depth)};
}

// Slices of a 3D image may be seen as layers.
std::uint32_t layers_of(const Image& image, std::uint32_t mip) {
  return image.type == VK_IMAGE_TYPE_3D ? mip_extent(image, mip).depth : image.layers;
}

Wrong check_bound(Validity& v, const char* member, ObjectId id) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  if (!image->bound) return std::string(member) + " is " + v.name(id) + ", which no memory is bound to";
  return v.was_freed(image->memory) ? std::string(member) + " is " + v.name(id) + ", whose memory was freed"
                                    : Wrong();
}

Wrong check_range(Validity& v, const char* member, ObjectId id, const VkImageSubresourceRange& range) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  const std::uint32_t layers = layers_of(*image, range.baseMipLevel);
  const auto fits = [](std::uint32_t base, std::uint32_t count, std::uint32_t all) {
    return count == VK_REMAINING_MIP_LEVELS ? base < all : count != 0 && within(base, count, all);
  };
  if (fits(range.baseMipLevel, range.levelCount, image->mips) &&
      fits(range.baseArrayLayer, range.layerCount, layers))
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
