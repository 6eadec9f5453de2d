// SPDX-License-Identifier: Apache-2.0
// Write-protection that every kernel has: mprotect(2), and a handler of SIGSEGV
// that notes the page and lets the write through.
//
// The program's own handler is led behind ours, whether it was installed before or
// is installed later: calls of sigaction and signal by loaded objects come to us,
// and a handler installed in another way is found by the next scan. What faults
// elsewhere is the program's, and so is what sigaction says of SIGSEGV.
//
// A system call that writes to a protected page fails with EFAULT: why this is
// never chosen unasked (docs/memory.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "layer/memory/page_set.h"

namespace rondo::memory {

class Guard {
 public:
  // Pages of 4096 bytes, readable and writable. Nothing is protected yet. Null: no
  // memory, no handler, or too many of these.
  static std::unique_ptr<Guard> create(std::byte* start, std::size_t pages) noexcept;
  // The pages can be written again; they are still mapped.
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  // Whether one write is found, and goes through: of memory of its own.
  static bool works() noexcept;

  // Protects all of it, and forgets what was written. False: some cannot be.
  bool arm() noexcept;
  // Puts the pages of [first, last) that were written since they were protected into
  // `written`, with numbers that are higher by `shift`, and protects them (again) if
  // `rearm`. False: some cannot be protected.
  bool scan(std::size_t first, std::size_t last, bool rearm, PageSet& written, std::size_t shift = 0) noexcept;

  struct Region;  // what the handler knows

 private:
  Guard() = default;
  Region* region_ = nullptr;
};

}  // namespace rondo::memory
