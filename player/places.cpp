// SPDX-License-Identifier: Apache-2.0
#include "player/places.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>

namespace rondo::player {

namespace {

struct Range {
  std::uint64_t bytes = 0;                        // reserved, from kPlacesBegin on
  std::map<std::uint64_t, std::uint64_t> taken;  // place → bytes
};

Range& range() {
  static auto* const one = new Range;
  return *one;
}

bool make_hole(std::uint64_t place, std::uint64_t bytes, int flags) {
  void* const at = reinterpret_cast<void*>(place);
  void* const got = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (got == at) return true;
  if (got != MAP_FAILED) munmap(got, bytes);
  return false;
}

}  // namespace

std::string address_text(std::uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

void reserve_places() {
  if (range().bytes != 0) return;
  // Less where there is an address-space limit.
  for (std::uint64_t bytes = kPlacesBytes; bytes >= std::uint64_t{1} << 30; bytes /= 2)
    if (make_hole(kPlacesBegin, bytes, MAP_FIXED_NOREPLACE)) {
      range().bytes = bytes;
      return;
    }
}

Result<PlacedMemory> PlacedMemory::map(std::uint64_t place, std::uint64_t bytes) {
  reserve_places();
  Range& r = range();
  const std::string what = "memory at " + address_text(place) + ", where the captured program's was, ";
  if (place < kPlacesBegin || place - kPlacesBegin > r.bytes || bytes > r.bytes - (place - kPlacesBegin))
    return fail(Status::device, what + "cannot be had: that address is not free in this process");
  auto after = r.taken.lower_bound(place);
  const bool runs_into_next = after != r.taken.end() && after->first - place < bytes;
  const bool within_last = after != r.taken.begin() && std::prev(after)->first + std::prev(after)->second > place;
  if (runs_into_next || within_last) return fail(Status::unreadable, what + "is taken by another allocation");
  void* const at = reinterpret_cast<void*>(place);
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != at)
    return fail(Status::failed, what + "cannot be had: " + std::strerror(errno));
  r.taken.emplace(place, bytes);
  PlacedMemory memory;
  memory.place_ = place;
  memory.bytes_ = bytes;
  return memory;
}

PlacedMemory& PlacedMemory::operator=(PlacedMemory&& other) noexcept {
  if (this == &other) return *this;
  release();
  place_ = other.place_;
  bytes_ = other.bytes_;
  other.place_ = other.bytes_ = 0;
  return *this;
}

void PlacedMemory::release() {
  if (bytes_ == 0) return;
  range().taken.erase(place_);
  make_hole(place_, bytes_, MAP_FIXED);
  bytes_ = 0;
}

}  // namespace rondo::player
