// SPDX-License-Identifier: Apache-2.0
// How many bytes are allocated, bound and live, from record to record: of each heap, and of all together. No device.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzers/analysis/memory_uses.h"

namespace rondo::analyzers {

// Bytes. Allocated: by vkAllocateMemory, imports too. Bound: of these, each byte of memory on which a buffer or image
// lies, once. Live: contents between the item that writes a version and the last one that reads it.
struct MemoryBytes {
  std::uint64_t allocated = 0, bound = 0, live = 0;
};

struct MemoryTimelinePoint {
  std::uint64_t record = 0;
  MemoryBytes most;  // from this record on up to the one of the next point
};

struct MemoryPeak {
  std::uint64_t bytes = 0, record = 0;
};

struct MemorySeries {
  std::uint32_t device = kNoIndex, heap = kNoIndex;  // indexes; kNoIndex: all together, or not known
  bool is_all = false;
  MemoryPeak allocated, bound, live;
  std::uint32_t live_item = 0;              // of the live peak
  std::vector<MemoryTimelinePoint> points;  // at most kMostPoints, each peak kept
  static constexpr std::size_t kMostPoints = 2'000;
};

// The first is all together; then the heaps that have allocations, by device and index.
std::vector<MemorySeries> memory_timeline(const MemoryUses& uses);

// Bytes of an allocation that become bound, or are bound no more.
struct BoundChange {
  std::uint64_t record = 0;
  std::uint32_t allocation = 0;
  std::int64_t bytes = 0;
};
// By record. `counts`: which resources are looked at. Each byte counts once, however many of them lie on it.
std::vector<BoundChange> bound_changes(const MemoryFacts& facts,
                                       const std::function<bool(std::uint32_t resource)>& counts);

}  // namespace rondo::analyzers
