// SPDX-License-Identifier: Apache-2.0
// What the helpers of gpu/ need of a device. The layer and the player both
// have one; only core 1.0 commands are called.
#pragma once

#include <cstdint>

#include "format/vulkan.h"
#include "generated/dispatch.h"

namespace rondo::gpu {

struct Access {
  const Dispatch* dispatch = nullptr;
  VkDevice device = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory{};
  // Inside a layer, dispatchable objects that it creates must be made known
  // to the loader (VkLayerDeviceCreateInfo, VK_LOADER_DATA_CALLBACK); null
  // elsewhere.
  VkResult(VKAPI_PTR* set_loader_data)(VkDevice device, void* object) = nullptr;
  std::uint64_t timeout_ns = UINT64_MAX;  // of every wait here
};

// The first memory type in `type_bits` that has all of `flags`, or UINT32_MAX.
std::uint32_t find_memory_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type_bits,
                               VkMemoryPropertyFlags flags);

}  // namespace rondo::gpu
