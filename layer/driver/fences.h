// SPDX-License-Identifier: Apache-2.0
// Fences of the layer's own, behind the work of a queue: what the layer waits
// for without a lock of the driver's. Not thread-safe.
#pragma once

#include <vector>

#include "format/vulkan.h"

namespace rondo::layer {

struct DeviceState;

class Fences {
 public:
  explicit Fences(const DeviceState& device) : device_(device) {}
  ~Fences();  // waits for those that are in use, for ten seconds at most
  Fences(const Fences&) = delete;
  Fences& operator=(const Fences&) = delete;

  // One that is not signalled, for a submission.
  VkResult take(VkFence& fence);
  // Submits nothing but a fence. The caller may use the queue.
  VkResult submit(VkQueue queue, VkFence& fence);
  // A fence of take()'s or submit()'s that nobody waits for any more, signalled or not.
  void give(VkFence fence) { given_.push_back(fence); }

 private:
  void reuse_signalled();

  const DeviceState& device_;
  std::vector<VkFence> unused_;
  std::vector<VkFence> given_;
};

}  // namespace rondo::layer
