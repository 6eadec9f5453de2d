// SPDX-License-Identifier: Apache-2.0
// Host memory of our own in place of the driver's (docs/memory.md, "alias"):
// which memory types take it, for which allocations, and what the resources
// that are bound to it have to be created with.
#pragma once

#include "format/vulkan.h"
#include "layer/state.h"

namespace rondo::layer {

inline constexpr VkExternalMemoryHandleTypeFlagBits kHostPointer =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

// Creates the tracker, and asks whether it could make such memory.
bool alias_wanted();

// Imports a page into every host-visible memory type, once a device.
void find_alias_types(DeviceState& device);

// Whether this allocation may be aliased: not dedicated, imported, exported,
// protected, for several devices, or with an address of the program's choice.
bool may_alias(const DeviceState& device, const VkMemoryAllocateInfo& info);

// Whether the resource is created as one that may live in imported memory.
// False where the program or the driver says otherwise.
bool extend_for_alias(DeviceState& device, const VkBufferCreateInfo& info);
bool extend_for_alias(DeviceState& device, const VkImageCreateInfo& info);

}  // namespace rondo::layer
