// SPDX-License-Identifier: Apache-2.0
// The tools that take captures, each as the command line that a mutant is given to.
#pragma once

#include <string>
#include <vector>

namespace rondo::fuzz {

struct ToolPlace {
  std::string build;     // the build tree
  std::string original;  // the capture that the mutant was made of
  std::string mutant;
  std::string directory;  // for what it writes
  std::string seconds;    // for --timeout
};

struct Tool {
  const char* name;
  bool has_timeout;  // --timeout
  std::vector<std::string> (*words)(const ToolPlace& place);
};

const std::vector<Tool>& tools();

}  // namespace rondo::fuzz
