// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves, clears and fills stay within their buffers and
// images. The two versions of a command differ in their structures only.
#include <algorithm>

#include "generated/args.h"
#include "player/validity/texels.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

Wrong outside_pass(Validity& v, const Call& c) {
  const CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  return commands == nullptr || commands->pass == CommandBuffer::Pass::none ? Wrong()
                                                                            : "within a render pass";
}

Wrong check_layers(Validity& v, const char* member, ObjectId id, const VkImageSubresourceLayers& layers) {
  if (Wrong w = check_bound(v, member, id); !w.empty()) return w;
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  // Formats of one kind of texels; of others, planes among them, not all aspects are known.
  constexpr VkImageAspectFlags kDepth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  const bool depth = image->format >= VK_FORMAT_D16_UNORM && image->format <= VK_FORMAT_D32_SFLOAT_S8_UINT;
  VkImageAspectFlags missing = depth ? ~kDepth : kDepth;
  if (!depth && block_of(image->format).bytes != 0) missing = ~VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
  if (image->format == VK_FORMAT_S8_UINT) missing |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (depth && image->format < VK_FORMAT_S8_UINT) missing |= VK_IMAGE_ASPECT_STENCIL_BIT;
  if (layers.aspectMask == 0 || (layers.aspectMask & missing) != 0)
    return std::string(member) + " names aspects that " + v.name(id) + " lacks";
  const std::uint32_t all =
      image->type == VK_IMAGE_TYPE_3D ? std::max(image->layers, image->extent.depth) : image->layers;
  const bool rest = layers.layerCount == VK_REMAINING_ARRAY_LAYERS;
  if (layers.mipLevel < image->mips && layers.layerCount != 0 &&
      within(layers.baseArrayLayer, rest ? 1 : layers.layerCount, all))
    return {};
  return std::string(member) + ": mip " + std::to_string(layers.mipLevel) + ", layers " +
         std::to_string(layers.baseArrayLayer) + " to " +
         std::to_string(std::uint64_t{layers.baseArrayLayer} + layers.layerCount) + " of " + v.name(id) +
         ", which has " + std::to_string(image->mips) + " mips and " + std::to_string(all) + " layers";
}

// `extent` in texels of this image. Whole blocks at the rim may reach beyond it.
Wrong check_texels(Validity& v, const char* member, ObjectId id, std::uint32_t mip, const VkOffset3D& offset,
                   const VkExtent3D& extent, bool depth_counts) {
  const Image* image = v.image(id);
  if (image == nullptr) return {};
  const VkExtent3D whole = mip_extent(*image, mip);
  const Block block = block_of(image->format);
  const auto fits = [](std::int32_t from, std::uint32_t size, std::uint32_t all, std::uint32_t unit) {
    return from >= 0 &&
           within(static_cast<std::uint32_t>(from), size, (std::uint64_t{all} + unit - 1) / unit * unit);
  };
  if (fits(offset.x, extent.width, whole.width, block.width) &&
      fits(offset.y, extent.height, whole.height, block.height) &&
      (!depth_counts || image->type != VK_IMAGE_TYPE_3D || fits(offset.z, extent.depth, whole.depth, 1)))
    return {};
  return std::string(member) + " has texels outside mip " + std::to_string(mip) + " of " + v.name(id) +
         ", which is " + std::to_string(whole.width) + "x" + std::to_string(whole.height) + "x" +
         std::to_string(whole.depth);
}

template <class Region>
Wrong copy_buffers(Validity& v, const Call& c, ObjectId from, ObjectId to, std::uint32_t count,
                   const Region* regions) {
  if (Wrong w = outside_pass(v, c); !w.empty()) return w;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (Wrong w = check_bytes(v, "srcBuffer", from, regions[i].srcOffset, regions[i].size); !w.empty())
      return w;
    if (Wrong w = check_bytes(v, "dstBuffer", to, regions[i].dstOffset, regions[i].size); !w.empty())
      return w;
  }
  return {};
}

template <class Region>
Wrong copy_buffer_image(Validity& v, const Call& c, ObjectId buffer, ObjectId image_id, std::uint32_t count,
                        const Region* regions) {
  if (Wrong w = outside_pass(v, c); !w.empty()) return w;
  const Image* image = v.image(image_id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "imageSubresource", image_id, r.imageSubresource); !w.empty()) return w;
    if (Wrong w = check_texels(v, "a region", image_id, r.imageSubresource.mipLevel, r.imageOffset,
                               r.imageExtent, true);
        !w.empty())
      return w;
    if (image != nullptr && image->type != VK_IMAGE_TYPE_3D &&
        (r.imageOffset.z != 0 || r.imageExtent.depth > 1))
      return "a region is deeper than " + v.name(image_id);
    // What the format's planes and aspects take is known of common ones only.
    const std::uint64_t bytes = image == nullptr
                                    ? 0
                                    : region_bytes(image->format, r.imageSubresource.aspectMask,
                                                   r.bufferRowLength, r.bufferImageHeight, r.imageExtent,
                                                   r.imageSubresource.layerCount == VK_REMAINING_ARRAY_LAYERS
                                                       ? image->layers - r.imageSubresource.baseArrayLayer
                                                       : r.imageSubresource.layerCount);
    if (Wrong w = check_bytes(v, "a region", buffer, r.bufferOffset, bytes); !w.empty()) return w;
  }
  return {};
}

