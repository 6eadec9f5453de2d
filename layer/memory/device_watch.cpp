// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/device_watch.h"

#include <algorithm>

namespace rondo::memory {

DeviceWatch::DeviceWatch(Kernel& kernel, std::byte* start, std::size_t pages, bool untouched)
    : kernel_(kernel),
      start_(start),
      pages_(pages),
      quiet_((pages + block_pages - 1) / block_pages),
      watched_(quiet_.size()),
      kept_(quiet_.size()),
      dirty_(pages) {
  if (!begin(0, pages_)) {
    failures_ = most_failures;
    return;
  }
  watched_.add(0, quiet_.size());
  if (!untouched) dirty_.add(0, pages_);
}

bool DeviceWatch::begin(std::size_t first, std::size_t last) noexcept {
  std::byte* const at = start_ + first * page_bytes;
  if (registered_) return kernel_.arm(at, (last - first) * page_bytes);
  registered_ =
      kernel_.watch(start_, pages_ * page_bytes) && kernel_.arm(at, (last - first) * page_bytes) && kernel_.proves(at);
  return registered_;
}

// The program may have closed the descriptor, and the protection went with it.
void DeviceWatch::fail() noexcept {
  watched_.remove(0, quiet_.size());
  std::fill(quiet_.begin(), quiet_.end(), std::uint8_t{0});
  ready_ = 0;
  registered_ = false;
  ++failures_;
}

template <class In>
bool DeviceWatch::scan(std::size_t first_block, std::size_t end_block, Kernel::Rearm rearm, In is_in) noexcept {
  const auto start = reinterpret_cast<std::uintptr_t>(start_);
  bool done = true;
  runs(first_block, end_block, is_in, [&](std::size_t from, std::size_t to) {
    done = done && kernel_.scan(start + pages_until(from) * page_bytes, start + pages_until(to) * page_bytes, rearm,
                                [&](std::uintptr_t written, std::uintptr_t end) {
                                  dirty_.add((written - start) / page_bytes, (end - start) / page_bytes);
                                });
  });
  return done;
}

void DeviceWatch::peek(std::size_t first, std::size_t last) noexcept {
  if (!scan(first / block_pages, (last + block_pages - 1) / block_pages, Kernel::Rearm::no,
            [&](std::size_t block) { return watched_.has(block); }))
    fail();
}

void DeviceWatch::look(std::size_t first, std::size_t last, const PageSet& known) noexcept {
  if (!works()) return;
  const std::size_t begin_block = first / block_pages;
  const std::size_t end_block = (last + block_pages - 1) / block_pages;
  bool done = scan(begin_block, end_block, Kernel::Rearm::yes, [&](std::size_t block) {
    const std::size_t end = pages_until(block + 1);
    return watched_.has(block) && known.next(block * block_pages, end) != end;
  });
  // Armed first, and compared after that: then no write falls between.
  if (done && ready_ != 0)
    runs(
        begin_block, end_block,
        [&](std::size_t block) { return quiet_[block] >= quiet_compares && !watched_.has(block); },
        [&](std::size_t from, std::size_t to) {
          done = done && begin(pages_until(from), pages_until(to));
          if (!done) return;
          watched_.add(from, to);
          dirty_.add(pages_until(from), pages_until(to));
          ready_ -= to - from;
        });
  if (!done) fail();
}

void DeviceWatch::keep(std::size_t block) noexcept {
  kept_.add(block, block + 1);
  if (watched_.has(block) || quiet_[block] >= quiet_compares) return;
  quiet_[block] = quiet_compares;  // the next look() begins it
  ++ready_;
}

std::size_t DeviceWatch::next(std::size_t from, std::size_t limit) const noexcept {
  while (from < limit) {
    const std::size_t block = from / block_pages;
    if (!watched_.has(block)) return from;
    const std::size_t end = std::min(limit, (block + 1) * block_pages);
    const std::size_t found = dirty_.next(from, end);
    if (found != end) return found;
    from = end;
  }
  return limit;
}

void DeviceWatch::compared_block(std::size_t block, std::size_t changed) noexcept {
  const bool busy = changed >= busy_pages;
  if (watched_.has(block)) {
    if (!busy || kept_.has(block)) return;
    watched_.remove(block, block + 1);
    quiet_[block] = 0;
    return;
  }
  const bool was_ready = quiet_[block] >= quiet_compares;
  if (busy && !kept_.has(block))
    quiet_[block] = 0;
  else if (!was_ready)
    ++quiet_[block];
  const bool is_ready = quiet_[block] >= quiet_compares;
  if (is_ready && !was_ready) ++ready_;
  if (!is_ready && was_ready) --ready_;
}

}  // namespace rondo::memory
