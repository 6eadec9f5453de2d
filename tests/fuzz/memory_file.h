// SPDX-License-Identifier: Apache-2.0
// A file in memory with a path: the libraries open captures by name.
#pragma once

#include <span>
#include <string>

namespace rondo::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

}  // namespace rondo::fuzz
