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

// Changes closer than this are one: a range costs 16 bytes in a record.
inline constexpr std::size_t merge_gap = 24;

using Found = void (*)(void* context, std::size_t begin, std::size_t end);

enum class Store { no, yes };

// Calls found(context, begin, end) for each run of differing bytes, ascending,
// after storing to `base` what was read of it (Store::yes). Each byte of `live`
// is read once, so what is stored is what was compared, whatever is written
// meanwhile. A run may hold equal bytes, but does not begin or end with one.
void differences(const std::byte* live, std::byte* base, std::size_t bytes, Store store, Found found,
                 void* context) noexcept;

bool differs(const std::byte* live, const std::byte* base, std::size_t bytes) noexcept;

// Copies memory that others may be writing.
void copy_live(const std::byte* live, std::byte* target, std::size_t bytes) noexcept;

}  // namespace rondo::memory
