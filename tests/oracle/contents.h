// SPDX-License-Identifier: Apache-2.0
// Writes zeros into a whole allocation, and reads a whole allocation.
#pragma once

#include <functional>
#include <string>

#include "device.h"

namespace oracle {

// Both need an allocation that is not mapped and that no queue works on. They
// return why it could not be done; empty: done.
std::string zero(Device& device, VkDeviceMemory memory, const Allocation& allocation);
std::string read(Device& device, VkDeviceMemory memory, const Allocation& allocation,
                 const std::function<void(const unsigned char* bytes, std::size_t size)>& look);

}  // namespace oracle
