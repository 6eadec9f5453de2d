// SPDX-License-Identifier: Apache-2.0
#include "layer/host_waits.h"

#include <algorithm>

#include "layer/chain.h"

namespace rondo::layer {

template <class Change>
void HostWaits::change(VkSemaphore semaphore, Change&& change) {
  const auto found = timelines_.find(semaphore);
  if (found == timelines_.end()) return;  // binary, whose values mean nothing
  open_ -= found->second.open() ? 1 : 0;
  change(found->second);
  open_ += found->second.open() ? 1 : 0;
}

void HostWaits::gives(VkSemaphore semaphore, std::uint64_t value) {
  change(semaphore, [&](Timeline& timeline) { timeline.given = std::max(timeline.given, value); });
}

void HostWaits::wants(VkSemaphore semaphore, std::uint64_t value) {
  change(semaphore, [&](Timeline& timeline) { timeline.wanted = std::max(timeline.wanted, value); });
}

void HostWaits::created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info) {
  change(semaphore, [](Timeline& timeline) { timeline = {}; });  // another had its handle's value
  const auto* type =
      find_in_chain<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) {
    timelines_.erase(semaphore);
    return;
  }
  timelines_[semaphore] = {type->initialValue, 0};
  // Another process or device may signal it.
  if (find_in_chain<VkBaseInStructure>(info.pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) != nullptr)
    unsure_ = true;
}

template <class Batch>
void HostWaits::submitted_with_values(std::span<const Batch> batches) {
  if (timelines_.empty()) return;
  for (const Batch& batch : batches) {
    const auto* values = find_in_chain<VkTimelineSemaphoreSubmitInfo>(
        batch.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    if (values == nullptr) continue;
    if (values->pWaitSemaphoreValues != nullptr)
      for (std::uint32_t i = 0; i < std::min(batch.waitSemaphoreCount, values->waitSemaphoreValueCount); ++i)
        wants(batch.pWaitSemaphores[i], values->pWaitSemaphoreValues[i]);
    if (values->pSignalSemaphoreValues != nullptr)
      for (std::uint32_t i = 0; i < std::min(batch.signalSemaphoreCount, values->signalSemaphoreValueCount); ++i)
        gives(batch.pSignalSemaphores[i], values->pSignalSemaphoreValues[i]);
  }
}

void HostWaits::submitted(std::span<const VkSubmitInfo> batches) { submitted_with_values(batches); }
void HostWaits::submitted(std::span<const VkBindSparseInfo> batches) { submitted_with_values(batches); }

void HostWaits::submitted(std::span<const VkSubmitInfo2> batches) {
  if (timelines_.empty()) return;
  for (const VkSubmitInfo2& batch : batches) {
    for (const VkSemaphoreSubmitInfo& wait : std::span(batch.pWaitSemaphoreInfos, batch.waitSemaphoreInfoCount))
      wants(wait.semaphore, wait.value);
    for (const VkSemaphoreSubmitInfo& given :
         std::span(batch.pSignalSemaphoreInfos, batch.signalSemaphoreInfoCount))
      gives(given.semaphore, given.value);
  }
}

}  // namespace rondo::layer
