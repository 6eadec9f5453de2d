// SPDX-License-Identifier: Apache-2.0
// The device's half of aliased memory, where the device is a software driver in
// this process: its writes are found by write-protect as the program's are, so
// that a wait compares only what the device wrote, not all that the program ever
// wrote, and a submit knows which host writes have a device's beside them. Never
// for another device: drivers of real ones lost the device over a protected import.
//
// All is watched at first. A block of pages that the device fills is compared each
// time instead, which is cheaper than faults, until it has left it alone for some
// waits running; but for blocks that the host writes, too, while the device works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/page_set.h"

namespace rondo::memory {

class DeviceWatch {
 public:
  static constexpr std::size_t block_pages = 16;

  // `start`: the device's half, whole pages. Begins to watch; `untouched`: no device
  // wrote it before. Throws std::bad_alloc; nothing else here does.
  DeviceWatch(Kernel& kernel, std::byte* start, std::size_t pages, bool untouched);
  // False once the kernel refused too often: nothing is watched then.
  bool works() const { return failures_ < most_failures; }

  // Before those pages of [first, last) are compared that are `known`: learns what
  // was written since in their blocks, and begins to watch blocks that were quiet.
  void look(std::size_t first, std::size_t last, const PageSet& known) noexcept;
  // Learns what was written, and nothing changes: what is clean() afterwards was clean before.
  void peek(std::size_t first, std::size_t last) noexcept;
  // The block is watched whatever the device does to it, from its next comparison on.
  void keep(std::size_t block) noexcept;

  // Nothing wrote it since compared() was told of it, so far as the last look knows.
  bool clean(std::size_t page) const { return watched_.has(page / block_pages) && !dirty_.has(page); }
  // The first page of [from, limit) that is not clean, or `limit`.
  std::size_t next(std::size_t from, std::size_t limit) const noexcept;

  // A page is now what base has.
  void compared(std::size_t page) { dirty_.remove(page, page + 1); }
  // The pages of one block were compared, and so many of them had changed.
  void compared_block(std::size_t block, std::size_t changed) noexcept;

 private:
  static constexpr std::size_t busy_pages = 6;   // of a block: cheaper compared than watched
  static constexpr unsigned quiet_compares = 4;  // running, with fewer, and a block is watched
  static constexpr unsigned most_failures = 4;

  bool begin(std::size_t first, std::size_t last) noexcept;
  template <class In>
  bool scan(std::size_t first_block, std::size_t end_block, Kernel::Rearm rearm, In is_in) noexcept;
  void fail() noexcept;
  // Calls visit(first, last) for runs of blocks of [first, last) for which is_in(block) holds.
  template <class In, class Visit>
  static void runs(std::size_t first, std::size_t last, In is_in, Visit visit) {
    for (std::size_t block = first; block < last;) {
      if (!is_in(block)) {
        ++block;
        continue;
      }
      std::size_t end = block + 1;
      while (end < last && is_in(end)) ++end;
      visit(block, end);
      block = end;
    }
  }
  std::size_t pages_until(std::size_t block) const { return std::min(pages_, block * block_pages); }

  Kernel& kernel_;
  std::byte* start_;
  std::size_t pages_;
  bool registered_ = false;
  unsigned failures_ = 0;
  std::vector<std::uint8_t> quiet_;  // of a block that is not watched: compares running
  std::size_t ready_ = 0;            // how many of them are to be watched
  PageSet watched_;                  // blocks
  PageSet kept_;                     // blocks: watched whatever the device does
  PageSet dirty_;                    // pages; of watched blocks only
};

}  // namespace rondo::memory
