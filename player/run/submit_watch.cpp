// SPDX-License-Identifier: Apache-2.0
// When the submits have ended that brought about what a poll saw and other work takes back
// (Plan::observations).
#include <algorithm>

#include "player/run/run.h"

namespace rondo::player {

Result<void> Run::watch_submit(const Op& op) {
  DeviceState& device = this->device(op);
  const Dispatch& vk = device.dispatch;
  VkFence& fence = watches_[op_index(op)];
  // A loop plays it again when the work of the iteration before has ended.
  VkResult result = VK_SUCCESS;
  if (fence != VK_NULL_HANDLE && vk.vkGetFenceStatus(device.handle, fence) == VK_SUCCESS) {
    result = vk.vkResetFences(device.handle, 1, &fence);
  } else {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    result = vk.vkCreateFence(device.handle, &info, nullptr, &fence);
    if (result >= 0) device.pending_fences.push_back(fence);
  }
  if (result >= 0)
    result = vk.vkQueueSubmit(reinterpret_cast<VkQueue>(slots_[index_of(op.dispatch)]), 0, nullptr, fence);
  return result < 0 ? tl::unexpected<Error>(failure(op, result, "vkQueueSubmit of a fence after it")) : Result<void>();
}

Result<bool> Run::brought_about(const Op& poll) {
  const std::uint32_t at = op_index(poll);
  auto one = std::lower_bound(plan_.observations.begin(), plan_.observations.end(), at,
                              [](const Observation& observation, std::uint32_t op) { return observation.op < op; });
  const DeviceState& device = this->device(poll);
  for (; one != plan_.observations.end() && one->op == at; ++one) {
    const auto watch = watches_.find(one->submit);
    if (!one->brings || watch == watches_.end()) continue;
    const VkResult status = device.dispatch.vkGetFenceStatus(device.handle, watch->second);
    if (status == VK_NOT_READY) return false;
    if (status < 0) return tl::unexpected<Error>(failure(poll, status, "vkGetFenceStatus of a submit before it"));
  }
  return true;
}

}  // namespace rondo::player
