// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves, clears and fills (specification, "Copy Commands", "Clear Commands").
#include "model/access/transfers.h"

#include <algorithm>
#include <cstdlib>

#include "generated/args.h"
#include "model/gpu/texels.h"

namespace rondo::access {

bool covers_all(Tracker& t, ObjectId id, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent) {
  const Image* image = t.images.find(id);
  if (image == nullptr || offset.x != 0 || offset.y != 0 || offset.z != 0) return false;
  const VkExtent3D whole = t.extent_of(*image, layers.aspectMask, layers.mipLevel);
  return extent.width >= whole.width && extent.height >= whole.height && extent.depth >= whole.depth &&
         whole.width != 0;
}

std::uint64_t region_bytes(Tracker& t, ObjectId id, const VkBufferImageCopy2& region) {
  const Image* image = t.images.find(id);
  if (image == nullptr) return VK_WHOLE_SIZE;
  const std::uint32_t layers = t.part_of(id, range_of(region.imageSubresource)).layerCount;
  const std::uint64_t bytes =
      gpu::region_bytes(image->format, region.imageSubresource.aspectMask, region.bufferRowLength,
                        region.bufferImageHeight, region.imageExtent, layers);
  return bytes != 0 ? bytes : VK_WHOLE_SIZE;
}

namespace {

constexpr VkPipelineStageFlags2 kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr VkAccessFlags2 kTransferRead = VK_ACCESS_2_TRANSFER_READ_BIT, kTransferWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;

void copy_buffer(Tracker& t, const Call& c) {
  const VkCopyBufferInfo2& a = *c.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
  for (const VkBufferCopy2& r : std::span(a.pRegions, a.regionCount)) {
    t.touch_buffer(c, c.id(&a.srcBuffer), r.srcOffset, r.size, kCopy, kTransferRead);
    t.touch_buffer(c, c.id(&a.dstBuffer), r.dstOffset, r.size, kCopy, kTransferWrite, true);
  }
}

// Rows in the buffer may be further apart than they are long: what lies between them is kept.
bool is_dense(const VkBufferImageCopy2& r) {
  return (r.bufferRowLength == 0 || r.bufferRowLength == r.imageExtent.width) &&
         (r.bufferImageHeight == 0 || r.bufferImageHeight == r.imageExtent.height);
}

void copy_to_image(Tracker& t, const Call& c) {
  const VkCopyBufferToImageInfo2& a = *c.as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo;
  const ObjectId image = c.id(&a.dstImage);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount)) {
    t.touch_buffer(c, c.id(&a.srcBuffer), r.bufferOffset, region_bytes(t, image, r), kCopy, kTransferRead);
    t.touch_image(c, image, range_of(r.imageSubresource), kCopy, kTransferWrite,
                  covers_all(t, image, r.imageSubresource, r.imageOffset, r.imageExtent));
  }
}

void copy_to_buffer(Tracker& t, const Call& c) {
  const VkCopyImageToBufferInfo2& a = *c.as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo;
  const ObjectId image = c.id(&a.srcImage);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount)) {
    const std::uint64_t bytes = region_bytes(t, image, r);
    t.touch_image(c, image, range_of(r.imageSubresource), kCopy, kTransferRead);
    t.touch_buffer(c, c.id(&a.dstBuffer), r.bufferOffset, bytes, kCopy, kTransferWrite,
                   bytes != VK_WHOLE_SIZE && is_dense(r));
  }
}

// Between a 3D image and layers the extents say the same, once as slices. Of formats of other blocks the extent is
// the source's: whether that is all of the target is only said where they are alike.
template <class Info>
void between_images(Tracker& t, const Call& c, const Info& a, VkPipelineStageFlags2 stage) {
  const ObjectId from = c.id(&a.srcImage), to = c.id(&a.dstImage);
  const Image *source = t.images.find(from), *target = t.images.find(to);
  const bool alike =
      source != nullptr && target != nullptr && source->format == target->format && source->type == target->type;
  for (const auto& r : std::span(a.pRegions, a.regionCount)) {
    t.touch_image(c, from, range_of(r.srcSubresource), stage, kTransferRead);
    t.touch_image(c, to, range_of(r.dstSubresource), stage, kTransferWrite,
                  alike && covers_all(t, to, r.dstSubresource, r.dstOffset, r.extent));
  }
}

void copy_image(Tracker& t, const Call& c) {
  between_images(t, c, *c.as<args_vkCmdCopyImage2>().pCopyImageInfo, kCopy);
}

void resolve(Tracker& t, const Call& c) {
  between_images(t, c, *c.as<args_vkCmdResolveImage2>().pResolveImageInfo, VK_PIPELINE_STAGE_2_RESOLVE_BIT);
}

void blit(Tracker& t, const Call& c) {
  const VkBlitImageInfo2& a = *c.as<args_vkCmdBlitImage2>().pBlitImageInfo;
  const ObjectId to = c.id(&a.dstImage);
  for (const VkImageBlit2& r : std::span(a.pRegions, a.regionCount)) {
    const auto lowest = [&](std::int32_t VkOffset3D::*axis) {
      return std::min(r.dstOffsets[0].*axis, r.dstOffsets[1].*axis);
    };
    const auto length = [&](std::int32_t VkOffset3D::*axis) {
      return static_cast<std::uint32_t>(std::abs(std::int64_t{r.dstOffsets[1].*axis} - r.dstOffsets[0].*axis));
    };
    const VkOffset3D offset{lowest(&VkOffset3D::x), lowest(&VkOffset3D::y), lowest(&VkOffset3D::z)};
    const VkExtent3D extent{length(&VkOffset3D::x), length(&VkOffset3D::y), length(&VkOffset3D::z)};
    t.touch_image(c, c.id(&a.srcImage), range_of(r.srcSubresource), VK_PIPELINE_STAGE_2_BLIT_BIT, kTransferRead);
    t.touch_image(c, to, range_of(r.dstSubresource), VK_PIPELINE_STAGE_2_BLIT_BIT, kTransferWrite,
                  covers_all(t, to, r.dstSubresource, offset, extent));
  }
}

template <class Args>
void clear(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  for (const VkImageSubresourceRange& range : std::span(a.pRanges, a.rangeCount))
    t.touch_image(c, c.id(&a.image), range, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

// Whole words: what is left at the end of a buffer is not filled.
void fill(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdFillBuffer>();
  const ObjectId buffer = c.id(&a.dstBuffer);
  const std::uint64_t bytes = t.bytes_of(buffer, a.dstOffset, a.size);
  t.touch_buffer(c, buffer, a.dstOffset, bytes - bytes % 4, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

void update(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdUpdateBuffer>();
  t.touch_buffer(c, c.id(&a.dstBuffer), a.dstOffset, a.dataSize, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

}  // namespace

void add_transfers(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdCopyBuffer2, copy_buffer);
  add(CommandId::vkCmdCopyBufferToImage2, copy_to_image);
  add(CommandId::vkCmdCopyImageToBuffer2, copy_to_buffer);
  add(CommandId::vkCmdCopyImage2, copy_image);
  add(CommandId::vkCmdResolveImage2, resolve);
  add(CommandId::vkCmdBlitImage2, blit);
  add(CommandId::vkCmdClearColorImage, clear<args_vkCmdClearColorImage>);
  add(CommandId::vkCmdClearDepthStencilImage, clear<args_vkCmdClearDepthStencilImage>);
  add(CommandId::vkCmdFillBuffer, fill);
  add(CommandId::vkCmdUpdateBuffer, update);
}

}  // namespace rondo::access
