// SPDX-License-Identifier: Apache-2.0
// The file that RONDO_REPORT_FILE names (docs/rondo-capture.md): `rondo
// capture` learns from it which captures were written, and each process
// whether another one was first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/file.h"

namespace rondo::layer {

// Holds the file's lock while it exists, so that of two processes that start
// at once one is first. Without a launcher, or after its end, there is no file.
class LauncherReport {
 public:
  LauncherReport();

  // Another process has an entry.
  bool has_other_than(std::int64_t pid) const;
  // An empty path: there is no capture, and why has been logged. What cannot be
  // written is logged, and leaves a zero byte: the launcher then knows that an entry is missing.
  void add(std::int64_t pid, const std::string& path) const;

 private:
  std::optional<File> file_;
  std::string failure_;  // why the file of a launcher that runs cannot be opened
};

}  // namespace rondo::layer
