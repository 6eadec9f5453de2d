// SPDX-License-Identifier: Apache-2.0
// What a capture says about when its work can begin: which semaphores each batch waits for and what signals them, which
// synchronization stands between the items of a queue, and when the program made its calls. No device. One thread.
// Specification: "Semaphores", "Pipeline Barriers", "Events", "Window System Integration" (acquire).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/time_points.h"
#include "analyzers/analysis/work_walk.h"
#include "format/spans.h"

namespace rondo::analyzers {

// A call of the host, but no command that is recorded into a command buffer.
struct GapCall {
  std::uint64_t record = 0;
  std::uint64_t start_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC of the captured machine; 0: the capture has no times of it
  std::uint32_t thread = 0;
  CommandId command{};  // canonical; none: the player's alone (host writes)
};

// A semaphore that a batch waits for.
struct GapWait {
  static constexpr std::uint32_t kNoBatch = UINT32_MAX;
  ObjectId semaphore = ObjectId::null;
  std::uint32_t batch = kNoBatch;  // that signals it: index into GapWork::batches
  std::uint64_t record = 0;        // or the call of the host that does: a signal, or an acquire; 0: a batch does
};

// What a queue begins as a whole: a VkSubmitInfo, a present or a sparse bind.
struct GapBatch {
  std::uint64_t record = 0;  // the call
  std::uint32_t index = 0;   // in the call
  ObjectId queue = ObjectId::null;
  std::uint32_t before = GapWait::kNoBatch;  // the batch before it on its queue
  std::vector<GapWait> waits;                // those that something in the capture signals
};

struct GapItem {
  WorkItem work;
  std::uint32_t batch = GapWait::kNoBatch;
  std::uint32_t begin = player::kNone, end = player::kNone;  // as of ItemTimes
  // The last barrier or wait for an event on its queue after the item before it, or the boundary of a render pass
  // there. 0: there is none.
  std::uint64_t barrier = 0;
  CommandId barrier_command{};
  bool is_timed() const { return begin != player::kNone && end != player::kNone; }
};

struct GapWork {
  std::vector<GapItem> items;     // no draws in render passes. In the order of WorkWalk
  std::vector<GapBatch> batches;  // in the order of their calls
  std::vector<GapCall> calls;     // up to the last submit of the span; before its first one those that have times
  std::uint64_t untimed = 0;      // items of the span that have no timestamps
  WorkTotals totals;
  std::uint64_t first_record = 0, last_record = 0;  // submits of the span
};

// Reads the capture twice, first by `work`, which stays where it is and keeps the names. `points` takes the items and
// is finished.
Result<GapWork> read_gap_work(WorkWalk& work, const SpanRequest& span, TimePoints& points);

}  // namespace rondo::analyzers
