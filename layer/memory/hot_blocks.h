// SPDX-License-Identifier: Apache-2.0
// Blocks of pages that the program writes again and again. A page that is found
// written costs a fault and its share of the scan, one that is only compared a few
// hundred nanoseconds: so a block of which much is written at every scan is better
// left unprotected and compared each time, until nothing is written there any more.
// The more so in a process with threads on other processors, which are interrupted
// when a page is protected again: about 17 microseconds on a virtual machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "layer/memory/page_set.h"

namespace rondo::memory {

class HotBlocks {
 public:
  static constexpr std::size_t block_pages = 16;

  // Throws std::bad_alloc; nothing else here does.
  explicit HotBlocks(std::size_t pages);

  // A run of pages that a scan found written.
  void wrote(std::size_t first, std::size_t last);
  // … and the end of that scan, which was of all pages. Blocks within [first, last)
  // may become hot; a last one that is not whole, only if `parts`. True: some did.
  bool scanned(std::size_t first, std::size_t last, bool parts);
  // What comparing pages of a hot block said. True: it is not hot any more.
  bool compared(std::size_t page, bool changed);
  void cool() { hot_.remove(0, blocks_); }
  // … of the last block alone, if it is not whole. True: it was hot.
  bool cool_part();
  // The block of this page is cold from here on, for ever.
  void never(std::size_t page);

  bool has(std::size_t page) const { return hot_.has(page / block_pages); }
  bool any() const { return !hot_.empty(); }
  static std::size_t block_end(std::size_t page) { return (page / block_pages + 1) * block_pages; }

  // Calls visit(first, last, hot) for the runs of pages that make up [first, last).
  template <class Visit>
  void runs(std::size_t first, std::size_t last, Visit&& visit) const {
    while (first < last) {
      const bool hot = has(first);
      std::size_t end = block_end(first);
      while (end < last && has(end) == hot) end += block_pages;
      end = std::min(end, last);
      visit(first, end, hot);
      first = end;
    }
  }

 private:
  static constexpr unsigned busy_pages = 6;      // of a whole block, written at one scan
  static constexpr unsigned busy_scans = 4;      // running, make it hot
  static constexpr unsigned quiet_compares = 8;  // without a change, running, make it cold

  // Where the block ends, and how many of its pages are many.
  std::size_t end_of(std::size_t block) const { return std::min((block + 1) * block_pages, pages_); }
  std::size_t busy(std::size_t block) const {
    const std::size_t pages = end_of(block) - block * block_pages;
    return (pages * busy_pages + block_pages - 1) / block_pages;
  }

  std::size_t pages_;
  std::size_t blocks_;
  std::vector<std::uint8_t> count_;   // of a cold block: pages written at this scan
  std::vector<std::uint8_t> streak_;  // cold: busy scans running; hot: quiet compares running
  PageSet seen_;                      // blocks with a count
  PageSet warm_;                      // cold blocks with a streak
  PageSet hot_;
  PageSet never_;
};

}  // namespace rondo::memory
