// SPDX-License-Identifier: Apache-2.0
// Whether submitted work may be waiting for the program: for a timeline semaphore
// to reach a value that nothing submitted or signalled so far gives it, or for an
// event. Work that cannot ends by itself, so a checkpoint may wait for it.
// Inside the critical section of host writes.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "format/vulkan.h"

namespace rondo::layer {

class HostWaits {
 public:
  void created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info);
  // One that the host can set.
  void created_event() { unsure_ = true; }

  void submitted(std::span<const VkSubmitInfo> batches);
  void submitted(std::span<const VkSubmitInfo2> batches);
  void submitted(std::span<const VkBindSparseInfo> batches);
  // What the driver refused gives no values, and nobody knows what waits for them.
  void not_submitted() { unsure_ = true; }
  void signalled(const VkSemaphoreSignalInfo& info) { gives(info.semaphore, info.value); }

  bool possible() const { return unsure_ || open_ != 0; }

 private:
  struct Timeline {
    std::uint64_t given = 0;   // the highest value that it has or will get by itself
    std::uint64_t wanted = 0;  // … that something submitted waits for
    bool open() const { return wanted > given; }
  };
  template <class Change>
  void change(VkSemaphore semaphore, Change&& change);
  void gives(VkSemaphore semaphore, std::uint64_t value);
  void wants(VkSemaphore semaphore, std::uint64_t value);
  template <class Batch>
  void submitted_with_values(std::span<const Batch> batches);

  std::unordered_map<VkSemaphore, Timeline> timelines_;
  std::size_t open_ = 0;  // timelines that are
  bool unsure_ = false;   // for ever
};

}  // namespace rondo::layer
