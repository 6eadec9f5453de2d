// SPDX-License-Identifier: Apache-2.0
#include "player/plan/places.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>

#include "format/address_space.h"

namespace rondo::player {

namespace {

struct Range {
  std::uint64_t bytes = 0;                       // reserved, from kPlacesBegin on; 0: each place when it is wanted
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
  // Where address space is limited each place is mapped when it is wanted: what is reserved here the driver
  // would lack.
  if (range().bytes != 0 || address_space_limit()) return;
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
  const auto is_within = [&](std::uint64_t size) {
    return place >= kPlacesBegin && place - kPlacesBegin <= size && bytes <= size - (place - kPlacesBegin);
  };
  const bool is_reserved = is_within(r.bytes);
  const auto not_free = fail(Status::device, what + "cannot be had: that address is not free in this process");
  if (!is_reserved && (r.bytes != 0 || !is_within(kPlacesBytes))) return not_free;
  auto after = r.taken.lower_bound(place);
  const bool runs_into_next = after != r.taken.end() && after->first - place < bytes;
  const bool within_last = after != r.taken.begin() && std::prev(after)->first + std::prev(after)->second > place;
  if (runs_into_next || within_last) return fail(Status::unreadable, what + "is taken by another allocation");
  void* const at = reinterpret_cast<void*>(place);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (is_reserved ? MAP_FIXED : MAP_FIXED_NOREPLACE);
  void* const got = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (got == MAP_FAILED && errno == EEXIST) return not_free;
  if (got == MAP_FAILED)
    return fail(Status::failed, what + "cannot be had: " + std::strerror(errno) + address_space_hint());
  if (got != at) {  // a kernel that takes the address as a hint
    munmap(got, bytes);
    return not_free;
  }
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
  if (place_ - kPlacesBegin < range().bytes)
    make_hole(place_, bytes_, MAP_FIXED);
  else
    munmap(reinterpret_cast<void*>(place_), bytes_);
  bytes_ = 0;
}

}  // namespace rondo::player
