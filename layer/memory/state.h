// SPDX-License-Identifier: Apache-2.0
// What is behind a Tracked. Positions count from the start of the first page,
// which lies `lead` bytes before the memory where a driver's pointer is not
// page-aligned; offsets, in Range, from the start of the memory.
#pragma once

#include <memory>
#include <vector>

#include "layer/memory/compare.h"
#include "layer/memory/device_watch.h"
#include "layer/memory/guard.h"
#include "layer/memory/hot_blocks.h"
#include "layer/memory/kernel.h"
#include "layer/memory/page_set.h"
#include "layer/memory/shadow.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {

struct Tracked::State {
  // Throws std::bad_alloc; base is null where it could not be mapped.
  State(Tracked& owner, Tracker& tracker, const std::byte* contents, std::byte* watched, std::size_t bytes,
        bool aliased);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Puts pages that may have been written among the pending ones.
  void look(std::size_t first, std::size_t last, Kernel::Rearm rearm) noexcept;
  void look() noexcept;
  // Found so by a scan; and the end of one that was of all pages.
  void written(std::size_t first, std::size_t last, Kernel::Rearm rearm) noexcept;
  void scanned() noexcept;
  // Pages that were left unprotected are found by scans again: as written, at first.
  void cool() noexcept;
  // A device may write it from here on.
  void shared_with_device() noexcept;
  // A scan failed: everything may have been written.
  void lost() noexcept;
  void add_all(std::size_t first, std::size_t last) noexcept;
  // The end of the pages from `page` on, before `stop`, that can be read: `page` if not even that.
  std::size_t readable_until(std::size_t page, std::size_t stop) const noexcept;
  // Watches, arms and proves the mapping, with what is wanted. False: compare instead.
  bool start(Mechanism wanted) noexcept;
  bool start_guard() noexcept;
  void take_current() noexcept;
  void fill_base() noexcept;  // the same, and nothing is known

  std::size_t page_of(std::uint64_t offset) const { return (lead + offset) / page_bytes; }
  std::size_t page_after(std::uint64_t end) const { return (lead + end + page_bytes - 1) / page_bytes; }
  // The part of pages [first, last) that is memory.
  std::size_t begin_of(std::size_t first) const { return first == 0 ? lead : first * page_bytes; }
  std::size_t end_of(std::size_t last) const { return last == pages ? lead + bytes : last * page_bytes; }

  bool ambiguous(std::size_t page, Device device) const;
  bool is_clean(std::size_t page) const { return device_watch != nullptr && device_watch->clean(page); }
  // Whether a device's write to a page is known.
  bool watches_device() const { return device_watch != nullptr && device_watch->works(); }
  // After changes() has compared: takes back, or calls ambiguous, what a device may have written.
  void check_contested(Contested what) noexcept;
  void contest(std::size_t page) noexcept;
  // Learns which of these pages the device wrote, looking at little else.
  void peek(const PageSet& wanted, std::size_t first, std::size_t last) noexcept;
  bool any_unknown(const PageSet& of, std::size_t first, std::size_t last) const;
  // Whether a page is recorded with all its bytes: base lacks something of what a replay has.
  bool takes_whole(std::size_t page, Device device) const;
  // What lies between the host's bytes on a page that the device writes, too, may be
  // what work in flight is about to write.
  std::size_t gap_of(std::size_t page, Device device) const {
    const bool both = device_pages.has(page) || (watches_device() && !is_clean(page));
    return device == Device::active && both ? no_gap : merge_gap;
  }
  // Base does not hold what the page held when tracking began.
  bool fresh(std::size_t page) const { return unknown_start && !known.has(page); }
  void report(std::size_t begin, std::size_t end, bool is_ambiguous, bool stable) noexcept;
  void join_many(std::size_t first, std::size_t pages_of_them) noexcept;
  void report_differences(const std::byte* from, std::size_t begin, std::size_t end, Store store,
                          bool is_ambiguous) noexcept;
  std::uint64_t reported_until() const { return ranges.empty() ? 0 : ranges.back().offset + ranges.back().size; }
  // Before written pages of [first, last) are taken into base.
  void prepare_base(std::size_t first, std::size_t last) noexcept;
  void take(std::size_t begin, std::size_t end, bool is_ambiguous, bool is_fresh) noexcept;
  void report_run(std::size_t begin, std::size_t end, bool is_ambiguous, bool is_fresh) noexcept;
  // With a shadow: what the device wrote becomes the program's.
  void pull(std::size_t begin, std::size_t end) noexcept;
  // Whether a refresh has to compare it: base may lack what a device wrote.
  bool to_compare(std::size_t page, Refresh which) const {
    if (!known.has(page)) return which == Refresh::everything;
    return device_watch == nullptr || !device_watch->clean(page);
  }
  // … some of [first, last), but for what is only compared to see whether it exists.
  bool any_to_compare(std::size_t first, std::size_t last) const;
  void refresh_batch(std::size_t first, std::size_t last, Refresh which) noexcept;
  void tell_watch(std::size_t first, std::size_t last) noexcept;

  Tracked& owner;
  Tracker& tracker;
  const std::byte* contents;         // page-aligned: where bytes are read
  std::byte* watched;                // page-aligned: where the program writes
  std::byte* device_side = nullptr;  // of AliasMemory: where the device does
  std::byte* base = nullptr;         // last known contents, zeros where never written
  bool base_on_heap = false;         // else a mapping of its own
  std::size_t lead;
  std::size_t bytes;
  std::size_t pages;
  std::size_t armed_first;  // pages that hold nobody else's bytes; the others are always compared
  std::size_t armed_last;
  bool aliased;
  bool own = false;      // the program's own pages: it may take away the right to read them
  bool resting = false;  // nobody can write through `watched`
  bool unknown_start = false;
  bool lost_track = false;    // since everything was pending at once, written or not
  bool device_wrote = false;  // device work since the last changes() of everything
  bool device_ever = false;   // device work since tracking began or everything was refreshed

  std::unique_ptr<Shadow> shadow;             // `contents` and `watched` are its copy
  std::unique_ptr<Guard> guard;               // of the armed pages; Mechanism::guard
  HotBlocks hot;                              // left unprotected, and always compared
  bool adaptive = false;                      // whether there may be any
  std::unique_ptr<DeviceWatch> device_watch;  // of `contents`; null: all known pages are compared

  PageSet pending;                          // to be compared by the next changes()
  PageSet known;                            // base is what the host last wrote here
  PageSet mixed;                            // pending when the device had been writing
  PageSet stale;                            // mixed, and the device has finished: base lacks what it wrote
  PageSet device_pages;                     // where a device's write was seen, ever
  static constexpr std::size_t kRoom = 16;  // for ranges, when there is no memory for more
  std::vector<Range> ranges;
  std::size_t gap = merge_gap;       // equal bytes between changes that are one range
  std::size_t last_gap = merge_gap;  // the same, of ranges.back()
  bool kept_contested = false;
  PageSet taken;  // from pending, by the changes() that is running; with a device_watch

  bool notes_undone = false;
  PageSet undone;  // pending at the last changes(), which found nothing there
};

}  // namespace rondo::memory
