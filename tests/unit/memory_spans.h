// SPDX-License-Identifier: Apache-2.0
// What the tests of host writes compare: ranges by place and size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {

inline constexpr std::size_t page = page_bytes;
using Spans = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

inline Spans spans_of(std::span<const Range> ranges) {
  Spans spans;
  for (const Range& r : ranges) spans.emplace_back(r.offset, r.size);
  return spans;
}

}  // namespace rondo::memory
