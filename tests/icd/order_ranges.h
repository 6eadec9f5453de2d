// SPDX-License-Identifier: Apache-2.0
// Sets of bytes in the driver's memory. Private to tests/icd.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/icd/access.h"

namespace fake::order {

struct Bytes {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  std::size_t size() const { return static_cast<std::size_t>(end - begin); }
};

// Sorted, without overlaps and without empty ones.
using Ranges = std::vector<Bytes>;

Ranges normalized(Ranges ranges);
Ranges intersection(const Ranges& a, const Ranges& b);
Ranges difference(const Ranges& a, const Ranges& b);
// True if one of the ranges holds all of `bytes`.
bool holds(const Ranges& ranges, const Bytes& bytes);
// True if the first and last byte of the one lie apart from those of the other: a quick test.
bool lie_apart(const Ranges& a, const Ranges& b);

// What commands name. A range that is not within its resource is clamped or left out.
void add_bytes(Ranges& to, const Buffer* buffer, VkDeviceSize offset, VkDeviceSize size);
void add_box(Ranges& to, const Box& box);
// Whole subresources, with the padding of their rows.
void add_subresources(Ranges& to, const Image& image, const VkImageSubresourceRange& range);

}  // namespace fake::order
