// SPDX-License-Identifier: Apache-2.0
// Device addresses: programs store them where nobody can find them again, so a
// replay must have the same ones. Either the driver gives them again
// (bufferDeviceAddressCaptureReplay), or an address is a host pointer and memory
// is put at the same place, or they cannot be had and the player says so.
#pragma once

#include "format/vulkan.h"
#include "layer/driver/state.h"

namespace rondo::layer {

// Whether the program asks for them.
bool asks_for_addresses(const VkDeviceCreateInfo& info);
// Whether the driver can give the same ones again.
bool can_replay_addresses(const DeviceState& device);

// What a replay needs to have the same addresses of this object, behind the
// record that allocated or bound it. Any thread.
void record_address(DeviceState& device, VkDeviceMemory memory) noexcept;
void record_address(DeviceState& device, VkBuffer buffer) noexcept;

}  // namespace rondo::layer
