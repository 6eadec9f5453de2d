// SPDX-License-Identifier: Apache-2.0
// Tells when everything submitted so far has finished, with a bound, which
// vkDeviceWaitIdle does not have: empty submits that signal a fence a queue.
#pragma once

#include "player/run/run.h"

namespace rondo::player {

class IdleProbe {
 public:
  explicit IdleProbe(DeviceState& device);  // all queues that the program asked for, and our own
  IdleProbe(DeviceState& device, VkQueue queue);
  IdleProbe(const IdleProbe&) = delete;
  IdleProbe& operator=(const IdleProbe&) = delete;
  ~IdleProbe();  // leaves fences in use to the device
  bool idle() const;
  // VK_TIMEOUT after `ns`; an error also where a queue could not be asked.
  VkResult wait(std::uint64_t ns) const;

 private:
  void add(VkQueue queue);

  DeviceState& device_;
  std::vector<VkFence> fences_;  // its memory is lent by the device
  VkResult failed_ = VK_SUCCESS;
};

// What a lost device has not dropped yet is still in use: this returns when it
// has, soon (specification, "Lost Device").
void end_lost_work(DeviceState& device);

}  // namespace rondo::player
