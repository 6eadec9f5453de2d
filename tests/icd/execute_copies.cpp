// SPDX-License-Identifier: Apache-2.0
// Copies between buffers and images, fills and updates.
#include <algorithm>
#include <cstring>

#include "tests/icd/access.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

void fill(Execution&, const args_vkCmdFillBuffer& a) {
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (buffer == nullptr) return;
  const std::span<std::byte> to = bytes_of(*buffer, a.dstOffset, a.size);
  // Words, whole and after all that came before: the host may poll one.
  for (std::size_t at = 0; at + sizeof a.data <= to.size(); at += sizeof a.data)
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(to.data() + at), a.data, __ATOMIC_RELEASE);
}

void update(Execution&, const args_vkCmdUpdateBuffer& a) {
  const auto buffer = get<Buffer>(a.dstBuffer);
  if (buffer == nullptr) return;
  const std::span<std::byte> to = bytes_of(*buffer, a.dstOffset, a.dataSize);
  if (!to.empty()) std::memcpy(to.data(), a.pData, to.size());
}

template <class Region>
void copy_buffers(VkBuffer from_handle, VkBuffer to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Buffer>(from_handle), to = get<Buffer>(to_handle);
  if (from == nullptr || to == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto source = bytes_of(*from, regions[i].srcOffset, regions[i].size);
    const auto target = bytes_of(*to, regions[i].dstOffset, regions[i].size);
    if (!source.empty() && source.size() == target.size()) std::memmove(target.data(), source.data(), source.size());
  }
}

// Where the blocks of a region lie in a buffer.
struct Packed {
  VkDeviceSize row_pitch = 0, slice_pitch = 0, size = 0;
};

template <class Region>
Packed packed(const Region& region, const Box& box) {
  const Plane& plane = *box.plane;
  const auto blocks = [](std::uint32_t texels, std::uint32_t of_block) { return (texels + of_block - 1) / of_block; };
  const std::uint32_t row = region.bufferRowLength == 0 ? box.width : blocks(region.bufferRowLength, plane.block_width);
  const std::uint32_t rows =
      region.bufferImageHeight == 0 ? box.height : blocks(region.bufferImageHeight, plane.block_height);
  Packed p;
  p.row_pitch = row * box.block_bytes;
  p.slice_pitch = rows * p.row_pitch;
  p.size = (box.slices.size() - 1) * p.slice_pitch + (box.height - std::uint64_t{1}) * p.row_pitch + box.row_bytes();
  return p;
}

template <class Region>
void copy_buffer_image(VkBuffer buffer_handle, VkImage image_handle, const Region* regions, std::uint32_t count,
                       bool to_image) {
  const auto buffer = get<Buffer>(buffer_handle);
  const auto image = get<Image>(image_handle);
  if (buffer == nullptr || image == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& region = regions[i];
    const VkImageSubresourceLayers& sub = region.imageSubresource;
    for (const VkImageAspectFlagBits aspect : aspects_of(*image, sub.aspectMask)) {
      const Box box = box_of(*image, aspect, sub.mipLevel, sub.baseArrayLayer, sub.layerCount, region.imageOffset,
                             region.imageExtent);
      if (box.empty() || box.width == 0 || box.height == 0) continue;
      const Packed layout = packed(region, box);
      const auto bytes = bytes_of(*buffer, region.bufferOffset, layout.size);
      if (bytes.empty()) continue;
      for (std::size_t slice = 0; slice < box.slices.size(); ++slice)
        for (std::uint32_t y = 0; y < box.height; ++y) {
          std::byte* packed_row = bytes.data() + slice * layout.slice_pitch + y * layout.row_pitch;
          if (to_image)
            std::memmove(box.row(slice, y), packed_row, box.row_bytes());
          else
            std::memmove(packed_row, box.row(slice, y), box.row_bytes());
        }
    }
  }
}

