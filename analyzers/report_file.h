// SPDX-License-Identifier: Apache-2.0
// How the launcher learns which captures were written: RONDO_REPORT_FILE names
// a file to which the layer appends an entry for each process that it records,
// under the file's lock: process id, a space, the capture's absolute path
// (empty: it could not be created), a zero byte.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

struct ReportedFile {
  pid_t pid = 0;
  std::string path;  // empty: it could not be created, and the layer said why
};

// Entries that are not as above are left out: the file is open to the program.
std::vector<ReportedFile> parse_report(const std::string& content);

// Owns a temporary file; removed with the object, or by the next launcher where this one was killed.
class ReportFile {
 public:
  static Result<ReportFile> create();
  ReportFile(ReportFile&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  const std::string& path() const { return path_; }
  Result<std::vector<ReportedFile>> read() const;

 private:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

std::string shown_path(const std::string& path);  // relative where it lies below this directory

}  // namespace rondo::analyzers
