// SPDX-License-Identifier: Apache-2.0
// What the registry says that commands are for (the attribute `tasks` of vk.xml). Generated.
#pragma once

#include <cstddef>

#include "generated/ids.h"

namespace rondo::codec {

// The command makes the device work, and does nothing else: a draw, a dispatch, a copy, a build, a query that is reset
// or written. Not: commands that set state or order others (the begin of a render pass does both, and works), and those
// that execute other command buffers. An alias: as its first name.
bool only_works(CommandId id);

}  // namespace rondo::codec
