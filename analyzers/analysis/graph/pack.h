// SPDX-License-Identifier: Apache-2.0
// Packs things that need memory at known times into one block: things that are never live at the same time may share
// bytes. Knows nothing of captures. No device. One thread.
// Specification: "Resource Memory Association" (alignment), "Buffer-Image Granularity".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rondo::graph {

// Both ends are in it. Times are numbers of items of work.
struct LiveRange {
  std::uint32_t from = 0, to = 0;
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

struct PackItem {
  std::uint64_t size = 0;       // bytes; 0: it needs no place
  std::uint64_t alignment = 1;  // of its offset: a power of two
  // An image with optimal tiling. It shares no page of the granularity with what is none and lives at the same time.
  bool is_optimal = false;
  std::vector<LiveRange> live;  // in any order; empty: it is never live
};

struct PackLimits {
  // Steps of the search. When these are used up, the rest is put above all that it meets: quick, and not tight.
  std::uint64_t steps = std::uint64_t{1} << 25;
  // At most so many packings are tried, and the best one is taken.
  unsigned tries = 240;
};

struct Packing {
  std::vector<std::uint64_t> offsets;  // by item
  std::uint64_t bytes = 0;             // of the block: the end of the item that ends last
  // No packing is smaller: the most bytes that are live at one time, and the first such time.
  std::uint64_t lower_bound = 0;
  std::uint32_t fullest = 0;
  bool is_rough = false;  // the limit of steps was met
};

// All sizes together are below 2^62. Each size is rounded up to the smallest alignment of all items, as every offset is
// a multiple of that. `granularity`: bufferImageGranularity, a power of two; 1: the device has none.
// Items are placed by size, the largest first, each in the lowest gap that it fits in. While the block is larger than
// the lower bound, the items that stick out are placed earlier, and all is tried again.
Packing pack(std::span<const PackItem> items, std::uint64_t granularity, const PackLimits& limits = {});

// The lower bound alone.
std::uint64_t most_live_bytes(std::span<const PackItem> items);

}  // namespace rondo::graph
