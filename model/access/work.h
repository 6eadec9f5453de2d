// SPDX-License-Identifier: Apache-2.0
// The commands that have a draw number: draws, dispatches, rays, and what a device generates of them. One table says
// which commands those are and what their parameters count. Specification: "Drawing Commands", "Dispatching Commands",
// "Ray Tracing", "Device-Generated Commands".
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "generated/ids.h"

namespace rondo::model {
struct Call;
}

namespace rondo::access {

// What the parameters of such a command count; count_names() says what each number is.
using Counts = std::array<std::uint32_t, 3>;

// `canonical`: the command under its first name, as everywhere in this library.
bool is_draw(CommandId canonical);
// "vertices", "instances": parallel to Counts. Empty: nothing is known before the device runs it, or it is no draw.
std::span<const char* const> count_names(CommandId canonical);
// Zeros where count_names() is empty.
Counts counts_of(const model::Call& call);

}  // namespace rondo::access
