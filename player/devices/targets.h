// SPDX-License-Identifier: Apache-2.0
// Which device of this machine plays each captured one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "player/run/run.h"

namespace rondo::player {

struct ChosenDevice {
  ObjectId captured = ObjectId::null;
  std::string name;    // "llvmpipe (llvmpipe, Mesa 22.3.6)"
  std::string reason;  // "as asked", "the captured device and driver", …
};

// One for each captured device, in their order; a choice that names none of them is wrong usage.
Result<Targets> choose_targets(std::span<const DeviceChoice> choices, const Plan& plan, const LiveDevices& live,
                               std::vector<ChosenDevice>& chosen);

}  // namespace rondo::player
