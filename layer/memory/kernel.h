// SPDX-License-Identifier: Apache-2.0
// Asynchronous write-protect: userfaultfd(2) arms pages, ioctl(PAGEMAP_SCAN)
// reads and re-arms them. Linux 6.7 and later. No handler, no thread, no privilege.
//
// Where that cannot be had, pages of a shared mapping that were touched can be told: a page is
// armed by taking it out of the page table, and is there again once it was read or written. What
// was touched counts as written. mremap(MREMAP_DONTUNMAP) takes the entries out and keeps
// them, in one step (Linux 5.13).
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "layer/memory/facilities.h"

namespace rondo::memory {

inline constexpr std::size_t page_bytes = 4096;

// Writes what is there, though other threads and the device may be writing it.
void write_unchanged(std::byte* at) noexcept;

// madvise(2), as a system call. Code of the layer may not use madvise() of the C library: the preload shim leads
// that to the layer, which then waits for its own lock.
int advise(const void* start, std::size_t bytes, int advice) noexcept;

// Maps the shared pages from `start` once more, wherever there is room. MAP_FAILED: that cannot be done.
void* map_once_more(std::byte* start, std::size_t bytes) noexcept;
// The same at `to`, in place of what is there. False: that cannot be done, and what was there may be gone.
bool map_once_more(std::byte* start, std::size_t bytes, std::byte* to) noexcept;

// A descriptor of ours among the program's: kept at a high number so that the
// program's own numbers stay what they were, and recognised before every use,
// because programs close descriptors that they did not open.
class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  ~OwnDescriptor() { reset(-1); }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

  void reset(int opened) noexcept;  // takes ownership
  bool valid() const noexcept;      // still the file that it was
  int get() const noexcept { return number_; }

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Not thread-safe. Belongs to the process that opened it: a forked child
// inherits descriptors that still mean its parent's memory, so nothing here
// may be called where ours() is false.
class Kernel {
 public:
  // Opens the descriptors and tests both mechanisms. Null when out of memory. `may_touch`: touched
  // pages are told where asynchronous write-protect cannot be had.
  static std::unique_ptr<Kernel> open(bool may_touch = false) noexcept;

  const Facilities& facilities() const noexcept { return facilities_; }
  // What scans give was touched: written, or read.
  bool by_touch() const noexcept { return by_touch_; }
  bool ours() const noexcept;

  // Whether all of it is mapped, as far as the kernel says.
  static bool mapped(const void* start, std::size_t bytes) noexcept;

  // False on any error. Addresses and sizes are multiples of the page size.
  bool watch(const void* start, std::size_t bytes) noexcept;
  void unwatch(const void* start, std::size_t bytes) noexcept;
  bool arm(const void* start, std::size_t bytes) noexcept;

  enum class Rearm { no, yes };
  // Calls visit(begin, end) with the address of each run of written pages, in
  // ascending order. False on any error, or where some of it is not mapped any
  // more: then any page may have been written, and some may have been re-armed already.
  template <class Visit>
  bool scan(std::uintptr_t begin, std::uintptr_t end, Rearm rearm, Visit&& visit) noexcept {
    return may_scan(begin, end) && scan_part(begin, end, rearm, visit);
  }
  // The same in parts: may_scan() of all, then each.
  bool may_scan(std::uintptr_t begin, std::uintptr_t end) noexcept {
    return pagemap_.valid() && mapped(reinterpret_cast<const void*>(begin), end > begin ? end - begin : 0);
  }
  template <class Visit>
  bool scan_part(std::uintptr_t begin, std::uintptr_t end, Rearm rearm, Visit&& visit) noexcept {
    while (begin < end) {
      const long count = next_regions(begin, end, rearm);
      if (count < 0) return false;
      for (long i = 0; i < count; ++i) {
        const Region& region = regions_[static_cast<std::size_t>(i)];
        visit(static_cast<std::uintptr_t>(region.start), static_cast<std::uintptr_t>(region.end));
      }
    }
    return true;
  }

  // Whether exactly this page shows after a write that changes nothing to its
  // first byte. Leaves the page armed.
  bool proves(std::byte* page) noexcept;

  // After an error: opens again what the program closed. False when nothing
  // was wrong with the descriptors, or it happened too often.
  bool reopen() noexcept;

 private:
  Kernel() = default;
  struct Region {  // struct page_region of linux/fs.h
    std::uint64_t start, end, categories;
  };
  bool open_descriptors() noexcept;
  void test() noexcept;
  bool test_alias() noexcept;
  bool test_private() noexcept;
  bool shows(std::byte* start, std::size_t pages, std::size_t expected_page) noexcept;
  // Fills regions_ and moves `begin` on; the number of regions, or -1.
  long next_regions(std::uintptr_t& begin, std::uintptr_t end, Rearm rearm) noexcept;
  long next_touched(std::uintptr_t& begin, std::uintptr_t end, Rearm rearm) noexcept;

  pid_t owner_ = 0;
  OwnDescriptor userfault_;
  OwnDescriptor pagemap_;
  Facilities facilities_;
  bool by_touch_ = false;
  unsigned reopened_ = 0;
  std::array<Region, 1024> regions_;
};

}  // namespace rondo::memory