// Formats of one block size are one another's bytes; so the source's blocks are
// the target's, whatever their extents in texels.
template <class Region>
void copy_images(VkImage from_handle, VkImage to_handle, const Region* regions, std::uint32_t count) {
  const auto from = get<Image>(from_handle), to = get<Image>(to_handle);
  if (from == nullptr || to == nullptr) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& r = regions[i];
    const auto sources = aspects_of(*from, r.srcSubresource.aspectMask);
    const auto targets = aspects_of(*to, r.dstSubresource.aspectMask);
    for (std::size_t a = 0; a < std::min(sources.size(), targets.size()); ++a) {
      const Box source = box_of(*from, sources[a], r.srcSubresource.mipLevel, r.srcSubresource.baseArrayLayer,
                                r.srcSubresource.layerCount, r.srcOffset, r.extent);
      if (source.empty()) continue;
      const Image::Layout layout = to->layout(targets[a], r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer);
      if (layout.plane == nullptr) continue;
      const auto slices = static_cast<std::uint32_t>(source.slices.size());
      const bool volume = to->image_type == VK_IMAGE_TYPE_3D;
      // The last blocks of a row may reach beyond the level's edge.
      const auto left = [](std::uint32_t whole, std::int32_t offset) {
        return whole - std::min(whole, static_cast<std::uint32_t>(std::max(offset, 0)));
      };
      const VkExtent3D extent{
          std::min(source.width * layout.plane->block_width, left(layout.extent.width, r.dstOffset.x)),
          std::min(source.height * layout.plane->block_height, left(layout.extent.height, r.dstOffset.y)), slices};
      const Box target = box_of(*to, targets[a], r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer,
                                volume ? 1 : slices, r.dstOffset, extent);
      if (target.empty()) continue;
      if (source.block_bytes != target.block_bytes || source.width != target.width || source.height != target.height) {
        violation("copies between images whose blocks do not match");
        continue;
      }
      for (std::size_t slice = 0; slice < slices; ++slice)
        for (std::uint32_t y = 0; y < source.height; ++y)
          std::memmove(target.row(slice, y), source.row(slice, y), source.row_bytes());
    }
  }
}

void copy_buffer(Execution&, const args_vkCmdCopyBuffer& a) {
  copy_buffers(a.srcBuffer, a.dstBuffer, a.pRegions, a.regionCount);
}
void copy_buffer2(Execution&, const args_vkCmdCopyBuffer2& a) {
  const VkCopyBufferInfo2& i = *a.pCopyBufferInfo;
  copy_buffers(i.srcBuffer, i.dstBuffer, i.pRegions, i.regionCount);
}
void copy_image(Execution&, const args_vkCmdCopyImage& a) {
  copy_images(a.srcImage, a.dstImage, a.pRegions, a.regionCount);
}
void copy_image2(Execution&, const args_vkCmdCopyImage2& a) {
  const VkCopyImageInfo2& i = *a.pCopyImageInfo;
  copy_images(i.srcImage, i.dstImage, i.pRegions, i.regionCount);
}
void buffer_to_image(Execution&, const args_vkCmdCopyBufferToImage& a) {
  copy_buffer_image(a.srcBuffer, a.dstImage, a.pRegions, a.regionCount, true);
}
void buffer_to_image2(Execution&, const args_vkCmdCopyBufferToImage2& a) {
  const VkCopyBufferToImageInfo2& i = *a.pCopyBufferToImageInfo;
  copy_buffer_image(i.srcBuffer, i.dstImage, i.pRegions, i.regionCount, true);
}
void image_to_buffer(Execution&, const args_vkCmdCopyImageToBuffer& a) {
  copy_buffer_image(a.dstBuffer, a.srcImage, a.pRegions, a.regionCount, false);
}
void image_to_buffer2(Execution&, const args_vkCmdCopyImageToBuffer2& a) {
  const VkCopyImageToBufferInfo2& i = *a.pCopyImageToBufferInfo;
  copy_buffer_image(i.dstBuffer, i.srcImage, i.pRegions, i.regionCount, false);
}

}  // namespace

void install_copies(Table& table) {
  execute<fill>(table, CommandId::vkCmdFillBuffer);
  execute<update>(table, CommandId::vkCmdUpdateBuffer);
  execute<copy_buffer>(table, CommandId::vkCmdCopyBuffer);
  execute<copy_buffer2>(table, CommandId::vkCmdCopyBuffer2);
  execute<copy_image>(table, CommandId::vkCmdCopyImage);
  execute<copy_image2>(table, CommandId::vkCmdCopyImage2);
  execute<buffer_to_image>(table, CommandId::vkCmdCopyBufferToImage);
  execute<buffer_to_image2>(table, CommandId::vkCmdCopyBufferToImage2);
  execute<image_to_buffer>(table, CommandId::vkCmdCopyImageToBuffer);
  execute<image_to_buffer2>(table, CommandId::vkCmdCopyImageToBuffer2);
}

}  // namespace fake
