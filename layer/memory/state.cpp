// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/state.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <optional>

#include "layer/memory/existing_pages.h"
#include "layer/memory/kernel.h"
#include "layer/memory/own_pages.h"
#include "layer/memory/segv.h"

namespace rondo::memory {
namespace {

// Less is not worth a mapping, of which a process may have so many.
constexpr std::size_t kHeapPages = 16;

// Calls visit(first, last) for what the program has not unmapped of a driver's own mapping;
// or of its own, `own`, where it may also have taken away the right to read.
template <class Visit>
void mapped_pages(const std::byte* mapping, bool own, std::size_t first, std::size_t last, Visit visit) {
  const std::byte* const start = mapping + first * page_bytes;
  const std::size_t bytes = (last - first) * page_bytes;
  if (own ? readable(start, bytes) : Kernel::mapped(start, bytes)) return visit(first, last);
  if (last - first < 2) return;
  const std::size_t middle = first + (last - first) / 2;
  mapped_pages(mapping, own, first, middle, visit);
  mapped_pages(mapping, own, middle, last, visit);
}

}  // namespace

Tracked::State::State(Tracked& tracked, Tracker& by, const std::byte* contents_start, std::byte* watched_start,
                      std::size_t size, bool is_alias)
    : owner(tracked),
      tracker(by),
      lead(reinterpret_cast<std::uintptr_t>(watched_start) % page_bytes),
      bytes(size),
      pages((lead + size + page_bytes - 1) / page_bytes),
      aliased(is_alias),
      hot(pages),
      pending(pages),
      known(pages),
      mixed(pages),
      stale(pages),
      device_pages(pages),
      taken(pages),
      undone(pages) {
  contents = contents_start - lead;
  watched = watched_start - lead;
  armed_first = lead == 0 ? 0 : 1;
  armed_last = std::max(armed_first, (lead + bytes) / page_bytes);
  ranges.reserve(kRoom);
  if (pages <= kHeapPages) {
    base = static_cast<std::byte*>(std::calloc(pages, page_bytes));
    base_on_heap = true;
    return;
  }
  // The kernel keeps it sparse: a page costs memory once it is written.
  void* const mapped =
      mmap(nullptr, pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return;
  base = static_cast<std::byte*>(mapped);
  advise(mapped, pages * page_bytes, MADV_NOHUGEPAGE);
  advise(mapped, pages * page_bytes, MADV_DONTDUMP);
}

Tracked::State::~State() {
  if (base_on_heap)
    std::free(base);
  else if (base != nullptr)
    munmap(base, pages * page_bytes);
}

bool Tracked::State::start_guard() noexcept {
  std::byte* const armed = watched + armed_first * page_bytes;
  const std::size_t count = armed_last - armed_first;
  guard = Guard::create(armed, count);
  bool proved = guard != nullptr && guard->arm();
  if (proved) {
    {
      const FaultsOpen open;
      write_unchanged(armed);
    }
    PageSet& written = tracker.staged_;
    written.remove(0, Tracker::staging_pages);
    proved = guard->scan(0, 1, true, written) && written.has(0);
  }
  if (!proved) guard.reset();
  return proved;
}

bool Tracked::State::start(Mechanism wanted) noexcept {
  if (wanted == Mechanism::guard) return start_guard();
  Kernel& kernel = *tracker.kernel_;
  std::byte* const armed = watched + armed_first * page_bytes;
  const std::size_t armed_bytes = (armed_last - armed_first) * page_bytes;
  if (armed_bytes == 0 || !Kernel::mapped(armed, armed_bytes) || !kernel.watch(armed, armed_bytes)) return false;
  if (kernel.arm(armed, armed_bytes) && kernel.proves(armed)) return true;
  if (own) kernel.unwatch(armed, armed_bytes);  // they stay when the device is through with them
  return false;
}

std::size_t Tracked::State::readable_until(std::size_t page, std::size_t stop) const noexcept {
  if (!own || readable(contents + page * page_bytes, (stop - page) * page_bytes)) return stop;
  std::size_t end = page;
  while (end < stop && readable(contents + end * page_bytes, page_bytes)) ++end;
  return end;
}

void Tracked::State::pull(std::size_t begin, std::size_t end) noexcept {
  struct Context {
    State& state;
    std::size_t begin;
  } context{*this, begin};
  std::optional<FaultsOpen> open;  // where the copy is guarded, we write to it, too
  if (guard != nullptr) open.emplace();
  shadow->pull(
      base + begin, begin - lead, end - begin,
      [](void* passed, std::size_t from, std::size_t to) {
        const auto& c = *static_cast<Context*>(passed);
        c.state.device_pages.add((c.begin + from) / page_bytes, (c.begin + to - 1) / page_bytes + 1);
        c.state.report(c.begin + from, c.begin + to, false, true);
      },
      &context);
}

void Tracked::State::fill_base() noexcept {
  const auto fill = [&](std::size_t first, std::size_t last) {
    for (; first < last; ++first) {
      const std::size_t begin = begin_of(first);
      const std::size_t size = end_of(first + 1) - begin;
      // Pages of zeros stay sparse.
      if (differs(contents + begin, base + begin, size)) copy_live(contents + begin, base + begin, size);
    }
  };
  if (aliased)
    existing_pages(contents, 0, pages, fill);
  else
    fill(0, pages);
}

void Tracked::State::take_current() noexcept {
  fill_base();
  known.add(0, pages);
}

void Tracked::State::look(std::size_t first, std::size_t last, Kernel::Rearm rearm) noexcept {
  if (owner.mechanism_ == Mechanism::scan) {
    add_all(first, last);
    return;
  }
  if (first < armed_first) pending.add(first, std::min(last, armed_first));
  if (last > armed_last) pending.add(std::max(first, armed_last), last);
  first = std::max(first, armed_first);
  last = std::min(last, armed_last);
  if (first >= last) return;
  if (guard != nullptr) {
    if (!guard->scan(first - armed_first, last - armed_first, rearm == Kernel::Rearm::yes, pending, armed_first))
      lost();
    return;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(watched);
  bool done = true;
  hot.runs(first, last, [&](std::size_t begin, std::size_t end, bool is_hot) {
    if (is_hot) {
      add_all(begin, end);
      return;
    }
    done = done && tracker.kernel_->scan(start + begin * page_bytes, start + end * page_bytes, rearm,
                                         [&](std::uintptr_t from, std::uintptr_t to) {
                                           written((from - start) / page_bytes, (to - start) / page_bytes, rearm);
                                         });
  });
  if (!done) lost();
}

void Tracked::State::look() noexcept {
  look(0, pages, Kernel::Rearm::yes);
  scanned();
}

void Tracked::State::written(std::size_t first, std::size_t last, Kernel::Rearm rearm) noexcept {
  pending.add(first, last);
  if (adaptive && rearm == Kernel::Rearm::yes) hot.wrote(first, last);
}

void Tracked::State::scanned() noexcept {
  // A small memory that devices write, too, is better told apart than cheap.
  if (adaptive && !tracker.between_ && hot.scanned(armed_first, armed_last, !device_ever))
    tracker.skips_changed_ = true;
}

void Tracked::State::cool() noexcept {
  if (!hot.any()) return;
  hot.cool();
  tracker.skips_changed_ = true;
}

void Tracked::State::shared_with_device() noexcept {
  if (device_ever) return;
  device_ever = true;
  if (hot.cool_part()) tracker.skips_changed_ = true;
}

void Tracked::State::lost() noexcept {
  lost_track = true;
  // First arm again, then take all for written: nothing falls between.
  tracker.kernel_->reopen();
  guard.reset();
  if (own) return owner.compare_all();  // the program may have made anything of its pages
  if (!start(owner.mechanism_)) owner.mechanism_ = Mechanism::scan;
  add_all(0, pages);
}

void Tracked::State::add_all(std::size_t first, std::size_t last) noexcept {
  if (own) return pending.add(first, last);  // what cannot be read is left for later
  if (!aliased) {
    pending.remove(first, last);
    mapped_pages(contents, false, first, last, [&](std::size_t from, std::size_t to) { pending.add(from, to); });
    return;
  }
  existing_pages(contents, first, last, [&](std::size_t from, std::size_t to) { pending.add(from, to); });
}

bool Tracked::State::ambiguous(std::size_t page, Device device) const {
  if (shadow != nullptr) return false;  // the device writes elsewhere
  const bool apart = owner.tells_devices_apart();
  if (device == Device::settled && apart) return false;  // what it wrote is as final as what the host did
  const bool is_checked = device == Device::active && watches_device();  // check_contested() tells
  if (device == Device::active && !is_checked) return true;
  if (mixed.has(page)) return true;
  // Base is older than some device work.
  if (device_ever && !known.has(page) && !is_checked) return !is_clean(page);
  return device_wrote && (!apart || (hot.has(page) && !is_checked));
}

bool Tracked::State::takes_whole(std::size_t page, Device device) const {
  if (stale.has(page)) return true;
  // Where all is compared, pending says nothing.
  if (shadow != nullptr || owner.mechanism_ == Mechanism::scan) return false;
  // Where the device may go on, check_contested() decides, if it can.
  if (device == Device::active && watches_device()) return false;
  if (device == Device::settled && watches_device() && !is_clean(page)) return true;
  // The host may have written what base has, and not what the device left there.
  return device_ever && !known.has(page) && !is_clean(page);
}

bool Tracked::State::any_unknown(const PageSet& of, std::size_t first, std::size_t last) const {
  if (!device_ever) return false;
  for (std::size_t page = of.next(first, last); page < last; page = of.next(page + 1, last))
    if (!known.has(page)) return true;
  return false;
}

void Tracked::State::report(std::size_t begin, std::size_t end, bool is_ambiguous, bool stable) noexcept {
  const std::uint64_t offset = begin - lead;
  const std::uint64_t size = end - begin;
  if (!ranges.empty()) {
    Range& last = ranges.back();
    const bool same_kind = last.ambiguous == is_ambiguous && (last.bytes != nullptr) == stable;
    if (same_kind && offset - (last.offset + last.size) <= std::min(gap, last_gap)) {
      last.size = offset + size - last.offset;
      return;
    }
  }
  try {
    ranges.push_back({offset, size, stable ? base + begin : nullptr, is_ambiguous});
    last_gap = gap;
  } catch (const std::bad_alloc&) {
    // Room for a few is reserved. One range too long is better than one too few.
    Range& last = ranges.back();
    last.size = offset + size - last.offset;
    last.ambiguous = true;
  }
}

// Ranges from `first` on that are very many are one again where little lies between
// them: what a device may have put there is then not known.
void Tracked::State::join_many(std::size_t first, std::size_t pages_of_them) noexcept {
  constexpr std::size_t most = 128;  // of a page
  if (ranges.size() <= first + most * pages_of_them) return;
  std::size_t kept = first;
  for (std::size_t i = first + 1; i < ranges.size(); ++i) {
    Range& last = ranges[kept];
    const Range& next = ranges[i];
    if (next.offset - (last.offset + last.size) <= merge_gap)
      last.size = next.offset + next.size - last.offset;
    else
      ranges[++kept] = next;
  }
  ranges.resize(kept + 1);
  for (std::size_t i = first; i <= kept; ++i) ranges[i].ambiguous = true;
}

void Tracked::State::report_differences(const std::byte* from, std::size_t begin, std::size_t end, Store store,
                                        bool is_ambiguous) noexcept {
  struct Context {
    State& state;
    std::size_t begin;
    bool ambiguous;
    bool stable;
  } context{*this, begin, is_ambiguous, store == Store::yes};
  differences(
      from, base + begin, end - begin, gap, store,
      [](void* passed, std::size_t first, std::size_t last) {
        const auto& c = *static_cast<Context*>(passed);
        c.state.report(c.begin + first, c.begin + last, c.ambiguous, c.stable);
      },
      &context);
}

void Tracked::State::report_run(std::size_t begin, std::size_t end, bool is_ambiguous, bool is_fresh) noexcept {
  if (shadow == nullptr) {
    take(begin, end, is_ambiguous, is_fresh);
    return;
  }
  // Only the bytes that the program changed are the device's from here on: those
  // beside them may be the device's own by now.
  std::byte before[page_bytes];
  while (begin < end) {
    const std::size_t stop = std::min(end, (begin / page_bytes + 1) * page_bytes);
    copy_live(base + begin, before, stop - begin);
    take(begin, stop, is_ambiguous, is_fresh);
    shadow->push(before, base + begin, begin - lead, stop - begin);
    begin = stop;
  }
}

// Pages that base does not have yet cost two faults each (one that reads, one that
// writes), and one to read what was written: a call for many (Linux 5.14) costs a third of that.
void Tracked::State::prepare_base(std::size_t first, std::size_t last) noexcept {
  constexpr std::size_t many = 8;
  // Where all is compared, what was not written gets no page.
  if (base_on_heap || shadow != nullptr || lost_track || owner.mechanism_ == Mechanism::scan) return;
  while (last - first >= many) {
    if (known.has(first)) {
      ++first;
      continue;
    }
    const std::size_t end = known.next(first, last);
    if (end - first >= many) {
      const std::size_t size = (end - first) * page_bytes;
      advise(base + first * page_bytes, size, MADV_POPULATE_WRITE);
      advise(const_cast<std::byte*>(contents) + first * page_bytes, size, MADV_POPULATE_READ);
    }
    first = end;
  }
}

void Tracked::State::take(std::size_t begin, std::size_t end, bool is_ambiguous, bool is_fresh) noexcept {
  if (!is_fresh) {
    report_differences(contents + begin, begin, end, Store::yes, is_ambiguous);
    return;
  }
  copy_live(contents + begin, base + begin, end - begin);
  report(begin, end, is_ambiguous, true);
}

bool Tracked::State::any_to_compare(std::size_t first, std::size_t last) const {
  for (std::size_t page = known.next(first, last); page < last; page = known.next(page + 1, last)) {
    if (device_watch == nullptr) return true;
    page = device_watch->next(page, last);
    if (page < last && known.has(page)) return true;
  }
  return false;
}

void Tracked::State::refresh_batch(std::size_t first, std::size_t last, Refresh which) noexcept {
  std::byte* const staged = tracker.staging_.data();
  PageSet& changed = tracker.staged_;
  PageSet& compared = tracker.compared_;
  changed.remove(0, Tracker::staging_pages);
  compared.remove(0, Tracker::staging_pages);
  const auto size_of = [&](std::size_t page) { return end_of(page + 1) - begin_of(page); };
  const auto staged_at = [&](std::size_t page) {
    return staged + (page - first) * page_bytes + (begin_of(page) - page * page_bytes);
  };
  const auto stage = [&](std::size_t from, std::size_t to) {
    for (std::size_t page = from; page < to; ++page) {
      if (!to_compare(page, which)) continue;
      const std::size_t begin = begin_of(page);
      // What the host wrote, too, is compared by changes(): until then the watch may not forget it.
      if (!pending.has(page)) compared.add(page - first, page - first + 1);
      if (!differs(contents + begin, base + begin, size_of(page))) continue;
      copy_live(contents + begin, staged_at(page), size_of(page));
      changed.add(page - first, page - first + 1);
    }
  };
  if (aliased)
    existing_pages(contents, first, last, stage);
  else
    mapped_pages(contents, own, first, last, stage);
  // The host may have written what was just read: then it is not the device's alone.
  if (changed.next(0, last - first) != last - first) look(first, last, Kernel::Rearm::no);

  for (std::size_t i = changed.next(0, last - first); i < last - first; i = changed.next(i + 1, last - first)) {
    const std::size_t page = first + i;
    const bool uncertain = pending.has(page) || fresh(page);
    if (!uncertain) device_pages.add(page, page + 1);
    if (uncertain) {
      mixed.add(page, page + 1);
      compared.remove(i, i + 1);
    }
    if (uncertain && which == Refresh::finished) stale.add(page, page + 1);
    if (uncertain && which != Refresh::everything) continue;
    report_differences(staged_at(page), begin_of(page), end_of(page + 1), uncertain ? Store::no : Store::yes,
                       uncertain);
    if (!uncertain) known.add(page, page + 1);
  }
  if (device_watch != nullptr) tell_watch(first, last);
}

// What refresh_batch() has compared is what base has now, but for pages that the host wrote, too.
void Tracked::State::tell_watch(std::size_t first, std::size_t last) noexcept {
  for (std::size_t from = first; from < last;) {
    const std::size_t block = from / DeviceWatch::block_pages;
    const std::size_t end = std::min(last, (block + 1) * DeviceWatch::block_pages);
    bool any = false;
    std::size_t changed = 0;
    for (std::size_t page = from; page < end; ++page) {
      changed += tracker.staged_.has(page - first) ? 1 : 0;
      if (!tracker.compared_.has(page - first)) continue;
      any = true;
      device_watch->compared(page);
    }
    if (any || changed != 0) device_watch->compared_block(block, changed);
    from = end;
  }
}

}  // namespace rondo::memory
