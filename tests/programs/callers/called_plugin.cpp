// SPDX-License-Identifier: Apache-2.0
// Calls Vulkan from a library that its host unloads again. Built twice, alike: the second one then lies where the first
// did.
#include <vulkan/vulkan.h>

extern "C" __attribute__((visibility("default"))) VkResult plugin_call(PFN_vkResetFences reset, VkDevice device,
                                                                       VkFence fence) {
  const VkResult result = reset(device, 1, &fence);
  asm volatile("");
  return result;
}
