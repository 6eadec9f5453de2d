// SPDX-License-Identifier: Apache-2.0
// Contested pages: those that the host wrote while a device was writing them, too.
#include <new>

#include "layer/memory/state.h"

namespace rondo::memory {

// One call for what is not far apart.
void Tracked::State::peek(const PageSet& wanted, std::size_t first, std::size_t last) noexcept {
  constexpr std::size_t far = 1024;  // pages
  for (std::size_t page = wanted.next(first, last); page < last;) {
    std::size_t end = page + 1, next = wanted.next(end, last);
    for (; next < last && next - end < far; next = wanted.next(end, last)) end = next + 1;
    device_watch->peek(page, end);
    page = next;
  }
}

void Tracked::State::check_contested(Contested what) noexcept try {
  const auto is_contested = [&](std::size_t page) { return taken.has(page) && !device_watch->clean(page); };
  const auto next = [&](std::size_t page) {
    page = taken.next(page, pages);
    while (page < pages && !is_contested(page)) page = taken.next(page + 1, pages);
    return page;
  };
  const std::size_t first = next(0);
  if (first == pages) return;
  // Pages without a difference, too: what the host wrote may be what base has, and not what the device wrote.
  for (std::size_t page = first; page < pages && what == Contested::keep; page = next(page + 1)) contest(page);
  std::vector<Range> parts;
  parts.reserve(ranges.size() + kRoom);
  for (const Range& range : ranges) {
    std::uint64_t at = range.offset;
    const std::uint64_t end = range.offset + range.size;
    const auto until = [&](std::uint64_t to, bool is_ambiguous) {
      if (to <= at) return;
      if (!parts.empty() && parts.back().ambiguous == is_ambiguous && parts.back().offset + parts.back().size == at)
        parts.back().size += to - at;
      else
        parts.push_back({at, to - at, range.bytes + (at - range.offset), is_ambiguous});
      at = to;
    };
    const std::size_t stop = page_after(end);
    for (std::size_t page = page_of(at); page < stop; ++page) {
      if (!is_contested(page)) continue;
      until(std::max<std::uint64_t>(at, begin_of(page) - lead), range.ambiguous);
      const std::uint64_t page_end = std::min<std::uint64_t>(end, end_of(page + 1) - lead);
      if (what == Contested::record) until(page_end, true);
      at = page_end;
    }
    until(end, range.ambiguous);
  }
  ranges.swap(parts);
} catch (const std::bad_alloc&) {
  for (Range& range : ranges) range.ambiguous = true;
}

// Base has it with what the device wrote by now; it is given whole later.
void Tracked::State::contest(std::size_t page) noexcept {
  kept_contested = true;
  device_watch->keep(page / DeviceWatch::block_pages);
  if (hot.has(page)) {
    hot.never(page);
    tracker.skips_changed_ = true;
  }
  for (PageSet* set : {&pending, &mixed, &stale}) set->add(page, page + 1);
}

}  // namespace rondo::memory
