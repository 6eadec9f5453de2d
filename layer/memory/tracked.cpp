// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <new>

#include "layer/memory/kernel.h"
#include "layer/memory/state.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {
namespace {

// The end of [offset, offset + size) within `limit`.
std::uint64_t clipped_end(std::uint64_t offset, std::uint64_t size, std::uint64_t limit) {
  return size > limit - offset ? limit : offset + size;
}

}  // namespace

Tracked::~Tracked() {
  // In a forked child the mappings are the parent's business, and base is not there.
  if (state_ == nullptr) return;
  if (!state_->tracker.kernel_->ours()) {
    static_cast<void>(state_.release());
    return;
  }
  state_->tracker.forget(this);
  state_->cool();
  if (!state_->aliased && mechanism_ == Mechanism::pagemap)
    state_->tracker.kernel_->unwatch(state_->watched + state_->armed_first * page_bytes,
                                     (state_->armed_last - state_->armed_first) * page_bytes);
}

Mechanism Tracked::mechanism() const noexcept { return state_->shadow != nullptr ? Mechanism::shadow : mechanism_; }

std::byte* Tracked::program_side() const noexcept { return state_->watched + state_->lead; }

const std::byte* Tracked::contents() const noexcept { return state_->contents + state_->lead; }

bool Tracked::tells_devices_apart() const noexcept {
  return state_->shadow != nullptr || (state_->aliased && mechanism_ != Mechanism::scan);
}

bool Tracked::watches_device() const noexcept { return state_->watches_device(); }

void Tracked::adapt(bool may) noexcept {
  State& s = *state_;
  s.adaptive = may && (mechanism_ == Mechanism::alias || mechanism_ == Mechanism::pagemap);
  if (!s.adaptive) s.cool();
}

void Tracked::compare_all() noexcept {
  State& s = *state_;
  if (mechanism_ == Mechanism::scan || s.shadow != nullptr || s.aliased) return;
  s.cool();
  s.guard.reset();
  if (mechanism_ == Mechanism::pagemap)
    s.tracker.kernel_->unwatch(s.watched + s.armed_first * page_bytes, (s.armed_last - s.armed_first) * page_bytes);
  mechanism_ = Mechanism::scan;
  s.adaptive = false;
  s.add_all(0, s.pages);
}

bool Tracked::anything_differs() noexcept {
  State& s = *state_;
  for (std::size_t page = s.pending.next(0, s.pages); page < s.pages; page = s.pending.next(page + 1, s.pages)) {
    if (s.readable_until(page, page + 1) == page) continue;
    if (s.stale.has(page) || s.mixed.has(page)) return true;
    const std::size_t begin = s.begin_of(page);
    if (memory::differs(s.contents + begin, s.base + begin, s.end_of(page + 1) - begin)) return true;
  }
  return false;
}

void Tracked::rest(bool rests) noexcept {
  if (state_->resting == rests) return;
  state_->resting = rests;
  state_->tracker.skips_changed_ = true;
  // The handler may be another one by now, and no scan looked.
  if (!rests && state_->guard != nullptr) state_->look(0, 1, Kernel::Rearm::no);
}

void Tracked::watch_device(bool untouched) noexcept try {
  State& s = *state_;
  if (!s.aliased || mechanism_ != Mechanism::alias || s.device_watch != nullptr) return;
  if (s.tracker.kernel_->by_touch() && s.contents == s.device_side) return;  // our own reads are touches
  s.device_watch = std::make_unique<DeviceWatch>(*s.tracker.kernel_, s.device_side, s.pages, untouched);
} catch (const std::bad_alloc&) {
  // Everything is compared, then.
}

std::span<const Range> Tracked::collect(std::uint64_t offset, std::uint64_t size, Device device,
                                        Contested contested) noexcept {
  State& s = *state_;
  s.kept_contested = false;
  if (!s.tracker.kernel_->ours() || offset >= size_) return {};
  const std::size_t first = s.page_of(offset), last = s.page_after(clipped_end(offset, size, size_));
  if (first == 0 && last == s.pages)
    s.look();
  else
    s.look(first, last, Kernel::Rearm::yes);
  return changes(offset, size, device, contested);
}

