// SPDX-License-Identifier: Apache-2.0
// Copies, blits, resolves, clears and fills (specification, "Copy Commands", "Clear Commands").
#include "model/effects/transfers.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "model/effects/shared.h"
#include "model/gpu/texels.h"

namespace rondo::model {

bool covers_all(const Image* image, const VkImageSubresourceLayers& layers, const VkOffset3D& offset,
                const VkExtent3D& extent) {
  if (image == nullptr || offset.x != 0 || offset.y != 0 || offset.z != 0) return false;
  const VkExtent3D whole = extent_of(*image, layers.aspectMask, layers.mipLevel);
  return extent.width >= whole.width && extent.height >= whole.height && extent.depth >= whole.depth &&
         whole.width != 0;
}

std::uint64_t region_bytes(const Image* image, const VkBufferImageCopy2& region) {
  if (image == nullptr) return VK_WHOLE_SIZE;
  const std::uint32_t layers = part_of(image, range_of(region.imageSubresource)).layerCount;
  const std::uint64_t bytes =
      gpu::region_bytes(image->format, region.imageSubresource.aspectMask, region.bufferRowLength,
                        region.bufferImageHeight, region.imageExtent, layers);
  return bytes != 0 ? bytes : VK_WHOLE_SIZE;
}

namespace {

constexpr VkPipelineStageFlags2 kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr VkAccessFlags2 kTransferRead = VK_ACCESS_2_TRANSFER_READ_BIT, kTransferWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;

constexpr std::uint32_t kMostBoxes = 64;  // regions of a command whose boxes are looked at

// With the texels of all regions of the same mip: a command touches a subresource once.
class Boxes {
 public:
  explicit Boxes(std::size_t regions) : are_wanted_(regions <= kMostBoxes) {}
  void add(std::uint32_t mip, const VkOffset3D& at, const VkExtent3D& size) {
    if (!are_wanted_) return;
    const auto fits = [](std::int32_t from, std::uint32_t length) {
      return from >= 0 && length != 0 && std::int64_t{from} + length <= UINT16_MAX;
    };
    if (!fits(at.x, size.width) || !fits(at.y, size.height) || !fits(at.z, size.depth)) {
      are_wanted_ = false;
      return;
    }
    const auto as = [](auto value) { return static_cast<std::uint16_t>(value); };
    const TexelBox box{as(at.x), as(at.y), as(at.z), as(size.width), as(size.height), as(size.depth)};
    for (auto& [of, all] : boxes_)
      if (of == mip) {
        join(all.x, all.width, box.x, box.width);
        join(all.y, all.height, box.y, box.height);
        join(all.z, all.depth, box.z, box.depth);
        return;
      }
    boxes_.emplace_back(mip, box);
  }
  TexelBox of(std::uint32_t mip) const {
    if (are_wanted_)
      for (const auto& [of, all] : boxes_)
        if (of == mip) return all;
    return {};
  }

 private:
  static void join(std::uint16_t& begin, std::uint16_t& length, std::uint16_t other, std::uint16_t other_length) {
    const int end = std::max(begin + length, other + other_length);
    begin = std::min(begin, other);
    length = static_cast<std::uint16_t>(end - begin);
  }
  std::vector<std::pair<std::uint32_t, TexelBox>> boxes_;  // by mip
  bool are_wanted_;
};

template <class Id>
void copy_buffer(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkCopyBufferInfo2& a = *c.template as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
  for (const VkBufferCopy2& r : std::span(a.pRegions, a.regionCount)) {
    e.touch_buffer(c.id(&a.srcBuffer), r.srcOffset, r.size, kCopy, kTransferRead);
    e.touch_buffer(c.id(&a.dstBuffer), r.dstOffset, r.size, kCopy, kTransferWrite, true);
  }
}

// Rows in the buffer may be further apart than they are long: what lies between them is kept.
bool is_dense(const VkBufferImageCopy2& r) {
  return (r.bufferRowLength == 0 || r.bufferRowLength == r.imageExtent.width) &&
         (r.bufferImageHeight == 0 || r.bufferImageHeight == r.imageExtent.height);
}

template <class Id>
void copy_to_image(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkCopyBufferToImageInfo2& a = *c.template as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo;
  const Id image = c.id(&a.dstImage);
  Boxes boxes(a.regionCount);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount))
    boxes.add(r.imageSubresource.mipLevel, r.imageOffset, r.imageExtent);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount)) {
    e.touch_buffer(c.id(&a.srcBuffer), r.bufferOffset, region_bytes(e.views.images.find(image), r), kCopy,
                   kTransferRead);
    e.touch_image(image, range_of(r.imageSubresource), kCopy, kTransferWrite,
                  covers_all(e.views.images.find(image), r.imageSubresource, r.imageOffset, r.imageExtent),
                  boxes.of(r.imageSubresource.mipLevel));
  }
}

template <class Id>
void copy_to_buffer(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkCopyImageToBufferInfo2& a = *c.template as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo;
  const Id image = c.id(&a.srcImage);
  Boxes boxes(a.regionCount);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount))
    boxes.add(r.imageSubresource.mipLevel, r.imageOffset, r.imageExtent);
  for (const VkBufferImageCopy2& r : std::span(a.pRegions, a.regionCount)) {
    const std::uint64_t bytes = region_bytes(e.views.images.find(image), r);
    e.touch_image(image, range_of(r.imageSubresource), kCopy, kTransferRead, false,
                  boxes.of(r.imageSubresource.mipLevel));
    e.touch_buffer(c.id(&a.dstBuffer), r.bufferOffset, bytes, kCopy, kTransferWrite,
                   bytes != VK_WHOLE_SIZE && is_dense(r));
  }
}

