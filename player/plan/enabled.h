// SPDX-License-Identifier: Apache-2.0
// What a program enabled on a device that it made.
#pragma once

#include <cstdint>

#include "model/shaders/capabilities.h"
#include "player/plan/plan.h"

namespace rondo::player {

bool enables(const CapturedDevice& device, const char* feature);  // of this name, in whatever structure
bool has_extension(const CapturedDevice& device, const char* name);
// The version of Vulkan that the program could use: the one that it asked for, or the device's where that is
// older.
std::uint32_t usable_version(const Plan& plan, const CapturedDevice& device);

enum class Allowed : std::uint8_t { yes, no, unknown };
// Whether shaders of the device may declare what any of these enables. Unknown: a property of the device
// decides, or the registry does not tell.
Allowed allows(const Plan& plan, const CapturedDevice& device, std::span<const shaders::Requirement> enabled_by);

}  // namespace rondo::player
