// SPDX-License-Identifier: Apache-2.0
// A directory for what a tool writes. A file comes to be there whole, or not at all: it is written under another name
// and renamed.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "format/result.h"
#include "format/temporary_path.h"

namespace rondo::analyzers {

class OutputDirectory {
 public:
  // Made if it is not there, with the directories above it. Status::usage where something else is.
  static Result<OutputDirectory> open(const std::string& path);

  // Whether a regular file of this name is there and has other contents, which are no beginning of these.
  bool has_other(const std::string& name, std::span<const std::byte> bytes) const;
  // A file that is there and has these contents is left alone.
  Result<void> write(const std::string& name, std::span<const std::byte> bytes) const;

  // One that is written piece by piece.
  class File {
   public:
    File(File&& other) noexcept;
    File& operator=(File&&) = delete;
    ~File();  // without keep(): nothing is left
    Result<void> append(std::span<const std::byte> bytes);
    Result<void> keep();

   private:
    friend class OutputDirectory;
    File() = default;
    tl::unexpected<Error> failure(int error) const;
    std::string path_;
    TemporaryPath temporary_;
    int fd_ = -1;
  };
  // Fails where something else than a regular file has this name.
  Result<File> begin(const std::string& name) const;

 private:
  explicit OutputDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace rondo::analyzers
