// SPDX-License-Identifier: Apache-2.0
// Whether submitted work may be waiting for the program: for a timeline semaphore
// to reach a value that nothing which can run gives it, or for an event. Other
// work ends by itself, so a checkpoint may wait for it.
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
  void destroyed(VkSemaphore semaphore) { given_.erase(semaphore); }
  // One that the host can set.
  void created_event() { unsure_ = true; }

  void submitted(VkQueue queue, std::span<const VkSubmitInfo> batches);
  void submitted(VkQueue queue, std::span<const VkSubmitInfo2> batches);
  void submitted(VkQueue queue, std::span<const VkBindSparseInfo> batches);
  // What the driver refused gives no values, and nobody knows what waits for them.
  void not_submitted() { unsure_ = true; }
  void signalled(const VkSemaphoreSignalInfo& info);

  bool possible() const { return unsure_ || !waiting_.empty(); }

 private:
  struct Value {
    VkSemaphore semaphore;
    std::uint64_t value;
  };
  struct Batch {
    std::vector<Value> waits, signals;
  };
  bool is_timeline(VkSemaphore semaphore) const { return given_.count(semaphore) != 0; }
  template <class Info>
  void add_with_values(VkQueue queue, std::span<const Info> batches);
  void add(VkQueue queue, Batch batch);
  bool can_run(const Batch& batch) const;
  void give(const Value& value);
  void settle();

  std::unordered_map<VkSemaphore, std::uint64_t> given_;      // timelines: what each has or gets by itself
  std::unordered_map<VkQueue, std::deque<Batch>> waiting_;  // batches that cannot run yet, in order
  bool unsure_ = false;                                     // for ever
};

}  // namespace rondo::layer
