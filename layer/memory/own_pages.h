// SPDX-License-Identifier: Apache-2.0
// Pages that the program mapped itself and gave to a device: what may be done
// with them, and what can be read.
#pragma once

#include <cstddef>

namespace rondo::memory {

// Whether asynchronous write-protect would find every write to them by this process: all of
// them private, readable and writable, of no file and no stack. Of shared pages there may be
// other mappings, and pages of a private mapping show what is written to its file until they
// are written themselves. Asks /proc/self/maps; false where that
// cannot be read.
bool can_watch_own_pages(const std::byte* start, std::size_t bytes) noexcept;

// Whether all of it can be read: it is mapped, may be read, and is not behind the end of its
// file. Start and size are multiples of the page size.
bool readable(const std::byte* start, std::size_t bytes) noexcept;

}  // namespace rondo::memory
