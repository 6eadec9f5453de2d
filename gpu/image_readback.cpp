// SPDX-License-Identifier: Apache-2.0
#include "gpu/image_readback.h"

namespace rondo::gpu {

std::optional<std::uint32_t> texel_bytes(VkFormat format) {
  // Vulkan 1.0 numbers its formats in order of their layout.
  struct Range {
    VkFormat last;
    std::uint32_t bytes;
  };
  static constexpr Range ranges[] = {
      {VK_FORMAT_UNDEFINED, 0},
      {VK_FORMAT_R4G4_UNORM_PACK8, 1},
      {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2},
      {VK_FORMAT_R8_SRGB, 1},
      {VK_FORMAT_R8G8_SRGB, 2},
      {VK_FORMAT_B8G8R8_SRGB, 3},
      {VK_FORMAT_A2B10G10R10_SINT_PACK32, 4},
      {VK_FORMAT_R16_SFLOAT, 2},
      {VK_FORMAT_R16G16_SFLOAT, 4},
      {VK_FORMAT_R16G16B16_SFLOAT, 6},
      {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
      {VK_FORMAT_R32_SFLOAT, 4},
      {VK_FORMAT_R32G32_SFLOAT, 8},
      {VK_FORMAT_R32G32B32_SFLOAT, 12},
      {VK_FORMAT_R32G32B32A32_SFLOAT, 16},
      {VK_FORMAT_R64_SFLOAT, 8},
      {VK_FORMAT_R64G64_SFLOAT, 16},
      {VK_FORMAT_R64G64B64_SFLOAT, 24},
      {VK_FORMAT_R64G64B64A64_SFLOAT, 32},
      {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4},
  };
  for (const Range& range : ranges)
    if (format <= range.last) return range.bytes == 0 ? std::nullopt : std::optional(range.bytes);
  return std::nullopt;
}

ImageReadback::ImageReadback(const Access& access, std::uint32_t queue_family)
    : access_(access), commands_(access, queue_family) {}

ImageReadback::~ImageReadback() {
  commands_.destroy();
  release();
}

void ImageReadback::release() {
  const Dispatch& vk = *access_.dispatch;
  if (buffer_ != VK_NULL_HANDLE) vk.vkDestroyBuffer(access_.device, buffer_, nullptr);
  if (memory_ != VK_NULL_HANDLE) vk.vkFreeMemory(access_.device, memory_, nullptr);
  buffer_ = VK_NULL_HANDLE;
  memory_ = VK_NULL_HANDLE;
  mapped_ = nullptr;
  capacity_ = 0;
}

Result<void> ImageReadback::grow(VkDeviceSize bytes) {
  if (bytes <= capacity_) return {};
  release();
  const Dispatch& vk = *access_.dispatch;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (VkResult r = vk.vkCreateBuffer(access_.device, &info, nullptr, &buffer_); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkCreateBuffer for a readback", r));
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(access_.device, buffer_, &needs);
  // Reading uncached memory is slow: prefer cached, take any visible one.
  std::uint32_t type =
      find_memory_type(access_.memory, needs.memoryTypeBits,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (type == UINT32_MAX)
    type = find_memory_type(access_.memory, needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  if (type == UINT32_MAX) {
    release();
    return fail(Status::device, "no host-visible memory type for a readback buffer");
  }
  coherent_ = (access_.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  VkResult r = vk.vkAllocateMemory(access_.device, &allocate, nullptr, &memory_);
  if (r == VK_SUCCESS) r = vk.vkBindBufferMemory(access_.device, buffer_, memory_, 0);
  if (r == VK_SUCCESS) r = vk.vkMapMemory(access_.device, memory_, 0, VK_WHOLE_SIZE, 0, &mapped_);
  if (r != VK_SUCCESS) {
    release();
    return fail(Status::failed, describe("memory for a readback", r));
  }
  capacity_ = bytes;
  return {};
}

Result<std::span<const std::byte>> ImageReadback::read(VkQueue queue, const ImageSource& source,
                                                       std::span<const VkSemaphore> wait) {
  const Dispatch& vk = *access_.dispatch;
  const auto texel = texel_bytes(source.format);
  if (!texel)
    return fail(Status::failed,
                "format " + std::to_string(static_cast<int>(source.format)) + " cannot be read back");
  const VkDeviceSize bytes =
      VkDeviceSize{*texel} * source.extent.width * source.extent.height * source.extent.depth;
  RONDO_TRY(grow(bytes));
  auto begun = commands_.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  const VkCommandBuffer commands = *begun;

  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.oldLayout = source.layout;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = source.image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, source.layer, 1};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0,
                          nullptr, 0, nullptr, 1, &barrier);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, source.layer, 1};
  copy.imageExtent = source.extent;
  vk.vkCmdCopyImageToBuffer(commands, source.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer_, 1, &copy);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  barrier.newLayout = source.layout;
  VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_HOST_READ_BIT};
  vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                          nullptr, 1, &barrier);
  RONDO_TRY(commands_.submit_and_wait(queue, wait));
  if (!coherent_) {
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory_, 0, VK_WHOLE_SIZE};
    if (VkResult r = vk.vkInvalidateMappedMemoryRanges(access_.device, 1, &range); r != VK_SUCCESS)
      return fail(Status::failed, describe("vkInvalidateMappedMemoryRanges", r));
  }
  return std::span<const std::byte>(static_cast<const std::byte*>(mapped_), static_cast<std::size_t>(bytes));
}

}  // namespace rondo::gpu