template <class Region>
Wrong copy_images(Validity& v, const Call& c, ObjectId from, ObjectId to, std::uint32_t count,
                  const Region* regions) {
  if (Wrong w = outside_pass(v, c); !w.empty()) return w;
  const Image *source = v.image(from), *target = v.image(to);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "srcSubresource", from, r.srcSubresource); !w.empty()) return w;
    if (Wrong w = check_layers(v, "dstSubresource", to, r.dstSubresource); !w.empty()) return w;
    if (Wrong w = check_texels(v, "srcImage", from, r.srcSubresource.mipLevel, r.srcOffset, r.extent, true);
        !w.empty())
      return w;
    if (source == nullptr || target == nullptr) continue;
    const Block a = block_of(source->format), b = block_of(target->format);
    const VkExtent3D there{(r.extent.width + a.width - 1) / a.width * b.width,
                           (r.extent.height + a.height - 1) / a.height * b.height, r.extent.depth};
    if (Wrong w = check_texels(v, "dstImage", to, r.dstSubresource.mipLevel, r.dstOffset, there,
                               source->type == VK_IMAGE_TYPE_3D);
        !w.empty())
      return w;
  }
  return {};
}

template <class Region>
Wrong blit(Validity& v, const Call& c, ObjectId from, ObjectId to, std::uint32_t count,
           const Region* regions) {
  if (Wrong w = outside_pass(v, c); !w.empty()) return w;
  const auto corners = [&](const char* member, ObjectId id, std::uint32_t mip, const VkOffset3D* o) -> Wrong {
    for (int i = 0; i < 2; ++i)
      if (Wrong w = check_texels(v, member, id, mip, o[i], {0, 0, 0}, true); !w.empty()) return w;
    return {};
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    if (Wrong w = check_layers(v, "srcSubresource", from, r.srcSubresource); !w.empty()) return w;
    if (Wrong w = check_layers(v, "dstSubresource", to, r.dstSubresource); !w.empty()) return w;
    if (Wrong w = corners("srcOffsets", from, r.srcSubresource.mipLevel, r.srcOffsets); !w.empty()) return w;
    if (Wrong w = corners("dstOffsets", to, r.dstSubresource.mipLevel, r.dstOffsets); !w.empty()) return w;
  }
  return {};
}

Wrong copy_buffer_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyBuffer>();
  return copy_buffers(v, c, c.id(&a.srcBuffer), c.id(&a.dstBuffer), a.regionCount, a.pRegions);
}
Wrong copy_buffer_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
  return copy_buffers(v, c, c.id(&a.srcBuffer), c.id(&a.dstBuffer), a.regionCount, a.pRegions);
}
Wrong copy_to_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyBufferToImage>();
  return copy_buffer_image(v, c, c.id(&a.srcBuffer), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong copy_to_image_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo;
  return copy_buffer_image(v, c, c.id(&a.srcBuffer), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong copy_to_buffer_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyImageToBuffer>();
  return copy_buffer_image(v, c, c.id(&a.dstBuffer), c.id(&a.srcImage), a.regionCount, a.pRegions);
}
Wrong copy_to_buffer_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo;
  return copy_buffer_image(v, c, c.id(&a.dstBuffer), c.id(&a.srcImage), a.regionCount, a.pRegions);
}
Wrong copy_image_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdCopyImage>();
  return copy_images(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong copy_image_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdCopyImage2>().pCopyImageInfo;
  return copy_images(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong resolve_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdResolveImage>();
  return copy_images(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong resolve_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdResolveImage2>().pResolveImageInfo;
  return copy_images(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong blit_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBlitImage>();
  return blit(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}
Wrong blit_2(Validity& v, const Call& c) {
  const auto& a = *c.as<args_vkCmdBlitImage2>().pBlitImageInfo;
  return blit(v, c, c.id(&a.srcImage), c.id(&a.dstImage), a.regionCount, a.pRegions);
}

Wrong clear(Validity& v, const Call& c, ObjectId image, std::uint32_t count,
            const VkImageSubresourceRange* ranges) {
  if (Wrong w = outside_pass(v, c); !w.empty()) return w;
  if (Wrong w = check_bound(v, "image", image); !w.empty()) return w;
  for (std::uint32_t i = 0; i < count; ++i)
    if (Wrong w = check_range(v, "pRanges", image, ranges[i]); !w.empty()) return w;
  return {};
}
Wrong clear_color(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdClearColorImage>();
  return clear(v, c, c.id(&a.image), a.rangeCount, a.pRanges);
}
Wrong clear_depth(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdClearDepthStencilImage>();
  return clear(v, c, c.id(&a.image), a.rangeCount, a.pRanges);
}

// Fills and updates within a pass do not touch what it draws to: played as they are.
Wrong fill(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdFillBuffer>();
  const ObjectId id = c.id(&a.dstBuffer);
  if (Wrong w = check_bytes(v, "dstBuffer", id, a.dstOffset, a.size); !w.empty()) return w;
  const Buffer* buffer = v.buffers.find(id);
  // Sets no bytes: Vulkan has no such fill.
  if (a.size == 0 || (buffer != nullptr && a.dstOffset == buffer->bytes)) v.skip();
  return {};
}
Wrong update(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdUpdateBuffer>();
  if (a.dataSize == 0) v.skip();
  return check_bytes(v, "dstBuffer", c.id(&a.dstBuffer), a.dstOffset, a.dataSize);
}

}  // namespace

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
