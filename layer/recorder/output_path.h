// SPDX-License-Identifier: Apache-2.0
// Names of capture files from RONDO_OUTPUT's pattern.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace rondo::layer {

struct ProcessNames {
  std::string program;    // %e: file name of the executable
  std::int64_t pid = 0;   // %p
  std::time_t start = 0;  // %t: as YYYYmmdd-HHMMSS, UTC
  std::string directory;  // what a relative path is relative to
};

// Absolute path; %% is a percent sign, an unknown %x stays as it is.
std::string expand_output(std::string_view pattern, const ProcessNames& names);

// "dir/a.rondo" and "-2" to "dir/a-2.rondo": before the last suffix of the file name.
std::string with_suffix(std::string_view path, std::string_view suffix);

}  // namespace rondo::layer
