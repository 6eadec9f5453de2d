// SPDX-License-Identifier: Apache-2.0
// Pages that the program mapped itself and gave to a device, or that a driver in this process
// allocated: what may be done with them, and what can be read.
#pragma once

#include <cstddef>

namespace rondo::memory {

// What pages that may be read and written are, as /proc/self/maps has it.
enum class Backing {
  unknown,    // anything else, or it cannot be read
  anonymous,  // private, of no file and no stack
  shared,     // one shared mapping
};
Backing backing_of(const std::byte* start, std::size_t bytes) noexcept;

// Whether asynchronous write-protect would find every write to them by this process. Of shared
// pages there may be other mappings, and pages of a private mapping show what is written to its
// file until they are written themselves.
inline bool can_watch_own_pages(const std::byte* start, std::size_t bytes) noexcept {
  return backing_of(start, bytes) == Backing::anonymous;
}

// Whether all of it can be read: it is mapped, may be read, and is not behind the end of its
// file. Start and size are multiples of the page size.
bool readable(const std::byte* start, std::size_t bytes) noexcept;

}  // namespace rondo::memory
