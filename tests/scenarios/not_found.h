// SPDX-License-Identifier: Apache-2.0
// The damages that no verification can find, by class: docs/mutations.md says
// why, row by row.
#pragma once

#include <string>
#include <vector>

namespace scenario {

// A damage that nothing found, as every-record says it.
struct Unseen {
  std::string program;
  std::string how;      // drop, swap, corrupt, handle
  std::string command;  // whose record was damaged
  std::string what;     // the member or type of handle; swap: the other record's command
};

// Patterns of fnmatch(3), several of them with | between.
struct Pattern {
  const char* how;
  const char* command;
  const char* what = "*";
  const char* program = "*";
  bool matches(const Unseen& unseen) const;
};

struct NotFound {
  const char* name;  // the first column in docs/mutations.md
  std::vector<Pattern> patterns;
  bool harmless = false;  // the fake driver complains and calls it harmless; else it says nothing
  bool races = false;     // what finds it, or nothing, depends on which of host and queues comes first
};

const std::vector<NotFound>& not_found();

}  // namespace scenario
