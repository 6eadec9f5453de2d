// SPDX-License-Identifier: Apache-2.0
// Devices of a capture, from what the layer or the program asked the driver
// for, and from what the program enabled.
#pragma once

#include <string>
#include <vector>

#include "analyzers/read/capture_info.h"
#include "analyzers/read/walk.h"

namespace rondo::analyzers {

// Takes what the current record of `walk` tells about a device, if anything.
void take_device_facts(Walk& walk, const Step& step, CaptureInfo& info);

// The devices that a whole capture asked for, as far as it can be read. Reads the file once.
std::vector<DeviceRow> captured_devices(const std::string& path);

}  // namespace rondo::analyzers
