// SPDX-License-Identifier: Apache-2.0
// Finds the bytes in which memory differs from its last known contents, while
// other threads and the device write it.
#pragma once

#include <cstddef>

// Races with the program's and the device's writes are meant: a byte that is
// written after it was read is found by the next scan.
#if defined(__clang__) || defined(__GNUC__)
#define RONDO_RACES_ARE_MEANT __attribute__((no_sanitize("thread")))
#else
#define RONDO_RACES_ARE_MEANT
#endif

namespace rondo::memory {

// Changes with so many equal bytes between them are one: a range costs 16 bytes in a record.
inline constexpr std::size_t merge_gap = 24;
// … none: what lies between may be somebody else's by the time that a run is put back.
inline constexpr std::size_t no_gap = 0;

using Found = void (*)(void* context, std::size_t begin, std::size_t end);

enum class Store { no, yes };

// Calls found(context, begin, end) for each run of differing bytes, ascending,
// after storing to `base` what was read of it (Store::yes). Each byte of `live`
// is read once, so what is stored is what was compared, whatever is written
// meanwhile. A run may hold `gap` (merge_gap or no_gap) equal bytes in a row, but
// does not begin or end with one.
void differences(const std::byte* live, std::byte* base, std::size_t bytes, std::size_t gap, Store store, Found found,
                 void* context) noexcept;

bool differs(const std::byte* live, const std::byte* base, std::size_t bytes) noexcept;

// Copies memory that others may be writing.
void copy_live(const std::byte* live, std::byte* target, std::size_t bytes) noexcept;

}  // namespace rondo::memory
