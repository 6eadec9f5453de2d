// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines that a span makes and whose shader groups it asks for their handles. Drivers give
// each pipeline that is made other handles, and programs store them in tables of their own: in a loop such
// pipelines are made once.
#pragma once

#include <cstdint>
#include <vector>

#include "player/plan/plan.h"

namespace rondo::player {

// The calls that make them, with the libraries that they are made of: indexes into Plan::ops.
std::vector<std::uint32_t> find_asked_pipelines(const Plan& plan);

}  // namespace rondo::player
