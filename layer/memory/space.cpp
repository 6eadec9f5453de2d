// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/space.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <new>

#include "layer/memory/kernel.h"

namespace rondo::memory {
namespace {

constexpr int hole_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

bool make_hole(std::uintptr_t start, std::size_t bytes) {
  void* const at = reinterpret_cast<void*>(start);
  return mmap(at, bytes, PROT_NONE, hole_flags | MAP_FIXED, -1, 0) == at;
}

// Reserved addresses count against the limit that the program and its driver live under,
// and what it does not leave them fails in their hands.
std::size_t room() noexcept {
  constexpr std::size_t our_share = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  unsigned long pages = 0;
  std::FILE* const file = std::fopen("/proc/thread-self/statm", "re");
  const bool known = file != nullptr && std::fscanf(file, "%lu", &pages) == 1;
  if (file != nullptr) std::fclose(file);
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return known && used < limit.rlim_cur ? (limit.rlim_cur - used) / our_share : 0;
}

// A place is two mappings, its base perhaps one more, and the program and its driver need
// theirs: a process that has as many as it may gets no memory at all any more.
std::size_t most_places() noexcept {
  constexpr std::size_t mappings_each = 3, our_share = 2, usual = 65530;
  unsigned long most = 0;
  std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "re");
  const bool known = file != nullptr && std::fscanf(file, "%lu", &most) == 1;
  if (file != nullptr) std::fclose(file);
  // Where there may be more, this many are still more than programs have.
  return std::min<std::size_t>(known ? most : usual, usual) / mappings_each / our_share;
}

constexpr std::uintptr_t round_up(std::uintptr_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

std::unique_ptr<Space> Space::reserve() noexcept try {
  std::unique_ptr<Space> space(new Space());
  void* const base = reinterpret_cast<void*>(reserved_base);
  const std::size_t most = room();
  for (std::size_t half = reserved_half; half >= (std::size_t{1} << 30); half /= 2) {
    if (half > most / 2) continue;
    void* const got = mmap(base, 2 * half, PROT_NONE, hole_flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == base) {
      space->half_ = half;
      space->most_ = most_places();
      space->free_.emplace(reserved_base, half);
      return space;
    }
    if (got != MAP_FAILED) munmap(got, 2 * half);  // a kernel that takes the address as a hint
  }
  return nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Space::~Space() {
  if (half_ != 0) munmap(reinterpret_cast<void*>(reserved_base), 2 * half_);
}

bool Space::watch(Kernel& kernel) noexcept { return kernel.watch(program_side(reserved_base), half_); }

std::uintptr_t Space::take(std::size_t bytes, std::size_t alignment) noexcept try {
  if (taken_ >= most_) return 0;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const std::uintptr_t start = it->first;
    const std::uintptr_t end = start + it->second;
    const std::uintptr_t place = round_up(start, alignment);
    if (place >= end || end - place < bytes) continue;
    if (place + bytes < end) free_.emplace(place + bytes, end - place - bytes);
    if (place > start)
      it->second = place - start;
    else
      free_.erase(it);
    ++taken_;
    return place;
  }
  return 0;
} catch (const std::bad_alloc&) {
  return 0;
}

bool Space::map(std::uintptr_t place, std::size_t bytes, int file) noexcept {
  for (const std::uintptr_t side : {place, place + half_}) {
    void* const at = reinterpret_cast<void*>(side);
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != at) return false;
  }
  return true;
}

void Space::give(std::uintptr_t place, std::size_t bytes, Kernel* kernel) noexcept try {
  // A place that cannot be made a hole again is not used again.
  if (!make_hole(place, bytes) || !make_hole(place + half_, bytes)) return;
  --taken_;
  if (kernel != nullptr && !kernel->watch(program_side(place), bytes)) return;
  const auto next = free_.lower_bound(place);
  const bool joins_next = next != free_.end() && next->first == place + bytes;
  const std::size_t after = joins_next ? next->second : 0;
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == place) {
      previous->second += bytes + after;
      if (joins_next) free_.erase(next);
      return;
    }
  }
  free_.emplace(place, bytes + after);
  if (joins_next) free_.erase(next);
} catch (const std::bad_alloc&) {
}

}  // namespace rondo::memory
