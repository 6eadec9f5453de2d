// SPDX-License-Identifier: Apache-2.0
// What a program enabled on a device that it made.
#pragma once

#include <cstdint>

#include "player/plan.h"

namespace rondo::player {

bool enables(const CapturedDevice& device, const char* feature);  // of this name, in whatever structure
bool has_extension(const CapturedDevice& device, const char* name);
// The version of Vulkan that the program could use: the one that it asked for, or the device's where that is
// older.
std::uint32_t usable_version(const Plan& plan, const CapturedDevice& device);

}  // namespace rondo::player
