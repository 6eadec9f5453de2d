// SPDX-License-Identifier: Apache-2.0
// How the launcher learns which captures were written: RONDO_REPORT_FILE names
// a file to which the layer appends an entry for each process that it records,
// under the file's lock: process id, a space, the capture's absolute path
// (empty: it could not be created), a zero byte. A zero byte alone: an entry for which there was no room.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "format/result.h"

namespace rondo::analyzers {

struct ReportedFile {
  pid_t pid = 0;
  std::string path;  // empty: it could not be created, and the layer said why
};

struct Report {
  std::vector<ReportedFile> files;
  // The layer had no room for an entry, and left a zero byte. It has said which capture that was.
  bool lacks_entries = false;
};

// Entries that are not as above are left out: the file is open to the program.
Report parse_report(const std::string& content);

// Directories for temporary files, the preferred one first: TMPDIR, then those that most systems have.
std::vector<std::string> temporary_directories();

// Owns a temporary file; removed with the object, or by the next launcher where this one was killed.
class ReportFile {
 public:
  // In the first temporary directory that has room for it; in memory where none has.
  static Result<ReportFile> create();
  ReportFile(ReportFile&& other) noexcept
      : path_(std::move(other.path_)),
        fd_(std::exchange(other.fd_, -1)),
        has_name_(std::exchange(other.has_name_, false)) {}
  ReportFile& operator=(ReportFile&&) = delete;
  ~ReportFile();

  const std::string& path() const { return path_; }  // by which the program's processes open it
  Report read() const;                               // also where the program has removed it

 private:
  ReportFile(std::string path, int fd, bool has_name) : path_(std::move(path)), fd_(fd), has_name_(has_name) {}
  std::string path_;
  int fd_ = -1;
  bool has_name_ = false;  // in a directory
};

std::string shown_path(const std::string& path);  // relative where it lies below this directory

}  // namespace rondo::analyzers
