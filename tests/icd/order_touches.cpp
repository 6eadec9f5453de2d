// SPDX-License-Identifier: Apache-2.0
// What transfers read and write.
#include "tests/icd/order_touches.h"

#include <algorithm>

#include "tests/icd/queries.h"

using namespace rondo;  // args_vk…

namespace fake::order {
namespace {

Touches transfer(Stages stages, Ranges read, Ranges written) {
  return {{stages, VK_ACCESS_2_TRANSFER_READ_BIT, false, std::move(read)},
          {stages, VK_ACCESS_2_TRANSFER_WRITE_BIT, true, std::move(written)}};
}

template <class Region>
Touches of_buffer_copy(VkBuffer from_handle, VkBuffer to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Buffer>(from_handle), to = get<Buffer>(to_handle);
  Ranges read, written;
  for (std::uint32_t i = 0; i < count; ++i) {
    add_bytes(read, from.get(), regions[i].srcOffset, regions[i].size);
    add_bytes(written, to.get(), regions[i].dstOffset, regions[i].size);
  }
  return transfer(VK_PIPELINE_STAGE_2_COPY_BIT, std::move(read), std::move(written));
}

// The rows of a region in the buffer.
template <class Region>
void add_packed(Ranges& to, const Buffer& buffer, const Region& region, const Box& box) {
  const auto blocks = [](std::uint32_t texels, std::uint32_t of_block) { return (texels + of_block - 1) / of_block; };
  const VkDeviceSize row =
      region.bufferRowLength == 0 ? box.width : blocks(region.bufferRowLength, box.plane->block_width);
  const VkDeviceSize rows =
      region.bufferImageHeight == 0 ? box.height : blocks(region.bufferImageHeight, box.plane->block_height);
  for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
    for (std::uint32_t y = 0; y < box.height; ++y)
      add_bytes(to, &buffer, region.bufferOffset + (slice * rows + y) * row * box.block_bytes, box.row_bytes());
}

template <class Region>
Touches of_buffer_image_copy(VkBuffer buffer_handle, VkImage image_handle, const Region* regions, std::uint32_t count,
                             bool to_image) {
  const auto buffer = get<Buffer>(buffer_handle);
  const auto image = get<Image>(image_handle);
  if (buffer == nullptr || image == nullptr) return {};
  Ranges of_buffer, of_image;
  for (std::uint32_t i = 0; i < count; ++i) {
    const VkImageSubresourceLayers& sub = regions[i].imageSubresource;
    for (const VkImageAspectFlagBits aspect : aspects_of(*image, sub.aspectMask)) {
      const Box box = box_of(*image, aspect, sub.mipLevel, sub.baseArrayLayer, sub.layerCount, regions[i].imageOffset,
                             regions[i].imageExtent);
      if (box.empty()) continue;
      add_box(of_image, box);
      add_packed(of_buffer, *buffer, regions[i], box);
    }
  }
  if (to_image) std::swap(of_buffer, of_image);
  return transfer(VK_PIPELINE_STAGE_2_COPY_BIT, std::move(of_image), std::move(of_buffer));
}

// Whole slices of a level: more than the region where it is smaller. A part of what is written is written.
void add_level(Ranges& to, const Image& image, const VkImageSubresourceLayers& sub) {
  add_subresources(to, image, {sub.aspectMask, sub.mipLevel, 1, sub.baseArrayLayer, sub.layerCount});
}

void add_region(Ranges& to, const Image& image, const VkImageSubresourceLayers& sub, const VkOffset3D& offset,
                const VkExtent3D& extent) {
  for (const VkImageAspectFlagBits aspect : aspects_of(image, sub.aspectMask))
    add_box(to, box_of(image, aspect, sub.mipLevel, sub.baseArrayLayer, sub.layerCount, offset, extent));
}

template <class Region>
Touches of_image_copy(VkImage from_handle, VkImage to_handle, const Region* regions, std::uint32_t count,
                      Stages stage) {
  const auto from = get<Image>(from_handle), to = get<Image>(to_handle);
  if (from == nullptr || to == nullptr) return {};
  Ranges read, written;
  for (std::uint32_t i = 0; i < count; ++i) {
    add_region(read, *from, regions[i].srcSubresource, regions[i].srcOffset, regions[i].extent);
    // Layers of one image may be slices of the other, and blocks may have other extents: then the whole level.
    if (from->format == to->format && from->image_type == to->image_type)
      add_region(written, *to, regions[i].dstSubresource, regions[i].dstOffset, regions[i].extent);
    else
      add_level(written, *to, regions[i].dstSubresource);
  }
  return transfer(stage, std::move(read), std::move(written));
}

template <class Region>
Touches of_blit(VkImage from_handle, VkImage to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Image>(from_handle), to = get<Image>(to_handle);
  if (from == nullptr || to == nullptr) return {};
  Ranges read, written;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    add_level(read, *from, r.srcSubresource);
    const VkOffset3D &a = r.dstOffsets[0], &b = r.dstOffsets[1];
    const auto size = [](std::int32_t x, std::int32_t y) { return static_cast<std::uint32_t>(std::abs(x - y)); };
    add_region(written, *to, r.dstSubresource, {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
               {size(a.x, b.x), size(a.y, b.y), size(a.z, b.z)});
  }
  return transfer(VK_PIPELINE_STAGE_2_BLIT_BIT, std::move(read), std::move(written));
}

Touches of_clear(VkImage handle, const VkImageSubresourceRange* ranges, std::uint32_t count) {
  const auto image = get<Image>(handle);
  if (image == nullptr) return {};
  Ranges written;
  for (std::uint32_t i = 0; i < count; ++i) add_subresources(written, *image, ranges[i]);
  return transfer(VK_PIPELINE_STAGE_2_CLEAR_BIT, {}, std::move(written));
}

Touches of_fill(VkBuffer handle, VkDeviceSize offset, VkDeviceSize size) {
  Ranges written;
  add_bytes(written, get<Buffer>(handle).get(), offset, size);
  // The specification says TRANSFER: any of its stages.
  return transfer(VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_COPY_BIT, {}, std::move(written));
}

Touches of_query_copy(const args_vkCmdCopyQueryPoolResults& a) {
  const auto pool = get<QueryPool>(a.queryPool);
  if (pool == nullptr) return {};
  const VkDeviceSize one = pool->value_bytes(a.flags) *
                           (pool->values() + VkDeviceSize{(a.flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0});
  Ranges written;
  for (std::uint32_t i = 0; i < a.queryCount; ++i)
    add_bytes(written, get<Buffer>(a.dstBuffer).get(), a.dstOffset + i * a.stride, one);
  return transfer(VK_PIPELINE_STAGE_2_COPY_BIT, {}, std::move(written));
}

}  // namespace

Stages transfer_stages(CommandId id) {
  switch (id) {
    case CommandId::vkCmdFillBuffer:
    case CommandId::vkCmdUpdateBuffer:
      return VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_COPY_BIT;
    case CommandId::vkCmdCopyBuffer:
    case CommandId::vkCmdCopyBuffer2:
    case CommandId::vkCmdCopyImage:
    case CommandId::vkCmdCopyImage2:
    case CommandId::vkCmdCopyBufferToImage:
    case CommandId::vkCmdCopyBufferToImage2:
    case CommandId::vkCmdCopyImageToBuffer:
    case CommandId::vkCmdCopyImageToBuffer2:
    case CommandId::vkCmdCopyQueryPoolResults:
      return VK_PIPELINE_STAGE_2_COPY_BIT;
    case CommandId::vkCmdBlitImage:
    case CommandId::vkCmdBlitImage2:
      return VK_PIPELINE_STAGE_2_BLIT_BIT;
    case CommandId::vkCmdResolveImage:
    case CommandId::vkCmdResolveImage2:
      return VK_PIPELINE_STAGE_2_RESOLVE_BIT;
    case CommandId::vkCmdClearColorImage:
    case CommandId::vkCmdClearDepthStencilImage:
      return VK_PIPELINE_STAGE_2_CLEAR_BIT;
    default:
      return 0;
  }
}

Touches touches_of_transfer(const Arguments& arguments) {
  switch (arguments.command()) {
    case CommandId::vkCmdFillBuffer: {
      const auto& a = arguments.as<args_vkCmdFillBuffer>();
      return of_fill(a.dstBuffer, a.dstOffset, a.size);
    }
    case CommandId::vkCmdUpdateBuffer: {
      const auto& a = arguments.as<args_vkCmdUpdateBuffer>();
      return of_fill(a.dstBuffer, a.dstOffset, a.dataSize);
    }
    case CommandId::vkCmdCopyBuffer: {
      const auto& a = arguments.as<args_vkCmdCopyBuffer>();
      return of_buffer_copy(a.srcBuffer, a.dstBuffer, a.pRegions, a.regionCount);
    }
    case CommandId::vkCmdCopyBuffer2: {
      const VkCopyBufferInfo2& i = *arguments.as<args_vkCmdCopyBuffer2>().pCopyBufferInfo;
      return of_buffer_copy(i.srcBuffer, i.dstBuffer, i.pRegions, i.regionCount);
    }
    case CommandId::vkCmdCopyImage: {
      const auto& a = arguments.as<args_vkCmdCopyImage>();
      return of_image_copy(a.srcImage, a.dstImage, a.pRegions, a.regionCount, VK_PIPELINE_STAGE_2_COPY_BIT);
    }
    case CommandId::vkCmdCopyImage2: {
      const VkCopyImageInfo2& i = *arguments.as<args_vkCmdCopyImage2>().pCopyImageInfo;
      return of_image_copy(i.srcImage, i.dstImage, i.pRegions, i.regionCount, VK_PIPELINE_STAGE_2_COPY_BIT);
    }
    case CommandId::vkCmdCopyBufferToImage: {
      const auto& a = arguments.as<args_vkCmdCopyBufferToImage>();
      return of_buffer_image_copy(a.srcBuffer, a.dstImage, a.pRegions, a.regionCount, true);
    }
    case CommandId::vkCmdCopyBufferToImage2: {
      const VkCopyBufferToImageInfo2& i = *arguments.as<args_vkCmdCopyBufferToImage2>().pCopyBufferToImageInfo;
      return of_buffer_image_copy(i.srcBuffer, i.dstImage, i.pRegions, i.regionCount, true);
    }
    case CommandId::vkCmdCopyImageToBuffer: {
      const auto& a = arguments.as<args_vkCmdCopyImageToBuffer>();
      return of_buffer_image_copy(a.dstBuffer, a.srcImage, a.pRegions, a.regionCount, false);
    }
    case CommandId::vkCmdCopyImageToBuffer2: {
      const VkCopyImageToBufferInfo2& i = *arguments.as<args_vkCmdCopyImageToBuffer2>().pCopyImageToBufferInfo;
      return of_buffer_image_copy(i.dstBuffer, i.srcImage, i.pRegions, i.regionCount, false);
    }
    case CommandId::vkCmdBlitImage: {
      const auto& a = arguments.as<args_vkCmdBlitImage>();
      return of_blit(a.srcImage, a.dstImage, a.pRegions, a.regionCount);
    }
    case CommandId::vkCmdBlitImage2: {
      const VkBlitImageInfo2& i = *arguments.as<args_vkCmdBlitImage2>().pBlitImageInfo;
      return of_blit(i.srcImage, i.dstImage, i.pRegions, i.regionCount);
    }
    case CommandId::vkCmdResolveImage: {
      const auto& a = arguments.as<args_vkCmdResolveImage>();
      return of_image_copy(a.srcImage, a.dstImage, a.pRegions, a.regionCount, VK_PIPELINE_STAGE_2_RESOLVE_BIT);
    }
    case CommandId::vkCmdResolveImage2: {
      const VkResolveImageInfo2& i = *arguments.as<args_vkCmdResolveImage2>().pResolveImageInfo;
      return of_image_copy(i.srcImage, i.dstImage, i.pRegions, i.regionCount, VK_PIPELINE_STAGE_2_RESOLVE_BIT);
    }
    case CommandId::vkCmdClearColorImage: {
      const auto& a = arguments.as<args_vkCmdClearColorImage>();
      return of_clear(a.image, a.pRanges, a.rangeCount);
    }
    case CommandId::vkCmdClearDepthStencilImage: {
      const auto& a = arguments.as<args_vkCmdClearDepthStencilImage>();
      return of_clear(a.image, a.pRanges, a.rangeCount);
    }
    case CommandId::vkCmdCopyQueryPoolResults:
      return of_query_copy(arguments.as<args_vkCmdCopyQueryPoolResults>());
    default:
      return {};
  }
}

}  // namespace fake::order
