// SPDX-License-Identifier: Apache-2.0
// Host memory of our own in place of the driver's (docs/memory.md, "alias"):
// which memory types take it, for which allocations, and what the resources
// that are bound to it have to be created with.
#pragma once

#include "format/vulkan.h"
#include "layer/driver/state.h"

namespace rondo::layer {

inline constexpr VkExternalMemoryHandleTypeFlagBits kHostPointer =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

// Creates the tracker, and asks whether it could make such memory for a device;
// `addresses`: the program asks that device for addresses of buffers.
bool alias_wanted(bool addresses);

// Imports a page into every host-visible memory type, once a device.
void find_alias_types(DeviceState& device);

// Whether this allocation may be aliased: not dedicated, imported, exported,
// protected, for several devices, or with an address of the program's choice.
// Memory whose buffers have device addresses is, though it be dedicated: only so
// can a replay have the same ones; or it is not at all, where the driver itself
// gives the same addresses again.
bool may_alias(const DeviceState& device, const VkMemoryAllocateInfo& info);
// Whether pages that the driver allocates for it may be covered by memory of ours (AliasMemory::cover),
// where it is not imported: checkpoints have to tell the host's writes from the device's, and
// the driver works in this process.
bool may_cover(const DeviceState& device, const VkMemoryAllocateInfo& info);
bool has_addresses(const VkMemoryAllocateInfo& info);  // VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT

// Whether the resource is created as one that may live in imported memory.
// False where the program or the driver says otherwise.
bool extend_for_alias(DeviceState& device, const VkBufferCreateInfo& info);
bool extend_for_alias(DeviceState& device, const VkImageCreateInfo& info);

// Whether the device can make such an image.
bool image_can_be(const DeviceState& device, const VkImageCreateInfo& info);

}  // namespace rondo::layer
