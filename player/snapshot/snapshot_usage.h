// SPDX-License-Identifier: Apache-2.0
// Makes buffers and images so that they can be copied from: changes their creates in a plan, before preflight.
#pragma once

#include <map>
#include <string>

#include "player/devices/devices.h"
#include "player/run/run.h"

namespace rondo::player {

// Images that the target cannot make so, and why.
using Unreadable = std::map<ObjectId, std::string>;

// Those that are made in front of the op.
Unreadable make_readable(Plan& plan, std::uint32_t end, const LiveDevices& live, const Targets& targets);

}  // namespace rondo::player
