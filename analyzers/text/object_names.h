// SPDX-License-Identifier: Apache-2.0
// Objects as a command line names them: "VkImage#12", or the name that the program gave.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "player/plan/plan.h"

namespace rondo::analyzers {

// Finds `wanted` among `alive`, whose kinds are `types` (VkImage, VkBuffer). Errors are Status::usage and say what
// there is: `place` is where, "behind frame 3".
Result<ObjectId> find_object(const player::Plan& plan, std::span<const ObjectId> alive,
                             std::span<const HandleType> types, const std::string& wanted, const std::string& place);

}  // namespace rondo::analyzers
