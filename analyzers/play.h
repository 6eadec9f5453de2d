// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "format/result.h"

namespace rondo::analyzers {

enum class Replay { plain, verified };

// Has the program `player` play a capture, and returns its status (128 + N where signal N ended it). What it prints goes to
// standard error: standard output is the captured program's.
Result<int> play_capture(const std::string& path, Replay how);

}  // namespace rondo::analyzers
