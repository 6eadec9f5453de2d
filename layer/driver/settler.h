// SPDX-License-Identifier: Apache-2.0
// Waits for a device's work where host and device wrote the same page and only
// finished work tells their bytes apart. The program is held for it: not longer
// than the work takes, and where that may be waiting for the program, briefly.
//
// Any thread that may use the queue.
#pragma once

#include <mutex>

#include "layer/driver/allowance.h"
#include "layer/driver/fences.h"
#include "layer/driver/host_memory.h"

namespace rondo::layer {

class Settler {
 public:
  explicit Settler(DeviceState& device);

  // Inside the critical section, which it leaves while it waits. True: everything
  // submitted is finished, and HostMemory knows. False: another queue may have work,
  // or it took too long; a note in the capture says so, once.
  bool settle(HostMemory::Lock& lock, VkQueue queue);

 private:
  VkResult wait(VkQueue queue, std::uint64_t timeout_ns);
  void complain(const char* why);

  DeviceState& device_;
  std::mutex submitting_;
  Fences fences_;  // guarded by submitting_
  // Inside the critical section.
  unsigned in_vain_ = 0;  // waits running that were given up
  Allowance allowance_;
  bool complained_ = false;
};

}  // namespace rondo::layer
