// SPDX-License-Identifier: Apache-2.0
// Timeline semaphores and events. Whether submitted work may be waiting for the
// program: for a timeline to reach a value that nothing which can run gives it, or
// for an event; other work ends by itself, so a checkpoint may wait for it. And what
// has ended when the program sees a timeline's value.
// Inside the critical section of host writes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <unordered_map>
#include <vector>

#include "format/vulkan.h"

namespace rondo::layer {

class HostWaits {
 public:
  void created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info);
  void destroyed(VkSemaphore semaphore) { timelines_.erase(semaphore); }
  // One that the host can set.
  void created_event() { unsure_ = true; }
  // The payload of a semaphore, not signalled yet: by whom, and when, nobody knows.
  void imported() { unsure_ = true; }

  // `number`: of this submission among those to its queue, from 1.
  void submitted(VkQueue queue, std::uint64_t number, std::span<const VkSubmitInfo> batches);
  void submitted(VkQueue queue, std::uint64_t number, std::span<const VkSubmitInfo2> batches);
  void submitted(VkQueue queue, std::uint64_t number, std::span<const VkBindSparseInfo> batches);
  // What the driver refused gives no values, and nobody knows what waits for them.
  void not_submitted(VkQueue queue, std::uint64_t number);
  void signalled(const VkSemaphoreSignalInfo& info);

  bool possible() const { return unsure_ || !waiting_.empty(); }

  struct Ended {
    VkQueue queue;
    std::uint64_t number;  // this submission and all before it; 0: some work, nobody knows which
  };
  // The program has seen `value`. False: no signal up to it that was not told of before.
  // Of very many that the program did not look at, the oldest are not among `ended`.
  bool reached(VkSemaphore semaphore, std::uint64_t value, std::vector<Ended>& ended);

 private:
  struct Value {
    VkSemaphore semaphore;
    std::uint64_t value;
    bool of_all = true;  // a signal: behind all stages of what was submitted before it
  };
  struct Batch {
    std::vector<Value> waits, signals;
  };
  struct Signal {
    std::uint64_t value;
    VkQueue queue;
    std::uint64_t number;  // of the submission that gives it
    std::uint64_t ends;    // Ended::number
  };
  struct Timeline {
    std::uint64_t given = 0;                            // what it has or gets by itself
    std::vector<Signal> signals;                        // not seen by the program, in the order of submission
    std::uint64_t least_dropped = 0, most_dropped = 0;  // values of those that were too many, 0: none
  };
  bool is_timeline(VkSemaphore semaphore) const { return timelines_.count(semaphore) != 0; }
  template <class Info>
  void add_with_values(VkQueue queue, std::uint64_t number, std::span<const Info> batches);
  // `ends`: the submission whose last batch it is, or the one before.
  void add(VkQueue queue, std::uint64_t number, std::uint64_t ends, Batch batch);
  bool can_run(const Batch& batch) const;
  void give(const Value& value);
  void settle();

  std::unordered_map<VkSemaphore, Timeline> timelines_;
  std::unordered_map<VkQueue, std::deque<Batch>> waiting_;  // batches that cannot run yet, in order
  bool unsure_ = false;                                     // for ever
};

}  // namespace rondo::layer
