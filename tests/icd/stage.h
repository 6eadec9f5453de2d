// SPDX-License-Identifier: Apache-2.0
// A plan's devices on the fake driver of this process, for tests that play there.
#pragma once

#include <memory>

#include "player/devices/devices.h"
#include "player/devices/loader.h"
#include "player/plan/plan.h"
#include "player/run/run.h"

namespace fake {

// What it holds refers to one another: it stays where it is.
struct Stage {
  rondo::player::Loader loader;
  std::unique_ptr<rondo::player::LiveDevices> live;
  rondo::player::Targets targets;
};

// Past preflight. Errors are the player's own.
rondo::Result<std::unique_ptr<Stage>> set_stage(rondo::player::Plan& plan);

}  // namespace fake
