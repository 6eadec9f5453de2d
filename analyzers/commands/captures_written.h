// SPDX-License-Identifier: Apache-2.0
// What rondo capture does with the files that the program's processes wrote: it closes them, gives the chosen name
// to the one with work, cuts them where that was asked for, and says what they are.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "analyzers/launch/launch.h"
#include "analyzers/launch/report_file.h"
#include "analyzers/read/summary.h"

namespace rondo::analyzers {

// A capture that a process of the program wrote, closed.
struct Closed {
  pid_t pid = 0;
  std::string path;
  bool by_us = false;              // its process did not close it
  std::optional<Summary> summary;  // nothing: it could not be closed or read, and that was said
};

Closed close_capture(const ReportedFile& file, const Ended& ended);

// The first process gets the chosen name, which may be a helper's that only looks for devices (node and browsers start
// such ones). The capture that has work takes that name, and the helper's gets its process number in its name.
// `all`: in the order in which they began.
void give_name_to_work(std::vector<Closed>& all);

// Prints a line with the size and contents of the file, and a line for each thing that the user should know of it.
void report_capture(Closed& file, const Ended& ended);

}  // namespace rondo::analyzers
