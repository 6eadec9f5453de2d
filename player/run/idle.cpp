// SPDX-License-Identifier: Apache-2.0
#include "player/run/idle.h"

#include <utility>

namespace rondo::player {

void end_lost_work(DeviceState& device) { device.dispatch.vkDeviceWaitIdle(device.handle); }

void IdleProbe::add(VkQueue queue) {
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  VkFence fence = VK_NULL_HANDLE;
  if (const VkResult made = device_.dispatch.vkCreateFence(device_.handle, &info, nullptr, &fence); made < 0) {
    failed_ = made;
    return;
  }
  const VkResult submitted = device_.dispatch.vkQueueSubmit(queue, 0, nullptr, fence);
  if (submitted >= 0) return fences_.push_back(fence);
  failed_ = submitted;
  device_.dispatch.vkDestroyFence(device_.handle, fence, nullptr);
}

IdleProbe::IdleProbe(DeviceState& device, VkQueue queue)
    : device_(device), fences_(std::exchange(device.probe_memory, {})) {
  add(queue);
}

IdleProbe::IdleProbe(DeviceState& device) : device_(device), fences_(std::exchange(device.probe_memory, {})) {
  bool service = device.service_queue != VK_NULL_HANDLE;
  for (const LiveQueue& queue : device.queues) {
    add(queue.handle);
    service &= queue.handle != device.service_queue;
  }
  if (service) add(device.service_queue);
}

IdleProbe::~IdleProbe() {
  for (VkFence fence : fences_) {
    // The poll may be answered first, by work that goes on to wait for the
    // host: waiting for it here would never end.
    const VkResult status = device_.dispatch.vkGetFenceStatus(device_.handle, fence);
    if (status == VK_NOT_READY) {
      device_.pending_fences.push_back(fence);
      continue;
    }
    if (status == VK_ERROR_DEVICE_LOST) end_lost_work(device_);
    device_.dispatch.vkDestroyFence(device_.handle, fence, nullptr);
  }
  fences_.clear();
  device_.probe_memory = std::move(fences_);
}

bool IdleProbe::idle() const {
  for (VkFence fence : fences_)
    if (device_.dispatch.vkGetFenceStatus(device_.handle, fence) == VK_NOT_READY) return false;
  return true;
}

VkResult IdleProbe::wait(std::uint64_t ns) const {
  if (fences_.empty() || failed_ < 0) return failed_;
  return device_.dispatch.vkWaitForFences(device_.handle, static_cast<std::uint32_t>(fences_.size()), fences_.data(),
                                          VK_TRUE, ns);
}

}  // namespace rondo::player
