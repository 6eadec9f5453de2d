// SPDX-License-Identifier: Apache-2.0
// A new file that is written from its begin to its end. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/new_file.h"
#include "format/result.h"

namespace rondo::analyzers {

class OutFile {
 public:
  // `capture`: the file gets the permissions of the capture, of which it has names (NewFile).
  static Result<OutFile> create(const std::string& path, const std::string& capture);

  // Does nothing after a failure: keep() says what failed.
  void write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBufferBytes) flush();
  }
  std::uint64_t bytes() const { return flushed_ + buffer_.size(); }
  // Writes the rest, and gives the file its name. Without this nothing is left.
  Result<void> keep();

 private:
  explicit OutFile(NewFile file) : file_(std::move(file)) {}
  void flush();

  static constexpr std::size_t kBufferBytes = 256 * 1024;
  NewFile file_;
  std::string buffer_;
  std::uint64_t flushed_ = 0;
  int error_ = 0;  // errno of the first failure
};

}  // namespace rondo::analyzers
