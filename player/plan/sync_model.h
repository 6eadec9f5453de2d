// SPDX-License-Identifier: Apache-2.0
// Which submits wait for a signal that the calls before some place never give.
// Programs that were killed, --salvage and --until leave such submits behind;
// the player gives them what they wait for, when nothing is looked at any more.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/objects.h"

namespace rondo::player {

struct Plan;

struct SyncPoint {
  ObjectId semaphore = ObjectId::null;
  std::uint64_t value = 0;  // timelines; a binary semaphore's is 1
  bool timeline = false;
};

// What an export put into an sync fd counts as a timeline of its own, that reaches 1.
inline constexpr ObjectId kPayloads{0x80000000};
inline SyncPoint payload_of(std::uint32_t exported) { return {object_at(index_of(kPayloads) | exported), 1, true}; }

// A batch of a submit, an acquire, or what signals without a queue (the host).
struct SyncStep {
  std::uint32_t op = 0;                         // index into Plan::ops
  ObjectId queue = ObjectId::null;              // null: the host; a swapchain: the queue that presents it
  std::uint32_t first_wait = 0, waits = 0;      // Plan::sync_points
  std::uint32_t first_signal = 0, signals = 0;  // Plan::sync_points
};

// Plays the signals and waits of Plan::sync as if every batch took no time.
// One thread; reads the plan, which may still grow at its end.
class SyncModel {
 public:
  explicit SyncModel(const Plan& plan) : plan_(&plan) {}

  // Up to, not with, the op of this index. Never back.
  void advance(std::uint32_t op);
  // So that to go on from here to what `later` is, again and again, allocates nothing.
  void make_room(const SyncModel& later);
  bool blocked(ObjectId queue) const;
  bool blocked() const { return blocked_ != 0; }
  // … what an op of this index or an earlier one gave to the queue.
  bool blocked(ObjectId queue, std::uint32_t op) const;
  // The semaphore has the value, or gets it by work that is not blocked.
  bool reaches(ObjectId semaphore, std::uint64_t value) const;
  // What it has: 1 of a binary semaphore is a signal that nothing waited for yet.
  std::uint64_t value(ObjectId semaphore) const {
    const auto found = value_.find(semaphore);
    return found == value_.end() ? 0 : found->second;
  }
  // The first batch that is blocked, as an index into Plan::sync; none: Plan::sync.size().
  std::size_t first_blocked() const;
  // The value that work which is not blocked gives a timeline; 0: none does, or it is none.
  std::uint64_t given(ObjectId timeline) const;

  // A signal that lets the first blocked batch go on.
  struct Release {
    SyncPoint point;
    std::uint64_t before = 0;         // what the timeline reaches by itself
    ObjectId queue = ObjectId::null;  // that waits
    std::uint32_t op = 0;             // of the batch that waits
  };
  // Everything that must be signalled, in order, until no queue is blocked.
  // The model goes on as if it were done.
  std::vector<Release> release();

 private:
  ObjectId queue_of(const SyncStep& step) const;
  bool satisfied(const SyncStep& step) const;
  void finish(const SyncStep& step);
  void settle();

  const Plan* plan_;
  std::size_t next_ = 0;                                              // index into Plan::sync
  std::size_t blocked_ = 0;                                           // batches
  std::unordered_map<ObjectId, std::uint64_t> value_;                 // of semaphores
  std::unordered_set<ObjectId> timelines_;                            // that were signalled
  std::vector<std::pair<ObjectId, std::deque<std::size_t>>> queues_;  // blocked batches, in order
};

}  // namespace rondo::player
