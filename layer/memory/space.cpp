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
constexpr std::size_t hold_step = std::size_t{16} << 20;  // three system calls each

bool make_hole(std::uintptr_t start, std::size_t bytes) {
  void* const at = reinterpret_cast<void*>(start);
  return mmap(at, bytes, PROT_NONE, hole_flags | MAP_FIXED, -1, 0) == at;
}

// Where nobody has anything.
bool make_new_hole(std::uintptr_t start, std::size_t bytes) {
  void* const at = reinterpret_cast<void*>(start);
  void* const got = mmap(at, bytes, PROT_NONE, hole_flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == at) return true;
  if (got != MAP_FAILED) munmap(got, bytes);  // a kernel that takes the address as a hint
  return false;
}

void unmap(std::uintptr_t start, std::size_t bytes) {
  if (bytes != 0) munmap(reinterpret_cast<void*>(start), bytes);
}

// What is held counts against the limit that the program and its driver live under,
// and what it does not leave them fails in their hands: a quarter of it with the `held` bytes.
std::size_t share(std::size_t held) noexcept {
  constexpr std::size_t our_share = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  unsigned long pages = 0;
  std::FILE* const file = std::fopen("/proc/thread-self/statm", "re");
  const bool known = file != nullptr && std::fscanf(file, "%lu", &pages) == 1;
  if (file != nullptr) std::fclose(file);
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t others = used > held ? used - held : 0;
  return known && others < limit.rlim_cur ? (limit.rlim_cur - others) / our_share : 0;
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
  if (!space->hold(hold_step, nullptr)) return nullptr;
  space->most_ = most_places();
  space->free_.emplace(reserved_base, reserved_half);
  return space;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Space::~Space() { let_go(0); }

bool Space::watch(Kernel& kernel) noexcept { return kernel.watch(program_side(reserved_base), held_); }

bool Space::hold(std::size_t bytes, Kernel* kernel) noexcept {
  if (bytes <= held_) return true;
  const std::size_t to = std::min(round_up(bytes, hold_step), reserved_half), more = to - held_;
  const std::uintptr_t start = reserved_base + held_;
  if (2 * to > share(2 * held_) || !make_new_hole(start, more)) return false;
  if (!make_new_hole(start + reserved_half, more)) {
    unmap(start, more);
    return false;
  }
  const std::size_t before = held_;
  held_ = to;
  if (kernel == nullptr || kernel->watch(program_side(start), more)) return true;
  let_go(before);
  return false;
}

void Space::let_go(std::size_t from) noexcept {
  if (from >= held_) return;
  unmap(reserved_base + from, held_ - from);
  unmap(reserved_base + reserved_half + from, held_ - from);
  held_ = from;
}

// What the last place leaves free, but for `spare`.
void Space::let_go_of_end(std::size_t spare) noexcept {
  if (free_.empty()) return;
  const auto last = std::prev(free_.end());
  if (last->first + last->second == reserved_base + reserved_half) let_go(last->first - reserved_base + spare);
}

void Space::let_go() noexcept { let_go_of_end(0); }

std::uintptr_t Space::take(std::size_t bytes, std::size_t alignment, Kernel* kernel) noexcept try {
  if (taken_ >= most_) return 0;
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    const std::uintptr_t start = it->first;
    const std::uintptr_t end = start + it->second;
    const std::uintptr_t place = round_up(start, alignment);
    if (place >= end || end - place < bytes) continue;
    if (!hold(place + bytes - reserved_base, kernel)) return 0;
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
  for (const std::uintptr_t side : {place, place + reserved_half}) {
    void* const at = reinterpret_cast<void*>(side);
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != at) return false;
  }
  return true;
}

void Space::give(std::uintptr_t place, std::size_t bytes, Kernel* kernel) noexcept try {
  // A place that cannot be made a hole again is not used again.
  if (!make_hole(place, bytes) || !make_hole(place + reserved_half, bytes)) return;
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
      let_go_of_end(2 * hold_step);
      return;
    }
  }
  free_.emplace(place, bytes + after);
  if (joins_next) free_.erase(next);
  let_go_of_end(2 * hold_step);
} catch (const std::bad_alloc&) {
}

}  // namespace rondo::memory
