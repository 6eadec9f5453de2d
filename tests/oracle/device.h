// SPDX-License-Identifier: Apache-2.0
// One device as the oracle knows it: the driver's commands, and what is allocated.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace oracle {

// The next one's commands that the oracle calls or forwards.
// clang-format off
#define ORACLE_DEVICE_COMMANDS(X) \
  X(DestroyDevice) X(GetDeviceQueue) X(AllocateMemory) X(FreeMemory) X(MapMemory) X(UnmapMemory) \
  X(FlushMappedMemoryRanges) X(InvalidateMappedMemoryRanges) X(BindBufferMemory) X(BindImageMemory) \
  X(BindBufferMemory2) X(BindImageMemory2) X(BindBufferMemory2KHR) X(BindImageMemory2KHR) X(CreateBuffer) \
  X(DestroyBuffer) X(GetBufferMemoryRequirements) X(CreateCommandPool) X(DestroyCommandPool) \
  X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(CmdFillBuffer) X(CmdCopyBuffer) \
  X(CmdPipelineBarrier) X(QueueSubmit) X(CreateFence) X(DestroyFence) X(WaitForFences)
// clang-format on

struct Commands {
#define X(name) PFN_vk##name name = nullptr;
  ORACLE_DEVICE_COMMANDS(X)
#undef X
  PFN_vkGetDeviceProcAddr GetDeviceProcAddr = nullptr;
};

struct Allocation {
  std::uint64_t number = 0;  // from 1, over the process
  VkDeviceSize size = 0;     // as the program asked
  VkDeviceSize room = 0;     // as the driver gave
  std::uint32_t type = 0;
  bool dedicated = false;  // nothing else may be bound to it
  bool mapped = false;
  bool bound = false;
  struct Bytes {
    VkDeviceSize from, to;
  };
  std::vector<Bytes> drivers_own;  // what a driver preprocesses lies there: no two runs have the same
};

struct Device {
  VkDevice handle = VK_NULL_HANDLE;
  Commands next;
  VkPhysicalDeviceMemoryProperties memory{};
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;

  // A queue of the oracle's own, for memory that the host cannot map: nothing of
  // the program's is in it, so nothing can block it. Null: there was none left.
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::mutex queue_lock;

  std::mutex lock;  // guards:
  std::unordered_map<VkDeviceMemory, Allocation> allocations;
  std::unordered_map<VkBuffer, VkDeviceSize> preprocess_buffers;  // their bytes

  VkMemoryPropertyFlags flags_of(std::uint32_t type) const {
    return type < memory.memoryTypeCount ? memory.memoryTypes[type].propertyFlags : 0;
  }
};

}  // namespace oracle
