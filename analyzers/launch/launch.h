// SPDX-License-Identifier: Apache-2.0
// Runs a program as if it had been started in our place: same standard input,
// terminal and process group, signals passed on.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

struct Ended {
  pid_t pid = 0;
  int exec_error = 0;  // errno of exec: the program never started
  int status = 0;      // its exit status
  int signal = 0;      // or the signal that ended it
};

// Values to set in the program's environment; nothing: to unset.
using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;

// From a process with one thread. `output`, `errors`: the descriptors of ours that become its standard output and its
// standard error. Fails only where no process could be made.
Result<Ended> launch(const std::vector<std::string>& words, const EnvironmentChanges& environment, int output = 1,
                     int errors = 2);

// Ends this process as `ended` did: the same status, or the same signal (so
// that a shell sees what it would have seen). Returns the status to exit with. A
// signal handler may call it.
int end_like(const Ended& ended);

std::string signal_name(int signal);  // "SIGKILL"

}  // namespace rondo::analyzers