std::span<const Range> Tracked::changes(std::uint64_t offset, std::uint64_t size, Device device,
                                        Contested contested) noexcept {
  State& s = *state_;
  s.ranges.clear();
  s.kept_contested = false;
  if (s.notes_undone) s.undone.remove(0, s.pages);
  if (!s.tracker.kernel_->ours() || offset >= size_) return {};
  const std::uint64_t end_offset = clipped_end(offset, size, size_);
  if (device != Device::idle) {
    s.device_wrote = true;
    s.shared_with_device();
  }
  const std::size_t first = s.page_of(offset);
  const std::size_t last = s.page_after(end_offset);
  const std::size_t from = s.lead + offset;
  const std::size_t to = s.lead + end_offset;

  const bool checks = device == Device::active && s.watches_device();
  if (s.watches_device() &&
      (device == Device::settled || (device == Device::idle && s.any_unknown(s.pending, first, last))))
    s.peek(s.pending, first, last);

  for (std::size_t page = s.pending.next(first, last); page < last; page = s.pending.next(page, last)) {
    if (s.own && s.readable_until(page, page + 1) == page) {  // it stays pending
      ++page;
      continue;
    }
    const bool hot = s.hot.has(page);
    const std::size_t most = hot ? std::min(last, HotBlocks::block_end(page)) : s.notes_undone ? page + 1 : last;
    const bool ambiguous = s.ambiguous(page, device);
    const bool fresh = s.fresh(page);
    const bool stale = s.takes_whole(page, device);
    s.gap = s.gap_of(page, device);
    std::size_t stop = page + 1;
    while (stop < most && s.hot.has(stop) == hot && s.pending.has(stop) && s.ambiguous(stop, device) == ambiguous &&
           s.fresh(stop) == fresh && s.takes_whole(stop, device) == stale && s.gap_of(stop, device) == s.gap)
      ++stop;
    stop = s.readable_until(page, stop);
    const std::size_t begin = s.begin_of(page);
    const std::size_t end = s.end_of(stop);
    // A page whose start nobody knows is taken whole, or base would not hold it.
    const std::size_t clip_begin = fresh ? begin : std::max(begin, from);
    const std::size_t clip_end = fresh ? end : std::min(end, to);
    s.prepare_base(page, stop);
    const std::uint64_t reported = s.reported_until();
    const std::size_t ranges_before = s.ranges.size();
    s.report_run(clip_begin, clip_end, ambiguous, fresh || stale);
    if (s.gap == no_gap && s.shadow == nullptr) s.join_many(ranges_before, stop - page);
    const bool changed = s.reported_until() != reported;
    if (s.notes_undone && !changed) s.undone.add(page, stop);
    if (checks) s.taken.add(page, stop);
    // A look between two calls that finds nothing says nothing of what is written for each of them.
    if (hot && (changed || !s.tracker.between_) && s.hot.compared(page, changed)) s.tracker.skips_changed_ = true;
    // What was clipped off is still to be compared, or given whole as what was not.
    if (stale) s.stale.add(page, stop);
    s.known.add(page, stop);
    const std::size_t done_first = clip_begin == begin ? page : page + 1;
    const std::size_t done_last = clip_end == end ? stop : stop - 1;
    if (done_first < done_last) {
      s.pending.remove(done_first, done_last);
      s.mixed.remove(done_first, done_last);
      s.stale.remove(done_first, done_last);
    }
    page = stop;
  }
  if (checks) {
    s.peek(s.taken, first, last);
    s.check_contested(contested);
    s.taken.remove(first, last);
  }
  if (from == s.lead && to == s.lead + s.bytes) s.device_wrote = s.lost_track = false;
  return s.ranges;
}

bool Tracked::kept_contested() const noexcept { return state_->kept_contested; }

void Tracked::note_undone(bool may) noexcept {
  state_->notes_undone = may;
  state_->undone.remove(0, state_->pages);
}

void Tracked::each_undone(const std::function<void(std::uint64_t from, std::uint64_t to)>& visit) const {
  const State& s = *state_;
  for (std::size_t page = s.undone.next(0, s.pages); page < s.pages; page = s.undone.next(page + 1, s.pages))
    visit(s.begin_of(page) - s.lead, s.end_of(page + 1) - s.lead);
}

std::span<const Range> Tracked::refresh(std::uint64_t offset, std::uint64_t size, Refresh which) noexcept {
  State& s = *state_;
  s.ranges.clear();
  s.gap = merge_gap;
  if (!s.tracker.kernel_->ours() || offset >= size_) return {};
  const std::uint64_t end = clipped_end(offset, size, size_);
  const std::size_t first = s.page_of(offset);
  const std::size_t last = s.page_after(end);
  if (s.shadow != nullptr) {
    s.pull(s.begin_of(first), s.end_of(last));
    return s.ranges;
  }
  s.device_wrote = true;
  if (which != Refresh::everything) s.shared_with_device();
  if (s.device_watch != nullptr) s.device_watch->look(first, last, s.known);
  for (std::size_t page = first; page < last; page += Tracker::staging_pages) {
    const std::size_t end_page = std::min(last, page + Tracker::staging_pages);
    if (which == Refresh::everything || s.any_to_compare(page, end_page)) s.refresh_batch(page, end_page, which);
  }
  if (which == Refresh::everything && first == 0 && last == s.pages) s.device_ever = false;
  return s.ranges;
}

}  // namespace rondo::memory
