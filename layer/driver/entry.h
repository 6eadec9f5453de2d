// SPDX-License-Identifier: Apache-2.0
// The layer's side of vkGet*ProcAddr.
#pragma once

#include "format/vulkan.h"

namespace rondo::layer {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name);
// Physical-device commands only: for those that the loader does not know.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical_device_proc_addr(VkInstance instance, const char* name);

}  // namespace rondo::layer
