// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/tracker.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "layer/memory/kernel.h"
#include "layer/memory/memfd.h"
#include "layer/memory/own_pages.h"
#include "layer/memory/space.h"
#include "layer/memory/state.h"

namespace rondo::memory {
namespace {

// A scan of so much that nobody wrote costs what another scan beside it does.
constexpr std::size_t worth_skipping = 4u << 20;

constexpr std::size_t rounded_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

std::unique_ptr<Tracker> Tracker::create(const char* choice, bool must_tell) noexcept try {
  std::unique_ptr<Tracker> tracker(new Tracker());
  tracker->kernel_ = Kernel::open(must_tell);
  if (!tracker->kernel_) return nullptr;
  tracker->choose(choice == nullptr ? "auto" : choice);
  return tracker;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Tracker::choose(std::string choice) {
  const Facilities& can = kernel_->facilities();
  const auto complain = [&](const std::string& what) { message_ = "RONDO_MEMORY=" + choice + ": " + what; };
  if (choice != "auto" && choice != "alias" && choice != "pagemap" && choice != "scan" && choice != "guard" &&
      choice != "shadow") {
    complain("not one of auto, alias, pagemap, scan, shadow, guard; using auto");
    choice = "auto";
  }
  // Device addresses want places, however host writes are found.
  const bool may_place = choice == "auto" || choice == "alias" || choice == "guard";
  places_all_ = may_place;
  space_ = Space::reserve();
  if (choice == "guard") {
    if (Guard::works()) {
      mechanism_ = Mechanism::guard;
      return;
    }
    complain("a write to protected memory was not found here, using auto");
    choice = "auto";
  }
  if (may_place && space_ != nullptr && can.alias && space_->watch(*kernel_)) {
    may_shadow_ = true;
    mechanism_ = Mechanism::alias;
    arena_whole_ = !kernel_->by_touch();  // entries are taken out of one mapping at a time
    return;
  }
  may_shadow_ = choice != "pagemap" && choice != "scan";
  if (choice == "shadow") {
    mechanism_ = Mechanism::shadow;
    return;
  }
  mechanism_ = choice != "scan" && can.pagemap ? Mechanism::pagemap : Mechanism::scan;
  const std::string instead = std::string(", using ") + name(mechanism_);
  if (choice == "pagemap" && mechanism_ != Mechanism::pagemap) complain(can.reason + instead);
  if (!may_place || !message_.empty()) return;
  const std::string why = space_ == nullptr
                              ? "the address range from 0x7e8000000000 is not free, or beyond a limit of address space"
                              : can.reason;
  if (choice == "alias")
    complain(why + instead);
  else
    message_ = "host writes: " + why + instead;
}

Tracker::~Tracker() {
  if (!kernel_ || kernel_->ours()) return;
  static_cast<void>(space_.release());  // the parent's
}

std::unique_ptr<AliasMemory> Tracker::allocate(std::uint64_t size, std::uint64_t granule) noexcept {
  const std::size_t step = std::max<std::size_t>(page_bytes, granule);
  if (space_ == nullptr || !kernel_->ours() || size == 0 || step % page_bytes != 0) return nullptr;
  if (size > reserved_half || step > reserved_half) return nullptr;
  const std::size_t bytes = rounded_up(size, step);
  if (!affordable(bytes)) return nullptr;
  std::unique_ptr<AliasMemory> memory(new (std::nothrow) AliasMemory());
  if (!memory) return nullptr;
  const std::size_t room = room_of(bytes);
  const bool watched = mechanism_ == Mechanism::alias;
  if (watched) kernel_->reopen();  // the program may have closed the descriptor
  const std::uintptr_t place = space_->take(room, rounded_up(place_alignment, step), watched ? kernel_.get() : nullptr);
  if (place == 0) return nullptr;
  const int file = make_file(bytes);
  const bool mapped = file >= 0 && space_->map(place, room, file);
  if (file >= 0) close(file);
  if (!mapped || (watched && !kernel_->watch(space_->program_side(place), room))) {
    space_->give(place, room, watched ? kernel_.get() : nullptr);
    return nullptr;
  }
  memory->tracker_ = this;
  memory->place_ = place;
  memory->device_side_ = reinterpret_cast<std::byte*>(place);
  memory->program_side_ = space_->program_side(place);
  memory->size_ = bytes;
  return memory;
}

void Tracker::hold_no_more() noexcept {
  if (space_ != nullptr && kernel_->ours()) space_->let_go();
}

std::unique_ptr<Tracked> Tracker::track(AliasMemory& memory, Initial initial) noexcept {
  if (mechanism_ == Mechanism::alias && kernel_->by_touch() && memory.reader_ == nullptr) {
    void* const reader = map_once_more(memory.device_side_, memory.size_);
    if (reader != MAP_FAILED) memory.reader_ = static_cast<std::byte*>(reader);
  }
  const std::byte* const contents = memory.reader_ != nullptr ? memory.reader_ : memory.device_side_;
  auto tracked = track(contents, memory.program_side_, memory.size_, initial, true, best_for(true));
  if (tracked != nullptr) tracked->state_->device_side = memory.device_side_;
  return tracked;
}

std::unique_ptr<Tracked> Tracker::track(void* mapped, std::uint64_t size, Initial initial, bool cached) noexcept {
  auto* const start = static_cast<std::byte*>(mapped);
  if (mechanism_ == Mechanism::shadow && !cached) return track_shadow(start, size, initial);
  const Mechanism wanted = has_pages_of(start, size) ? Mechanism::scan : best_for(false);
  auto tracked = track(start, start, size, initial, false, wanted);
  // A GPU's own memory cannot be watched, and reading all of it is slow.
  const bool unwatched = tracked != nullptr && tracked->mechanism() == Mechanism::scan &&
                         kernel_->facilities().pagemap && size >= 2 * page_bytes;
  if (!unwatched || cached || !may_shadow_) return tracked;
  tracked.reset();
  return track_shadow(start, size, initial);
}

std::unique_ptr<Tracked> Tracker::track_shadow(std::byte* mapped, std::uint64_t size, Initial initial) noexcept {
  if (!kernel_->ours() || size == 0) return nullptr;
  auto shadow = Shadow::create(mapped, size, initial == Initial::zeros);
  if (shadow == nullptr) return nullptr;
  auto tracked = track(shadow->copy(), shadow->copy(), size, initial, false, best_for(false));
  if (tracked == nullptr) return nullptr;
  tracked->state_->shadow = std::move(shadow);
  // What is the device's is told by what was there.
  if (initial == Initial::unknown) tracked->state_->fill_base();
  return tracked;
}

std::unique_ptr<Tracked> Tracker::track_own_pages(void* pages, std::uint64_t size, bool may_protect) noexcept {
  auto* const start = static_cast<std::byte*>(pages);
  const bool shared = has_pages_of(start, size);
  const bool watch = may_protect && !shared && mechanism_ != Mechanism::scan && kernel_->facilities().pagemap &&
                     can_watch_own_pages(start, size);
  auto tracked = track(start, start, size, Initial::zeros, false, watch ? Mechanism::pagemap : Mechanism::scan, true);
  if (tracked != nullptr) tracked->state_->add_all(0, tracked->state_->pages);
  return tracked;
}

Mechanism Tracker::best_for(bool aliased) const noexcept {
  if (mechanism_ == Mechanism::guard) return Mechanism::guard;
  if (aliased && mechanism_ != Mechanism::shadow) return mechanism_;
  return mechanism_ == Mechanism::scan || !kernel_->facilities().pagemap ? Mechanism::scan : Mechanism::pagemap;
}

bool Tracker::has_pages_of(const std::byte* start, std::uint64_t size) const noexcept {
  const auto overlaps = [&](const Tracked* tracked) {
    const std::byte* const there = tracked->program_side();
    return there < start + size && start < there + tracked->size_;
  };
  return std::any_of(foreign_.begin(), foreign_.end(), overlaps) ||
         std::any_of(aliased_.begin(), aliased_.end(), overlaps);
}

std::unique_ptr<Tracked> Tracker::track(const std::byte* contents, std::byte* watched, std::uint64_t size,
                                        Initial initial, bool aliased, Mechanism wanted, bool own) noexcept try {
  if (!kernel_->ours() || size == 0) return nullptr;
  if (staging_.empty()) staging_.resize(staging_pages * page_bytes);
  std::unique_ptr<Tracked> tracked(new Tracked());
  tracked->size_ = size;
  auto state = std::make_unique<Tracked::State>(*tracked, *this, contents, watched, size, aliased);
  if (state->base == nullptr) return nullptr;
  state->unknown_start = initial == Initial::unknown;
  state->own = own;
  std::vector<Tracked*>& list = aliased ? aliased_ : foreign_;
  const auto at = std::upper_bound(list.begin(), list.end(), watched, [](const std::byte* address, const Tracked* t) {
    return address < t->state_->watched;
  });
  found_.reserve(aliased_.size() + foreign_.size() + 1);
  list.insert(at, tracked.get());
  skips_changed_ = true;  // it may lie between two that rest
  // From here on nothing throws.
  if (wanted != Mechanism::scan && state->start(wanted)) tracked->mechanism_ = wanted;
  if (initial == Initial::current) state->take_current();
  tracked->state_ = std::move(state);
  if (wanted == Mechanism::alias && tracked->mechanism_ != Mechanism::alias) arena_whole_ = false;
  return tracked;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Tracker::forget(Tracked* tracked) noexcept {
  skips_changed_ = true;
  std::erase(aliased_, tracked);
  std::erase(foreign_, tracked);
  std::erase(found_, tracked);
}

// One scan from the first to the last tracked memory. False: look at each.
bool Tracker::scan_arena() noexcept {
  if (mechanism_ != Mechanism::alias || !arena_whole_) return false;
  const auto start_of = [](const Tracked* t) { return reinterpret_cast<std::uintptr_t>(t->state_->watched); };
  const auto end_of = [&](const Tracked* t) { return start_of(t) + t->size_; };
  if (skips_changed_) list_skipped();
  auto current = aliased_.begin();
  const auto found = [&](std::uintptr_t from, std::uintptr_t to) {
    while (current != aliased_.end() && end_of(*current) <= from) ++current;
    for (auto it = current; it != aliased_.end() && start_of(*it) < to; ++it) {
      const std::uintptr_t start = start_of(*it);
      (*it)->state_->written((std::max(from, start) - start) / page_bytes,
                             (std::min(to, end_of(*it)) - start) / page_bytes, Kernel::Rearm::yes);
    }
  };
  std::uintptr_t at = start_of(aliased_.front());
  const std::uintptr_t end = end_of(aliased_.back());
  bool scanned = true;
  // From one memory at rest to the next: what is hot between has to be mapped, too.
  for (auto skip = skipped_.begin();; ++skip) {
    const auto rest = std::find_if(skip, skipped_.end(), [](const Skip& one) { return one.rests; });
    const std::uintptr_t stop = rest == skipped_.end() ? end : rest->begin;
    scanned = scanned && kernel_->may_scan(at, stop);
    for (; skip != rest; ++skip) {
      scanned = scanned && kernel_->scan_part(at, skip->begin, Kernel::Rearm::yes, found);
      at = skip->end;
    }
    scanned = scanned && kernel_->scan_part(at, stop, Kernel::Rearm::yes, found);
    if (rest == skipped_.end()) break;
    at = rest->end;
  }
  for (Tracked* tracked : aliased_) {
    Tracked::State& state = *tracked->state_;
    if (state.resting) continue;
    state.hot.runs(0, state.hot.any() ? state.pages : 0, [&](std::size_t first, std::size_t last, bool hot) {
      if (hot) state.add_all(first, last);
    });
    state.scanned();
  }
  if (scanned) return true;
  // Some pages may have been re-armed without being reported: all are lost.
  kernel_->reopen();
  for (Tracked* tracked : aliased_) tracked->state_->lost();
  const bool all_armed =
      std::all_of(aliased_.begin(), aliased_.end(), [](const Tracked* t) { return t->mechanism_ == Mechanism::alias; });
  arena_whole_ = all_armed && space_->watch(*kernel_);
  return true;
}

void Tracker::list_skipped() noexcept try {
  skips_changed_ = false;
  skipped_.clear();
  const auto start_of = [](const Tracked* t) { return reinterpret_cast<std::uintptr_t>(t->state_->watched); };
  const auto end_of = [](const Tracked* t) {
    return reinterpret_cast<std::uintptr_t>(t->state_->watched) + t->state_->pages * page_bytes;
  };
  for (auto it = aliased_.begin(); it != aliased_.end();) {
    const auto awake = std::find_if(it, aliased_.end(), [](const Tracked* t) { return !t->state_->resting; });
    if (awake != it) {
      const Tracked* const last = *std::prev(awake);
      const Skip rests{start_of(*it), start_of(last) + last->size_, true};
      if (rests.end - rests.begin >= worth_skipping) {
        skipped_.push_back(rests);
        it = awake;
        continue;
      }
    }
    for (; it != aliased_.end() && it <= awake; ++it) {
      const Tracked::State& state = *(*it)->state_;
      const std::uintptr_t start = start_of(*it);
      state.hot.runs(0, state.hot.any() ? state.pages : 0, [&](std::size_t first, std::size_t last, bool hot) {
        if (!hot) return;
        const Skip skip{start + first * page_bytes, start + last * page_bytes, false};
        // Between two memories is nothing to scan.
        const bool joined = first == 0 && it != aliased_.begin() && !skipped_.empty() && !skipped_.back().rests &&
                            skipped_.back().end == end_of(*std::prev(it));
        if (joined)
          skipped_.back().end = skip.end;
        else
          skipped_.push_back(skip);
      });
    }
  }
} catch (const std::bad_alloc&) {
  skipped_.clear();
  for (Tracked* tracked : aliased_) tracked->state_->hot.cool();
}

std::span<Tracked* const> Tracker::scan(Between between) noexcept {
  found_.clear();
  between_ = between == Between::yes;
  if (!kernel_->ours()) return {};
  if (!aliased_.empty() && !scan_arena())
    for (Tracked* tracked : aliased_)
      if (!tracked->state_->resting) tracked->state_->look();
  for (Tracked* tracked : foreign_) tracked->state_->look();
  // Room for all was reserved when they were made.
  for (const auto* list : {&aliased_, &foreign_})
    for (Tracked* tracked : *list)
      if (!tracked->state_->pending.empty()) found_.push_back(tracked);
  return found_;
}

}  // namespace rondo::memory
