// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/fences.h"

#include "layer/driver/state.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

constexpr std::uint64_t kLastWait = 10'000'000'000;  // ns

}  // namespace

// The program has waited for its work, and cannot have waited for ours.
Fences::~Fences() {
  // A forked child's driver has none of its threads: nothing there will signal.
  const bool ended =
      given_.empty() ||
      (!in_forked_child() && device_.next->vkWaitForFences(device_.device, static_cast<std::uint32_t>(given_.size()),
                                                           given_.data(), VK_TRUE, kLastWait) != VK_TIMEOUT);
  if (ended) unused_.insert(unused_.end(), given_.begin(), given_.end());
  for (VkFence fence : unused_) device_.next->vkDestroyFence(device_.device, fence, nullptr);
}

VkResult Fences::take(VkFence& fence) {
  if (unused_.empty()) reuse_signalled();
  if (unused_.empty()) {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    return device_.next->vkCreateFence(device_.device, &info, nullptr, &fence);
  }
  fence = unused_.back();
  unused_.pop_back();
  return VK_SUCCESS;
}

VkResult Fences::submit(VkQueue queue, VkFence& fence) {
  if (const VkResult result = take(fence); result != VK_SUCCESS) return result;
  const VkResult result = device_.next->vkQueueSubmit(queue, 0, nullptr, fence);
  if (result != VK_SUCCESS) unused_.push_back(fence);
  return result;
}

void Fences::reuse_signalled() {
  std::erase_if(given_, [&](VkFence fence) {
    if (device_.next->vkGetFenceStatus(device_.device, fence) != VK_SUCCESS ||
        device_.next->vkResetFences(device_.device, 1, &fence) != VK_SUCCESS)
      return false;
    unused_.push_back(fence);
    return true;
  });
}

}  // namespace rondo::layer
