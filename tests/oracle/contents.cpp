// SPDX-License-Identifier: Apache-2.0
#include "contents.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace oracle {

namespace {

constexpr const char* kNoCover = "it cannot be mapped, and no buffer lies over all of it";

VkMappedMemoryRange whole(VkDeviceMemory memory) {
  return {VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, 0, VK_WHOLE_SIZE};
}

// Maps all of it around `touch`.
std::string through_mapping(Device& device, VkDeviceMemory memory, std::uint32_t type, bool write,
                            const std::function<void(unsigned char*)>& touch) {
  const bool coherent = (device.flags_of(type) & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) != 0;
  const VkMappedMemoryRange range = whole(memory);
  void* mapped = nullptr;
  if (device.next.MapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS)
    return "it cannot be mapped";
  bool ok = coherent || write || device.next.InvalidateMappedMemoryRanges(device.handle, 1, &range) == VK_SUCCESS;
  if (ok) touch(static_cast<unsigned char*>(mapped));
  if (ok && write && !coherent) ok = device.next.FlushMappedMemoryRanges(device.handle, 1, &range) == VK_SUCCESS;
  device.next.UnmapMemory(device.handle, memory);
  return ok ? "" : "its caches cannot be flushed";
}

// Fills write whole words.
VkDeviceSize whole_words(VkDeviceSize size) { return (size + 3) / 4 * 4; }

VkBuffer create_buffer(const Device& device, VkDeviceSize size) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (size == 0 || device.next.CreateBuffer(device.handle, &info, nullptr, &buffer) != VK_SUCCESS)
    return VK_NULL_HANDLE;
  return buffer;
}

VkMemoryRequirements needs_of(const Device& device, VkBuffer buffer) {
  VkMemoryRequirements needs{};
  if (buffer != VK_NULL_HANDLE) device.next.GetBufferMemoryRequirements(device.handle, buffer, &needs);
  return needs;
}

// A buffer over the first `size` bytes of memory that has `room`: all of them or none.
class Cover {
 public:
  Cover(Device& device, VkDeviceMemory memory, VkDeviceSize room, std::uint32_t type, VkDeviceSize size)
      : buffer(create_buffer(device, size)), device_(device) {
    const VkMemoryRequirements needs = needs_of(device, buffer);
    ok = (needs.memoryTypeBits >> type & 1u) != 0 && needs.size <= room &&
         device.next.BindBufferMemory(device.handle, buffer, memory, 0) == VK_SUCCESS;
  }
  ~Cover() { device_.next.DestroyBuffer(device_.handle, buffer, nullptr); }
  Cover(const Cover&) = delete;
  Cover& operator=(const Cover&) = delete;

  const VkBuffer buffer;
  bool ok = false;

 private:
  Device& device_;
};

// Records with `record`, submits to the oracle's queue and waits.
bool execute(Device& device, const std::function<void(VkCommandBuffer)>& record) {
  const Commands& vk = device.next;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  const VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, device.family};
  const VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  bool ok = vk.CreateCommandPool(device.handle, &pool_info, nullptr, &pool) == VK_SUCCESS &&
            vk.CreateFence(device.handle, &fence_info, nullptr, &fence) == VK_SUCCESS;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (ok) {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    ok = vk.AllocateCommandBuffers(device.handle, &info, &commands) == VK_SUCCESS &&
         device.set_loader_data(device.handle, commands) == VK_SUCCESS;
  }
  if (ok) {
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
    ok = vk.BeginCommandBuffer(commands, &begin) == VK_SUCCESS;
  }
  if (ok) {
    record(commands);
    const VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
    const std::lock_guard lock(device.queue_lock);
    ok = vk.EndCommandBuffer(commands) == VK_SUCCESS && vk.QueueSubmit(device.queue, 1, &submit, fence) == VK_SUCCESS &&
         vk.WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX) == VK_SUCCESS;
  }
  vk.DestroyFence(device.handle, fence, nullptr);
  vk.DestroyCommandPool(device.handle, pool, nullptr);
  return ok;
}

