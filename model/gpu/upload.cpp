// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/upload.h"

#include <algorithm>
#include <cstring>

#include "model/gpu/layouts.h"
#include "model/gpu/texels.h"

namespace rondo::gpu {

namespace {

constexpr VkDeviceSize kUploadAtOnce = VkDeviceSize{8} << 20;

std::uint32_t blocks(std::uint32_t texels, std::uint32_t block) { return (texels + block - 1) / block; }

}  // namespace

Upload::Upload(const Access& access, std::uint32_t queue_family, VkExtent3D granularity)
    : access_(access),
      staging_(access, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, 0, "an upload"),
      commands_(access, queue_family),
      granularity_(granularity) {}

Result<void> Upload::copy(VkQueue queue, const ImageSource& to, const VkBufferImageCopy& region,
                          std::span<const std::byte> texels) {
  const Dispatch& vk = *access_.dispatch;
  auto begun = commands_.begin();  // first: what is pending may still read the buffer
  if (!begun) return tl::unexpected<Error>(begun.error());
  RONDO_TRY(staging_.grow(std::max<VkDeviceSize>(texels.size(), kUploadAtOnce)));
  std::memcpy(staging_.mapped(), texels.data(), texels.size());
  RONDO_TRY(staging_.flush());
  begin_use(vk, *begun, to, kWrittenByCopies);
  vk.vkCmdCopyBufferToImage(*begun, staging_.buffer(), to.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
  end_use(vk, *begun, to, kWrittenByCopies);
  return commands_.submit_and_wait(queue, {});
}

Result<void> Upload::write(VkQueue queue, const ImageSource& to, std::span<const std::byte> texels) {
  if (bytes_of(Source(to)) != texels.size() || texels.empty())
    return fail(Status::failed, "format " + std::to_string(static_cast<int>(to.format)) + " has other texels");
  const Block block = block_of(to.format, to.aspect);
  const std::uint32_t rows = blocks(to.extent.height, block.height);
  const VkDeviceSize row = VkDeviceSize{blocks(to.extent.width, block.width)} * block.bytes;
  const bool whole_only = granularity_.width == 0;
  // Whole slices where several fit, else rows of one.
  std::uint32_t slices_at_once = 1, rows_at_once = rows;
  if (whole_only || row * rows * to.extent.depth <= kUploadAtOnce) {
    slices_at_once = to.extent.depth;
  } else if (row * rows <= kUploadAtOnce) {
    slices_at_once = static_cast<std::uint32_t>(kUploadAtOnce / (row * rows));
    slices_at_once = std::max(slices_at_once / granularity_.depth, 1u) * granularity_.depth;
  } else {
    slices_at_once = granularity_.depth;
    rows_at_once = static_cast<std::uint32_t>(std::max<VkDeviceSize>(kUploadAtOnce / (row * slices_at_once), 1));
    rows_at_once = std::max(rows_at_once / granularity_.height, 1u) * granularity_.height;
  }
  std::vector<std::byte> gathered;  // rows of several slices, which do not lie side by side
  for (std::uint32_t z = 0; z < to.extent.depth; z += slices_at_once) {
    const std::uint32_t depth = std::min(slices_at_once, to.extent.depth - z);
    for (std::uint32_t y = 0; y < rows; y += rows_at_once) {
      const std::uint32_t count = std::min(rows_at_once, rows - y);
      const std::size_t piece = static_cast<std::size_t>(row * count);
      std::span<const std::byte> bytes = texels.subspan(static_cast<std::size_t>(row * (VkDeviceSize{z} * rows + y)));
      if (count == rows || depth == 1) {
        bytes = bytes.first(piece * depth);
      } else {
        gathered.clear();
        for (std::uint32_t d = 0; d < depth; ++d) {
          const auto part = bytes.subspan(static_cast<std::size_t>(row) * rows * d, piece);
          gathered.insert(gathered.end(), part.begin(), part.end());
        }
        bytes = gathered;
      }
      VkBufferImageCopy region{};
      region.imageSubresource = {to.aspect, to.mip, to.layer, 1};
      region.imageOffset = {0, static_cast<std::int32_t>(y * block.height), static_cast<std::int32_t>(z)};
      region.imageExtent = {to.extent.width, std::min(count * block.height, to.extent.height - y * block.height),
                            depth};
      RONDO_TRY(copy(queue, to, region, bytes));
    }
  }
  return {};
}

}  // namespace rondo::gpu
