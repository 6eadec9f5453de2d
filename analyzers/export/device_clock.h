// SPDX-License-Identifier: Apache-2.0
// Places the times of a replay beside those of the captured host. Both are of different runs, and of different clocks:
// a profile counts from the first timestamp of each device on. So the begin of a device is placed where the captured
// program called the first submit of this device that has a timed item. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "analyzers/export/export.h"

namespace rondo::analyzers {

struct PlacedTime {
  std::uint64_t begin_ns = 0;     // CLOCK_MONOTONIC of the capture; without times of the host: from 0 on
  std::uint64_t duration_ns = 0;  // median of the profile, at least 1
};

class DeviceClock {
 public:
  explicit DeviceClock(const ExportSource& source) : source_(source) {}

  // Of each item once, in the order of execution. Nothing: it has no time.
  std::optional<PlacedTime> place(const GraphWalk& walk, const ExportedItem& exported);

 private:
  std::uint64_t begin_of(const WorkItem& item) const;

  const ExportSource& source_;
  std::map<ObjectId, std::uint64_t> begins_;  // by device
  std::map<ObjectId, std::uint64_t> free_;    // --order: by queue, when its last item ends
};

// The device of a queue; null: the capture does not say.
ObjectId device_of_queue(const GraphWalk& walk, ObjectId queue);

}  // namespace rondo::analyzers