std::string why_no_commands(const Device& device, const Allocation& allocation) {
  const VkMemoryPropertyFlags flags = device.flags_of(allocation.type);
  if ((flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0) return "it is protected";
  if ((flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT) != 0) return "it is lazily allocated";
  if (allocation.dedicated) return "it cannot be mapped and is dedicated to one resource";
  if (device.queue == VK_NULL_HANDLE) return "it cannot be mapped and no queue is left for the oracle";
  return "";
}

// Copies `size` bytes into memory that can be mapped, and looks at that.
std::string read_by_commands(Device& device, const Cover& from, VkDeviceSize size,
                             const std::function<void(const unsigned char*, std::size_t)>& look) {
  std::string why = "no memory to read it through";
  for (std::uint32_t type = 0; type < device.memory.memoryTypeCount && !why.empty(); ++type) {
    if (!mappable(device, type)) continue;
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, room_to_read(device, size), type};
    VkDeviceMemory staging = VK_NULL_HANDLE;
    if (device.next.AllocateMemory(device.handle, &info, nullptr, &staging) != VK_SUCCESS) continue;
    {
      const Cover to(device, staging, info.allocationSize, type, size);
      const auto copy = [&](VkCommandBuffer commands) {
        const VkBufferCopy all{0, 0, size};
        device.next.CmdCopyBuffer(commands, from.buffer, to.buffer, 1, &all);
        const VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                      VK_ACCESS_HOST_READ_BIT};
        device.next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                       &barrier, 0, nullptr, 0, nullptr);
      };
      if (to.ok)
        why = execute(device, copy)
                  ? through_mapping(device, staging, type, false,
                                    [&](unsigned char* bytes) { look(bytes, static_cast<std::size_t>(size)); })
                  : "the copy failed";
    }
    device.next.FreeMemory(device.handle, staging, nullptr);
  }
  return why;
}

}  // namespace

bool mappable(const Device& device, std::uint32_t type) {
  return (device.flags_of(type) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0;
}

VkDeviceSize room_to_read(const Device& device, VkDeviceSize size) {
  const VkBuffer cover = create_buffer(device, whole_words(size));
  const VkDeviceSize needed = needs_of(device, cover).size;
  device.next.DestroyBuffer(device.handle, cover, nullptr);
  return std::max(size, needed);
}

std::string zero(Device& device, VkDeviceMemory memory, const Allocation& allocation) {
  if (mappable(device, allocation.type))
    return through_mapping(device, memory, allocation.type, true, [&](unsigned char* bytes) {
      std::memset(bytes, 0, static_cast<std::size_t>(allocation.size));
    });
  if (std::string why = why_no_commands(device, allocation); !why.empty()) return why;
  const Cover cover(device, memory, allocation.room, allocation.type, whole_words(allocation.size));
  if (!cover.ok) return kNoCover;
  const auto fill = [&](VkCommandBuffer commands) {
    device.next.CmdFillBuffer(commands, cover.buffer, 0, VK_WHOLE_SIZE, 0);
  };
  return execute(device, fill) ? "" : "the fill failed";
}

std::string read(Device& device, VkDeviceMemory memory, const Allocation& allocation,
                 const std::function<void(const unsigned char*, std::size_t)>& look) {
  if (mappable(device, allocation.type))
    return through_mapping(device, memory, allocation.type, false,
                           [&](unsigned char* bytes) { look(bytes, static_cast<std::size_t>(allocation.size)); });
  if (std::string why = why_no_commands(device, allocation); !why.empty()) return why;
  const Cover cover(device, memory, allocation.room, allocation.type, allocation.size);
  if (!cover.ok) return kNoCover;
  return read_by_commands(device, cover, allocation.size, look);
}

}  // namespace oracle
