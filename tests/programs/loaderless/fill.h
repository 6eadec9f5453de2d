// SPDX-License-Identifier: Apache-2.0
// A program's work without a loader: over a driver's own entry points, found by whoever includes this.
#pragma once

#include <vulkan/vk_icd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "relro.h"

namespace program {

#define RONDO_GET(name) const auto name = reinterpret_cast<PFN_##name>(get(instance, #name))
#define RONDO_DO(call)                                              \
  do {                                                              \
    if (const VkResult r = (call); r != VK_SUCCESS) {               \
      std::fprintf(stderr, "%s: %d\n", #call, static_cast<int>(r)); \
      return 1;                                                     \
    }                                                               \
  } while (false)

// Fills a buffer in two submits, reads it, prints its sum, and looks whether all that was read-only is so still. 0, or
// what the process ends with.
inline int fill_directly(PFN_vkGetInstanceProcAddr get) {
  VkInstance instance = VK_NULL_HANDLE;
  const auto vkCreateInstance = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  if (vkCreateInstance == nullptr) return 1;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "direct";
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo instance_info{};
  instance_info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  instance_info.pApplicationInfo = &application;
  RONDO_DO(vkCreateInstance(&instance_info, nullptr, &instance));
  RONDO_GET(vkEnumeratePhysicalDevices);
  RONDO_GET(vkGetPhysicalDeviceMemoryProperties);
  RONDO_GET(vkCreateDevice);
  RONDO_GET(vkGetDeviceProcAddr);
  RONDO_GET(vkDestroyInstance);
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  if (const VkResult r = vkEnumeratePhysicalDevices(instance, &count, &physical); r < 0 || count == 0) return 1;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue_info{};
  queue_info.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue_info.queueCount = 1;
  queue_info.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info{};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue_info;
  VkDevice device = VK_NULL_HANDLE;
  RONDO_DO(vkCreateDevice(physical, &device_info, nullptr, &device));
#define RONDO_OF_DEVICE(name) const auto name = reinterpret_cast<PFN_##name>(vkGetDeviceProcAddr(device, #name))
  RONDO_OF_DEVICE(vkGetDeviceQueue);
  RONDO_OF_DEVICE(vkCreateBuffer);
  RONDO_OF_DEVICE(vkGetBufferMemoryRequirements);
  RONDO_OF_DEVICE(vkAllocateMemory);
  RONDO_OF_DEVICE(vkBindBufferMemory);
  RONDO_OF_DEVICE(vkMapMemory);
  RONDO_OF_DEVICE(vkCreateCommandPool);
  RONDO_OF_DEVICE(vkAllocateCommandBuffers);
  RONDO_OF_DEVICE(vkBeginCommandBuffer);
  RONDO_OF_DEVICE(vkEndCommandBuffer);
  RONDO_OF_DEVICE(vkCmdFillBuffer);
  RONDO_OF_DEVICE(vkQueueSubmit);
  RONDO_OF_DEVICE(vkQueueWaitIdle);
  RONDO_OF_DEVICE(vkDestroyCommandPool);
  RONDO_OF_DEVICE(vkDestroyBuffer);
  RONDO_OF_DEVICE(vkFreeMemory);
  RONDO_OF_DEVICE(vkDestroyDevice);
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkBufferCreateInfo buffer_info{};
  buffer_info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  buffer_info.size = 4096;
  buffer_info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  RONDO_DO(vkCreateBuffer(device, &buffer_info, nullptr, &buffer));
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkMemoryAllocateInfo memory_info{};
  memory_info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory_info.allocationSize = needs.size;
  VkPhysicalDeviceMemoryProperties types{};
  vkGetPhysicalDeviceMemoryProperties(physical, &types);
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t type = types.memoryTypeCount; type-- > 0;)
    if ((needs.memoryTypeBits >> type & 1) != 0 && (types.memoryTypes[type].propertyFlags & wanted) == wanted)
      memory_info.memoryTypeIndex = type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  RONDO_DO(vkAllocateMemory(device, &memory_info, nullptr, &memory));
  RONDO_DO(vkBindBufferMemory(device, buffer, memory, 0));
  void* mapped = nullptr;
  RONDO_DO(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandPool pool = VK_NULL_HANDLE;
  RONDO_DO(vkCreateCommandPool(device, &pool_info, nullptr, &pool));
  VkCommandBufferAllocateInfo commands_info{};
  commands_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands_info.commandPool = pool;
  commands_info.commandBufferCount = 2;
  VkCommandBuffer commands[2] = {};
  RONDO_DO(vkAllocateCommandBuffers(device, &commands_info, commands));
  for (std::uint32_t i = 0; i < 2; ++i) {
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    RONDO_DO(vkBeginCommandBuffer(commands[i], &begin));
    vkCmdFillBuffer(commands[i], buffer, i * 2048, 2048, 0x01020304u + i);
    RONDO_DO(vkEndCommandBuffer(commands[i]));
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands[i];
    RONDO_DO(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    RONDO_DO(vkQueueWaitIdle(queue));
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < 1024; ++i) sum = sum * 31 + static_cast<const std::uint32_t*>(mapped)[i];
  std::printf("direct: checksum %016llx\n", static_cast<unsigned long long>(sum));
  std::fflush(stdout);
  vkDestroyCommandPool(device, pool, nullptr);
  vkDestroyBuffer(device, buffer, nullptr);
  vkFreeMemory(device, memory, nullptr);
  vkDestroyDevice(device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return writable_relro_pages() == 0 ? 0 : 1;
}

}  // namespace program
