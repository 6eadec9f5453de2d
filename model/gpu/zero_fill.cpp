// SPDX-License-Identifier: Apache-2.0
#include "model/gpu/zero_fill.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace rondo::gpu {

namespace {

// Of anonymous memory the contents go with the pages; of shared memory they stay, and are zeros by now.
void give_back(void* mapped, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t from = (begin + page - 1) & ~(page - 1), to = (begin + bytes) & ~(page - 1);
  // Not the C library's madvise(): in a captured program the preload shim leads that to the layer.
  if (from < to) ::syscall(SYS_madvise, from, to - from, MADV_DONTNEED);
}

Result<void> by_host(const Access& access, VkDeviceMemory memory, VkDeviceSize bytes, bool coherent, HostPages pages) {
  const Dispatch& vk = *access.dispatch;
  void* mapped = nullptr;
  if (VkResult r = vk.vkMapMemory(access.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkMapMemory to zero an allocation", r));
  std::memset(mapped, 0, static_cast<std::size_t>(bytes));
  if (pages == HostPages::give_back) give_back(mapped, static_cast<std::size_t>(bytes));
  VkResult r = VK_SUCCESS;
  if (!coherent) {
    const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, 0, VK_WHOLE_SIZE};
    r = vk.vkFlushMappedMemoryRanges(access.device, 1, &range);
  }
  vk.vkUnmapMemory(access.device, memory);
  if (r != VK_SUCCESS) return fail(Status::failed, describe("vkFlushMappedMemoryRanges", r));
  return {};
}

Result<void> fill(const Access& access, VkDeviceMemory memory, VkBuffer buffer, VkQueue queue, OneShot& commands) {
  const Dispatch& vk = *access.dispatch;
  if (VkResult r = vk.vkBindBufferMemory(access.device, buffer, memory, 0); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkBindBufferMemory to zero an allocation", r));
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  vk.vkCmdFillBuffer(*begun, buffer, 0, VK_WHOLE_SIZE, 0);
  return commands.submit_and_wait(queue, {});
}

}  // namespace

bool can_zero(const VkMemoryAllocateInfo& info, VkMemoryPropertyFlags flags) {
  if ((flags & (VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT)) != 0) return false;
  const bool mapped = (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    switch (s->sType) {
      case VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR:
      case VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT:
        return false;
      case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO: {
        const auto* dedicated = reinterpret_cast<const VkMemoryDedicatedAllocateInfo*>(s);
        if (!mapped && (dedicated->buffer != VK_NULL_HANDLE || dedicated->image != VK_NULL_HANDLE)) return false;
        break;
      }
      case VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO:
        if (!mapped && reinterpret_cast<const VkExportMemoryAllocateInfo*>(s)->handleTypes != 0) return false;
        break;
      case VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO:
        // A mapping of it may need all its devices to be peers.
        if ((reinterpret_cast<const VkMemoryAllocateFlagsInfo*>(s)->flags & VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT) != 0)
          return false;
        break;
      default:
        break;
    }
  }
  return true;
}

Result<void> zero_fill(const Access& access, VkDeviceMemory memory, VkDeviceSize bytes, std::uint32_t memory_type,
                       VkQueue queue, OneShot* commands, HostPages pages) {
  const Dispatch& vk = *access.dispatch;
  const VkMemoryPropertyFlags flags = access.memory.memoryTypes[memory_type].propertyFlags;
  if ((flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0)
    return by_host(access, memory, bytes, (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0, pages);
  if (commands == nullptr || queue == VK_NULL_HANDLE)
    return fail(Status::failed, "no queue to zero a device-local allocation with");

  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes & ~VkDeviceSize{3};  // vkCmdFillBuffer writes words
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (info.size == 0) return {};
  VkBuffer buffer = VK_NULL_HANDLE;
  if (VkResult r = vk.vkCreateBuffer(access.device, &info, nullptr, &buffer); r != VK_SUCCESS)
    return fail(Status::failed, describe("vkCreateBuffer to zero an allocation", r));
  VkMemoryRequirements needs;
  vk.vkGetBufferMemoryRequirements(access.device, buffer, &needs);
  Result<void> done;
  if ((needs.memoryTypeBits >> memory_type & 1u) == 0 || needs.size > bytes)
    done = fail(Status::device, "memory type " + std::to_string(memory_type) +
                                    " holds no buffers: an allocation of it cannot be zeroed");
  else
    done = fill(access, memory, buffer, queue, *commands);
  vk.vkDestroyBuffer(access.device, buffer, nullptr);
  return done;
}

Result<void> zero_swapchain_image(const Access& access, VkImage image, VkQueue queue, OneShot& commands,
                                  std::span<const VkSemaphore> wait, std::span<const VkSemaphore> signal) {
  const Dispatch& vk = *access.dispatch;
  auto begun = commands.begin();
  if (!begun) return tl::unexpected<Error>(begun.error());
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, VK_REMAINING_ARRAY_LAYERS};
  vk.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                          nullptr, 1, &barrier);
  const VkClearColorValue zeros{};
  vk.vkCmdClearColorImage(*begun, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &zeros, 1, &barrier.subresourceRange);
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
  vk.vkCmdPipelineBarrier(*begun, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                          nullptr, 1, &barrier);
  return commands.submit_and_wait(queue, wait, signal);
}

}  // namespace rondo::gpu
