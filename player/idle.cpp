// SPDX-License-Identifier: Apache-2.0
#include "player/idle.h"

#include <algorithm>

namespace rondo::player {

IdleProbe::IdleProbe(DeviceState& device) : device_(device) {
  const auto probe = [&](VkQueue queue) {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkFence fence = VK_NULL_HANDLE;
    if (device.dispatch.vkCreateFence(device.handle, &info, nullptr, &fence) < 0) return;
    if (device.dispatch.vkQueueSubmit(queue, 0, nullptr, fence) < 0)
      device.dispatch.vkDestroyFence(device.handle, fence, nullptr);
    else
      fences_.push_back(fence);
  };
  bool service = device.service_queue != VK_NULL_HANDLE;
  for (const LiveQueue& queue : device.queues) {
    probe(queue.handle);
    service &= queue.handle != device.service_queue;
  }
  if (service) probe(device.service_queue);
}

IdleProbe::~IdleProbe() {
  for (VkFence fence : fences_) {
    // The poll may be answered first, by work that goes on to wait for the
    // host: waiting for it here would never end.
    if (device_.dispatch.vkGetFenceStatus(device_.handle, fence) == VK_NOT_READY)
      device_.pending_fences.push_back(fence);
    else
      device_.dispatch.vkDestroyFence(device_.handle, fence, nullptr);
  }
}

bool IdleProbe::idle() const {
  for (VkFence fence : fences_)
    if (device_.dispatch.vkGetFenceStatus(device_.handle, fence) == VK_NOT_READY) return false;
  return true;
}

VkResult IdleProbe::wait(std::uint64_t ns) const {
  if (fences_.empty()) return VK_SUCCESS;
  return device_.dispatch.vkWaitForFences(device_.handle, static_cast<std::uint32_t>(fences_.size()),
                                          fences_.data(), VK_TRUE, ns);
}

}  // namespace rondo::player
