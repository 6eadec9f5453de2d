// SPDX-License-Identifier: Apache-2.0
// Notices when submitted work ends, also where the program does not wait for it. A host write
// that was made after the end of work is recorded so (docs/memory.md, "Writes without a wait"). Each submission has a
// fence: the program's, or one of the layer's own where the program gave none. The fences are asked before and after
// each scan. While work is in flight, a thread of the layer's own scans now and then.
//
// Everything here: inside the critical section of host writes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <span>
#include <vector>

#include "format/vulkan.h"
#include "layer/driver/host_memory.h"

namespace rondo::layer {

class WorkEnds {
 public:
  // Before the driver is called: the fence that it is given. `given`: the program's, or null.
  VkFence fence_for(DeviceState& device, VkFence given);
  // The driver has taken the submission, which is the number-th to its queue; `used`: fence_for().
  void submitted(DeviceState& device, VkQueue queue, std::uint64_t number, VkFence given, VkFence used);
  // The driver refused it.
  void refused(DeviceState& device, VkFence given, VkFence used);
  // The program is about to reset, destroy or export these fences.
  void let_go(DeviceState& device, std::span<const VkFence> fences);
  // The device is about to be destroyed.
  void let_go(DeviceState& device);

  // Around a scan of everything: what had ended when it began had ended when host writes that a
  // later scan finds were made.
  // Returns false if no scan is needed: nothing is in flight, and the program has waited for what was.
  bool begin_scan();
  void end_scan();
  // Which work may have ended by now.
  void look();

  // Before host writes of the device that a scan has just found: records which work had ended before
  // they were made, and which may have ended before or after that. `undated`: an earlier scan may have
  // found them already, so nothing is sure.
  static void tell(ThreadState& state, DeviceState& device, bool undated);
  // The capture says that all of this device's work has ended.
  static void told_idle(DeviceState& device);

 private:
  struct Watched {
    DeviceState* device;
    VkQueue queue;
    std::uint64_t number;
    VkFence fence;
    bool own;  // the layer's
    std::uint64_t since_ns;
  };
  friend void run_work_ends() noexcept;
  void run();
  bool rest(HostMemory::Lock& lock);
  void let_go(const Watched& one);
  std::uint64_t shortest() const;
  std::uint64_t next() const;
  static bool has_ended(const Watched& one);

  std::vector<Watched> watched_;       // in the order of submission
  std::vector<VkQueue> busy_;          // of look(): with work that has not ended
  std::vector<DeviceState*> devices_;  // with work that was watched
  std::condition_variable wake_;
  bool started_ = false;          // the thread, or it cannot be
  bool asleep_ = false;           // it waits for a submission
  std::uint64_t busy_ns_ = 0;     // when there was last something to watch
  std::uint64_t next_ns_ = 0;     // when the thread looks next, at the earliest
  std::uint64_t scanned_ns_ = 0;  // when the last scan began
  unsigned quiet_ = 0;            // looks running that found no host write
};

WorkEnds& work_ends();

}  // namespace rondo::layer
