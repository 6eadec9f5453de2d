// SPDX-License-Identifier: Apache-2.0
// Runs a tool on a mutant, within limits, and says how it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::fuzz {

struct Limits {
  double seconds = 2;          // of the tool's own time limit, or of its processor time where it has none
  double most_seconds = 60;    // then it hangs, whatever the machine has to do besides
  std::size_t most_bytes = 0;  // of address space; 0: no limit
};

enum class End : std::uint8_t {
  told,     // a status that docs/player.md lists, with a line that says why unless it is 0
  driver,   // status 1: the driver crashed, and the tool said so
  silent,   // such a status without a line
  crash,    // of Rondo's own code: a signal, or a sanitizer's report
  slow,     // the time limit
  unknown,  // another status
};
const char* end_name(End end);

struct Ended {
  End end = End::told;
  int status = 0;      // of the process
  int signal = 0;      // that ended it; 0: none
  double seconds = 0;  // from its start to its end
  double cpu = 0;
  std::size_t most_kib = 0;  // resident at once
  bool controls = false;     // it printed a control character
  std::string why;           // the first line that says so
  std::string errors;        // what it wrote to standard error, its begin
};

// Ends like `kill` with the group of what it starts. The tool's standard output goes nowhere but through a
// search for control characters.
Ended run_tool(const std::vector<std::string>& words, const std::vector<std::string>& environment,
               const Limits& limits);

}  // namespace rondo::fuzz
