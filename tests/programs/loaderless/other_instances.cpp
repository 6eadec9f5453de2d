// SPDX-License-Identifier: Apache-2.0
// Opens a driver itself, and frees command buffers of a device that lives on. A child of fork makes instances then,
// which lie where those were.
//   other_instances [clone]   the child is made by the system call, without the C library's fork handlers
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

#include "driver_path.h"

namespace {

VkInstance make(PFN_vkGetInstanceProcAddr get) {
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  VkInstance instance = VK_NULL_HANDLE;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  return create != nullptr && create(&info, nullptr, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

#define RONDO_OF(name) const auto name = reinterpret_cast<PFN_##name>(get(instance, #name))

bool free_command_buffers(PFN_vkGetInstanceProcAddr get) {
  const VkInstance instance = make(get);
  if (instance == VK_NULL_HANDLE) return false;
  RONDO_OF(vkEnumeratePhysicalDevices);
  RONDO_OF(vkCreateDevice);
  RONDO_OF(vkCreateCommandPool);
  RONDO_OF(vkAllocateCommandBuffers);
  RONDO_OF(vkDestroyCommandPool);
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0) return false;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo device_info{};
  device_info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  device_info.queueCreateInfoCount = 1;
  device_info.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  if (vkCreateDevice(physical, &device_info, nullptr, &device) != VK_SUCCESS) return false;
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandPool pool = VK_NULL_HANDLE;
  if (vkCreateCommandPool(device, &pool_info, nullptr, &pool) != VK_SUCCESS) return false;
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.commandBufferCount = 64;
  VkCommandBuffer commands[64] = {};
  if (vkAllocateCommandBuffers(device, &info, commands) != VK_SUCCESS) return false;
  vkDestroyCommandPool(device, pool, nullptr);
  return true;
}

// As many as all of those would hold.
int make_instances(PFN_vkGetInstanceProcAddr get) {
  VkInstance all[64] = {};
  for (VkInstance& one : all)
    if ((one = make(get)) == VK_NULL_HANDLE) return 1;
  for (const VkInstance instance : all) {
    RONDO_OF(vkDestroyInstance);
    vkDestroyInstance(instance, nullptr);
  }
  return 0;
}

}  // namespace

int main(int argc, char**) {
  void* const library = dlopen(program::driver().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return 77;
  using Negotiate = VkResult (*)(std::uint32_t*);
  std::uint32_t version = 5;
  const auto negotiate = reinterpret_cast<Negotiate>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  if (get == nullptr || negotiate == nullptr || negotiate(&version) != VK_SUCCESS || !free_command_buffers(get))
    return 1;
  const pid_t child = argc > 1 ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) : fork();
  if (child < 0) return 1;
  if (child == 0) _exit(make_instances(get));
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 1;
  if (status != 0) std::fprintf(stderr, "the child ended with %x\n", static_cast<unsigned>(status));
  return status == 0 ? 0 : 1;
}
