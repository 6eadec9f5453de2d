// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analyzers/launch/launch.h"
#include "format/result.h"

namespace rondo::analyzers {

// Runs the program `player` with these words after its name, and waits for it. It is not captured. What it
// prints goes to standard error, or to the descriptor `output`. Fails where it could not be started. From a process
// with one thread.
Result<Ended> run_player(const std::vector<std::string>& words, EnvironmentChanges environment = {}, int output = 2);

enum class Replay { plain, verified };

// Has the program `player` play a capture, and returns its status (128 + N where signal N ended it). What it prints
// goes to standard error: standard output is the captured program's.
Result<int> play_capture(const std::string& path, Replay how);

}  // namespace rondo::analyzers
