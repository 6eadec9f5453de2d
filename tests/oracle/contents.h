// SPDX-License-Identifier: Apache-2.0
// Writes zeros into a whole allocation, and reads a whole allocation.
#pragma once

#include <functional>
#include <string>

#include "device.h"

namespace oracle {

bool mappable(const Device& device, std::uint32_t type);

// How much must be allocated so that a buffer lies over all `size` bytes, where
// the driver pads buffers. Memory that cannot be mapped is read and zeroed by one.
VkDeviceSize room_to_read(const Device& device, VkDeviceSize size);

// Both need an allocation that is not mapped and that no queue works on. They
// return why it could not be done; empty: done.
std::string zero(Device& device, VkDeviceMemory memory, const Allocation& allocation);
std::string read(Device& device, VkDeviceMemory memory, const Allocation& allocation,
                 const std::function<void(const unsigned char* bytes, std::size_t size)>& look);

}  // namespace oracle
