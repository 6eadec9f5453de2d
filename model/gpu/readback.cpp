// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/readback.h"

#include <algorithm>

#include "model/gpu/layouts.h"
#include "model/gpu/samples.h"
#include "model/gpu/texels.h"

namespace rondo::gpu {

namespace {

constexpr VkDeviceSize kReadAtOnce = 32 << 20;
// Offsets of copies from images are multiples of a texel and of 4.
constexpr VkDeviceSize kReadAlignment = 96;

VkDeviceSize room_for(const Source& source) {
  return (bytes_of(source) + kReadAlignment - 1) / kReadAlignment * kReadAlignment;
}

// The unused bits of these are anything.
bool has_unused_byte(const ImageSource& source) {
  return source.aspect == VK_IMAGE_ASPECT_DEPTH_BIT &&
         (source.format == VK_FORMAT_X8_D24_UNORM_PACK32 || source.format == VK_FORMAT_D24_UNORM_S8_UINT);
}

}  // namespace

VkDeviceSize bytes_of(const Source& source) {
  if (const auto* buffer = std::get_if<BufferSource>(&source)) return buffer->size;
  const auto& image = std::get<ImageSource>(source);
  return region_bytes(image.format, image.aspect, 0, 0, image.extent, 1) * static_cast<VkDeviceSize>(image.samples);
}

bool has_samples(const Source& source) {
  const auto* image = std::get_if<ImageSource>(&source);
  return image != nullptr && image->samples != VK_SAMPLE_COUNT_1_BIT;
}

Readback::Readback(const Access& access, std::uint32_t queue_family)
    : access_(access),
      family_(queue_family),
      staging_(access, VK_BUFFER_USAGE_TRANSFER_DST_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, "a readback"),
      commands_(access, queue_family) {}

Readback::~Readback() = default;

Result<std::span<const std::byte>> Readback::read_samples(VkQueue queue, const ImageSource& source) {
  if (samples_ == nullptr) samples_ = std::make_unique<Samples>(access_, family_);
  texels_.resize(static_cast<std::size_t>(bytes_of(source)));
  RONDO_TRY(samples_->read(queue, source, texels_));
  return std::span<const std::byte>(texels_);
}

Result<void> Readback::copy(VkQueue queue, std::span<const Source> sources, std::span<const VkSemaphore> wait) {
  const Dispatch& vk = *access_.dispatch;
  VkDeviceSize needed = 0;
  for (const Source& source : sources) needed += room_for(source);
  auto begun = commands_.begin();  // first: what is pending may still write to the buffer
  if (!begun) return tl::unexpected<Error>(begun.error());
  RONDO_TRY(staging_.grow(needed));
  const VkCommandBuffer commands = *begun;

  const VkMemoryBarrier from_all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                                 VK_ACCESS_TRANSFER_READ_BIT};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &from_all,
                          0, nullptr, 0, nullptr);
  VkDeviceSize at = 0;
  for (const Source& source : sources) {
    if (const auto* buffer = std::get_if<BufferSource>(&source)) {
      const VkBufferCopy region{buffer->offset, at, buffer->size};
      vk.vkCmdCopyBuffer(commands, buffer->buffer, staging_.buffer(), 1, &region);
    } else {
      const auto& image = std::get<ImageSource>(source);
      begin_use(vk, commands, image, kReadByCopies);
      VkBufferImageCopy region{};
      region.bufferOffset = at;
      region.imageSubresource = {image.aspect, image.mip, image.layer, 1};
      region.imageExtent = image.extent;
      vk.vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, staging_.buffer(), 1,
                                &region);
      end_use(vk, commands, image, kReadByCopies);
    }
    at += room_for(source);
  }
  const VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                VK_ACCESS_HOST_READ_BIT};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                          nullptr, 0, nullptr);
  RONDO_TRY(commands_.submit_and_wait(queue, wait));
  return staging_.invalidate();
}

std::span<const std::byte> Readback::take(const Source& source, VkDeviceSize& at) const {
  const std::span<std::byte> bytes(staging_.mapped() + at, static_cast<std::size_t>(bytes_of(source)));
  if (const auto* image = std::get_if<ImageSource>(&source); image != nullptr && has_unused_byte(*image))
    for (std::size_t i = 3; i < bytes.size(); i += 4) bytes[i] = std::byte{0};
  at += room_for(source);
  return bytes;
}

Result<std::span<const std::byte>> Readback::read(VkQueue queue, const ImageSource& source,
                                                  std::span<const VkSemaphore> wait) {
  const Source one = source;
  if (bytes_of(one) == 0)
    return fail(Status::failed, "format " + std::to_string(static_cast<int>(source.format)) + " cannot be read back");
  RONDO_TRY(copy(queue, {&one, 1}, wait));
  VkDeviceSize at = 0;
  return take(one, at);
}

Result<void> Readback::read_all(VkQueue queue, std::span<const Source> sources,
                                const std::function<void(std::size_t, std::span<const std::byte>)>& visit) {
  for (std::size_t first = 0; first < sources.size();) {
    if (has_samples(sources[first])) {
      const auto texels = read_samples(queue, std::get<ImageSource>(sources[first]));
      if (!texels) return tl::unexpected<Error>(texels.error());
      visit(first++, *texels);
      continue;
    }
    VkDeviceSize bytes = 0;
    std::size_t last = first;
    for (; last < sources.size() && !has_samples(sources[last]) &&
           (last == first || bytes + room_for(sources[last]) <= kReadAtOnce);
         ++last)
      bytes += room_for(sources[last]);
    RONDO_TRY(copy(queue, sources.subspan(first, last - first), {}));
    VkDeviceSize at = 0;
    for (; first < last; ++first) visit(first, take(sources[first], at));
  }
  return {};
}

}  // namespace rondo::gpu
