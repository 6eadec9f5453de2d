// SPDX-License-Identifier: Apache-2.0
// Memory that stands in the place of a driver's.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "layer/memory/kernel.h"
#include "layer/memory/own_pages.h"
#include "layer/memory/space.h"
#include "layer/memory/state.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {
namespace {

void make_private(std::byte* pages, std::size_t bytes) {
  mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

}  // namespace

AliasMemory::~AliasMemory() {
  if (tracker_ == nullptr) return;
  std::erase(tracker_->private_, this);
  if (!tracker_->kernel_->ours()) return;
  if (reader_ != nullptr) munmap(reader_, size_);
  Kernel* const watching = tracker_->mechanism_ == Mechanism::alias ? tracker_->kernel_.get() : nullptr;
  tracker_->space_->give(place_, room_of(size_), watching);
}

bool AliasMemory::cover(std::byte* pages) noexcept {
  if (!tracker_->kernel_->ours() || reinterpret_cast<std::uintptr_t>(pages) % page_bytes != 0) return false;
  switch (backing_of(pages, size_)) {
    case Backing::anonymous:
      if (!map_once_more(device_side_, size_, pages)) {
        make_private(pages, size_);  // what was there may be unmapped
        return false;
      }
      replaced_ = true;
      stands_for_private();
      break;
    case Backing::shared:
      if (!map_once_more(pages, size_, program_side_) ||
          (tracker_->mechanism_ == Mechanism::alias && !tracker_->kernel_->watch(program_side_, size_)))
        return false;
      if (advise(pages, size_, MADV_REMOVE) != 0) std::memset(pages, 0, size_);
      break;
    case Backing::unknown:
      return false;
  }
  device_side_ = pages;
  return true;
}

void AliasMemory::uncover() noexcept {
  if (!covers()) return;
  std::erase(tracker_->private_, this);
  if (std::exchange(replaced_, false)) make_private(device_side_, size_);
  device_side_ = reinterpret_cast<std::byte*>(place_);
}

void AliasMemory::stands_for_private() noexcept try {
  const auto by_place = [](const AliasMemory* a, const AliasMemory* b) { return a->place_ < b->place_; };
  auto& all = tracker_->private_;
  all.insert(std::upper_bound(all.begin(), all.end(), this, by_place), this);
} catch (const std::bad_alloc&) {
  // Children share it, then.
}

void Tracker::before_fork() noexcept { fork_copies_.make(private_); }

void Tracker::after_fork(bool is_child) noexcept {
  left_shared_ = fork_copies_.left_shared();
  if (is_child)
    fork_copies_.use();
  else
    fork_copies_.drop();
}

AliasMemory* Tracker::private_with(const std::byte* start, std::size_t bytes) const noexcept {
  for (AliasMemory* const memory : private_) {
    const std::byte* const from = memory->program_side_;
    if (start >= from && start < from + memory->size_ &&
        bytes <= static_cast<std::size_t>(from + memory->size_ - start))
      return memory;
  }
  return nullptr;
}

bool Tracker::give_back(std::byte* start, std::size_t bytes) noexcept {
  const AliasMemory* const memory = private_with(start, bytes);
  // A child that has no copy of it would take the pages from its parent.
  if (memory == nullptr || (!kernel_->ours() && left_shared_ != 0)) return false;
  if (advise(start, bytes, MADV_REMOVE) != 0) return false;
  const auto first = static_cast<std::size_t>(start - memory->program_side_) / page_bytes;
  for (Tracked* const tracked : aliased_)
    if (tracked->program_side() == memory->program_side_)
      tracked->state_->pending.add(first, first + bytes / page_bytes);
  return true;
}

}  // namespace rondo::memory
