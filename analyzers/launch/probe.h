// SPDX-License-Identifier: Apache-2.0
// Runs what may crash or hang (drivers, other people's layers) in a child
// process of its own.
#pragma once

#include <functional>
#include <string>

namespace rondo::analyzers {

struct Probed {
  std::string said;  // what `work` returned; empty if it did not get so far
  bool finished = false;
  int signal = 0;  // that ended it
  bool timed_out = false;

  std::string trouble() const;  // "ended by SIGSEGV", "hangs", …; for !finished
};

// From a process with one thread. `work` runs in the child, whose standard
// output and error go nowhere.
Probed probe(const std::function<std::string()>& work, int timeout_seconds = 20);

}  // namespace rondo::analyzers
