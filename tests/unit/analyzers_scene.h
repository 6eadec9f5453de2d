// SPDX-License-Identifier: Apache-2.0
// A capture with something of everything that info and dump print: two frames,
// three submits, a blob named twice, a layer's own record, an unused number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "format/result.h"

namespace rondo::test {

void write_scene(const std::string& path);
// The same, left open by a process that is gone.
void write_cut_scene(const std::string& path);

// What a subcommand of `rondo` printed and returned.
struct Printed {
  int status = 0;  // also that of the error
  std::string out;
  std::string error;  // message
};
Printed printed(Result<int> (*run)(std::span<const std::string>), const std::vector<std::string>& arguments);

}  // namespace rondo::test
