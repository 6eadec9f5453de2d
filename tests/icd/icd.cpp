// SPDX-License-Identifier: Apache-2.0
// What the Vulkan loader asks a driver for.
#include <vulkan/vk_icd.h>

#include <algorithm>

#include "format/codec/schema.h"
#include "tests/icd/fake.h"

extern "C" {

VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name);

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  *version = std::min(*version, fake::settings().interface);
  return VK_SUCCESS;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  return fake::get_instance_proc_addr(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  const rondo::CommandId id = rondo::codec::command_by_name(name);
  return rondo::codec::info(id).level == rondo::codec::Level::physical_device
             ? fake::get_instance_proc_addr(instance, name)
             : nullptr;
}

}  // extern "C"
