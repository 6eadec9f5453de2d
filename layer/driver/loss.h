// SPDX-License-Identifier: Apache-2.0
// Devices that are lost while they are recorded. The program goes on, and so
// does the recording; the capture and stderr say once what happened.
#pragma once

#include "layer/driver/state.h"

namespace rondo::layer {

// Any thread, under no lock.
void note_loss(DeviceState& device, CommandId command) noexcept;

// The result of a call of the program's.
template <CommandId C>
VkResult noted(DeviceState& device, VkResult result) {
  if (result == VK_ERROR_DEVICE_LOST) [[unlikely]]
    note_loss(device, C);
  return result;
}

}  // namespace rondo::layer
