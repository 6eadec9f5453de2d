// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/settler.h"

#include <algorithm>

#include "layer/driver/state.h"
#include "layer/recorder/log.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

// How long the program is held at most, ns; half of that after each time in vain.
constexpr std::uint64_t kPatience = 5'000'000'000;
// … where the work may be waiting for the program.
constexpr std::uint64_t kShortPatience = 50'000'000;
// All that it is held in vain: so much at once, and then a share of the time that passes.
constexpr std::uint64_t kAllowance = 10'000'000'000;
constexpr std::uint64_t kHoldShare = 8;

}  // namespace

Settler::Settler(DeviceState& device) : device_(device), fences_(device), allowance_(kAllowance, kHoldShare) {}

bool Settler::settle(HostMemory::Lock& lock, VkQueue queue) {
  const DeviceMemory& memories = device_.memories;
  const auto others_idle = [&] {
    return std::all_of(memories.queues.begin(), memories.queues.end(), [&](const auto& entry) {
      return entry.first == queue || entry.second.finished == entry.second.submitted;
    });
  };
  // Their threads use them: nothing can be submitted there from here.
  if (!others_idle()) {
    complain("another queue may have work");
    return false;
  }
  const std::uint64_t patience = memories.host_waits.possible() ? kShortPatience : kPatience;
  const std::uint64_t timeout = std::min(patience >> std::min(in_vain_, 16u), allowance_.left());
  lock.unlock();
  const VkResult result = wait(queue, timeout);
  lock.lock();
  if (result != VK_SUCCESS) {
    if (result == VK_TIMEOUT) {
      ++in_vain_;
      allowance_.spend(timeout);
    }
    complain(result == VK_TIMEOUT ? "the work did not end in time" : "the wait failed");
    return false;
  }
  in_vain_ = 0;
  // What is finished here is left for the program's own wait to see, which takes it into base.
  if (!others_idle()) {
    complain("another queue may have work");
    return false;
  }
  // The queue is this thread's: what was submitted to it then is all that was.
  HostMemory::settled(device_);
  return true;
}

VkResult Settler::wait(VkQueue queue, std::uint64_t timeout_ns) {
  VkFence fence = VK_NULL_HANDLE;
  {
    const std::lock_guard one(submitting_);
    if (const VkResult result = fences_.submit(queue, fence); result != VK_SUCCESS) return result;
  }
  const VkResult result = device_.next->vkWaitForFences(device_.device, 1, &fence, VK_TRUE, timeout_ns);
  const std::lock_guard one(submitting_);
  fences_.give(fence);
  return result;
}

void Settler::complain(const char* why) {
  if (complained_) return;
  complained_ = true;
  note(std::string("host and device wrote the same page, and what is whose could not be told (") + why +
       "): a replay may be wrong there");
}

}  // namespace rondo::layer
