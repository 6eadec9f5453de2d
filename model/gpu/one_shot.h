// SPDX-License-Identifier: Apache-2.0
// One command buffer at a time, submitted and waited for.
#pragma once

#include <span>

#include "format/result.h"
#include "model/gpu/access.h"

namespace rondo::gpu {

// Owns a command pool, a command buffer and a fence of one queue family. One
// thread at a time; the caller holds the queue's external synchronization.
class OneShot {
 public:
  OneShot(const Access& access, std::uint32_t queue_family) : access_(access), family_(queue_family) {}
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;
  ~OneShot() { destroy(); }

  // A command buffer in the recording state.
  Result<VkCommandBuffer> begin();
  // Ends it, submits it behind `wait`, and returns when it has finished and signalled `signal`.
  Result<void> submit_and_wait(VkQueue queue, std::span<const VkSemaphore> wait,
                               std::span<const VkSemaphore> signal = {});
  std::uint32_t family() const { return family_; }
  void destroy();

 private:
  Access access_;
  std::uint32_t family_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool pending_ = false;  // a wait timed out: the objects may still be in use
};

std::string describe(const char* command, VkResult result);

}  // namespace rondo::gpu