// Between a 3D image and layers the extents say the same, once as slices. Of formats of other blocks the extent is
// the source's: whether that is all of the target is only said where they are alike.
template <class Id, class Info>
void between_images(EffectsOf<Id>& e, const CallOf<Id>& c, const Info& a, VkPipelineStageFlags2 stage) {
  const Id from = c.id(&a.srcImage), to = c.id(&a.dstImage);
  const Image *source = e.views.images.find(from), *target = e.views.images.find(to);
  const bool alike =
      source != nullptr && target != nullptr && source->format == target->format && source->type == target->type;
  // Of other images, or of one image with itself, nothing is said of texels.
  Boxes read(a.regionCount), written(a.regionCount);
  if (alike && from != to)
    for (const auto& r : std::span(a.pRegions, a.regionCount)) {
      read.add(r.srcSubresource.mipLevel, r.srcOffset, r.extent);
      written.add(r.dstSubresource.mipLevel, r.dstOffset, r.extent);
    }
  for (const auto& r : std::span(a.pRegions, a.regionCount)) {
    e.touch_image(from, range_of(r.srcSubresource), stage, kTransferRead, false, read.of(r.srcSubresource.mipLevel));
    e.touch_image(to, range_of(r.dstSubresource), stage, kTransferWrite,
                  alike && covers_all(target, r.dstSubresource, r.dstOffset, r.extent),
                  written.of(r.dstSubresource.mipLevel));
  }
}

template <class Id>
void copy_image(EffectsOf<Id>& e, const CallOf<Id>& c) {
  between_images(e, c, *c.template as<args_vkCmdCopyImage2>().pCopyImageInfo, kCopy);
}

template <class Id>
void resolve(EffectsOf<Id>& e, const CallOf<Id>& c) {
  between_images(e, c, *c.template as<args_vkCmdResolveImage2>().pResolveImageInfo, VK_PIPELINE_STAGE_2_RESOLVE_BIT);
}

template <class Id>
void blit(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const VkBlitImageInfo2& a = *c.template as<args_vkCmdBlitImage2>().pBlitImageInfo;
  const Id to = c.id(&a.dstImage);
  for (const VkImageBlit2& r : std::span(a.pRegions, a.regionCount)) {
    const auto lowest = [&](std::int32_t VkOffset3D::*axis) {
      return std::min(r.dstOffsets[0].*axis, r.dstOffsets[1].*axis);
    };
    const auto length = [&](std::int32_t VkOffset3D::*axis) {
      return static_cast<std::uint32_t>(std::abs(std::int64_t{r.dstOffsets[1].*axis} - r.dstOffsets[0].*axis));
    };
    const VkOffset3D offset{lowest(&VkOffset3D::x), lowest(&VkOffset3D::y), lowest(&VkOffset3D::z)};
    const VkExtent3D extent{length(&VkOffset3D::x), length(&VkOffset3D::y), length(&VkOffset3D::z)};
    e.touch_image(c.id(&a.srcImage), range_of(r.srcSubresource), VK_PIPELINE_STAGE_2_BLIT_BIT, kTransferRead);
    e.touch_image(to, range_of(r.dstSubresource), VK_PIPELINE_STAGE_2_BLIT_BIT, kTransferWrite,
                  covers_all(e.views.images.find(to), r.dstSubresource, offset, extent));
  }
}

template <class Id, class Args>
void clear(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<Args>();
  for (const VkImageSubresourceRange& range : std::span(a.pRanges, a.rangeCount))
    e.touch_image(c.id(&a.image), range, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

// Whole words: what is left at the end of a buffer is not filled.
template <class Id>
void fill(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdFillBuffer>();
  const Id buffer = c.id(&a.dstBuffer);
  const std::uint64_t bytes = e.views.bytes_of(buffer, a.dstOffset, a.size);
  e.touch_buffer(buffer, a.dstOffset, bytes - bytes % 4, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

template <class Id>
void update(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdUpdateBuffer>();
  e.touch_buffer(c.id(&a.dstBuffer), a.dstOffset, a.dataSize, VK_PIPELINE_STAGE_2_CLEAR_BIT, kTransferWrite, true);
}

}  // namespace

template <class Id>
void add_transfers(SharedHandlers<Id>& handlers) {
  add(handlers, CommandId::vkCmdCopyBuffer2, copy_buffer<Id>, kTouches);
  add(handlers, CommandId::vkCmdCopyBufferToImage2, copy_to_image<Id>, kTouches);
  add(handlers, CommandId::vkCmdCopyImageToBuffer2, copy_to_buffer<Id>, kTouches);
  add(handlers, CommandId::vkCmdCopyImage2, copy_image<Id>, kTouches);
  add(handlers, CommandId::vkCmdResolveImage2, resolve<Id>, kTouches);
  add(handlers, CommandId::vkCmdBlitImage2, blit<Id>, kTouches);
  add(handlers, CommandId::vkCmdClearColorImage, clear<Id, args_vkCmdClearColorImage>, kTouches);
  add(handlers, CommandId::vkCmdClearDepthStencilImage, clear<Id, args_vkCmdClearDepthStencilImage>, kTouches);
  add(handlers, CommandId::vkCmdFillBuffer, fill<Id>, kTouches);
  add(handlers, CommandId::vkCmdUpdateBuffer, update<Id>, kTouches);
}

template void add_transfers(SharedHandlers<ObjectId>&);
template void add_transfers(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
