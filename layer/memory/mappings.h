// SPDX-License-Identifier: Apache-2.0
// What this process has mapped: the lines of /proc/self/maps.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::memory {

struct Mapping {
  std::uintptr_t from = 0, to = 0;
  int rights = 0;  // PROT_READ, PROT_WRITE, PROT_EXEC
  bool shared = false;
  bool stack = false;
  std::uint64_t offset = 0;             // in the file
  std::uint64_t device = 0, inode = 0;  // of the file; inode 0: there is none
};

// In ascending order of addresses. No heap.
class Mappings {
 public:
  Mappings() noexcept;
  ~Mappings();
  Mappings(const Mappings&) = delete;
  Mappings& operator=(const Mappings&) = delete;

  // False at the end, and where the list cannot be read on.
  bool next(Mapping& mapping) noexcept;

 private:
  const char* next_line() noexcept;  // null at the end

  int file_;
  char buffer_[8192];
  std::size_t at_ = 0, filled_ = 0;
};

}  // namespace rondo::memory
