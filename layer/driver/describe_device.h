// SPDX-License-Identifier: Apache-2.0
// Queries that the layer makes itself, into the stream (kRecordByLayer): what
// readers and the player's preflight want to know of the captured device,
// whatever the program asked.
#pragma once

#include "layer/driver/state.h"

namespace rondo::layer {

void describe_physical_device(const DeviceState& device) noexcept;

}  // namespace rondo::layer
