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

struct CapturedDevices {
  std::vector<DeviceRow> asked;   // that the program or the layer asked the driver about
  std::vector<std::string> used;  // of which the program made logical devices: name (driver), each once, at most 4
};
// Those of a whole capture, as far as it can be read. Reads the file once.
CapturedDevices captured_devices(const std::string& path);

}  // namespace rondo::analyzers
