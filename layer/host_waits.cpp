// SPDX-License-Identifier: Apache-2.0
#include "layer/host_waits.h"

#include <algorithm>
#include <utility>

#include "layer/chain.h"

namespace rondo::layer {

void HostWaits::created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info) {
  const auto* type =
      find_in_chain<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) {
    given_.erase(semaphore);  // several that are alive may share a handle
    return;
  }
  given_[semaphore] = type->initialValue;
  // Another process or device may signal it.
  if (find_in_chain<VkBaseInStructure>(info.pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) != nullptr)
    unsure_ = true;
}

bool HostWaits::can_run(const Batch& batch) const {
  return std::all_of(batch.waits.begin(), batch.waits.end(), [&](const Value& wait) {
    const auto found = given_.find(wait.semaphore);
    return found == given_.end() || found->second >= wait.value;
  });
}

void HostWaits::give(const Value& value) {
  if (const auto found = given_.find(value.semaphore); found != given_.end())
    found->second = std::max(found->second, value.value);
}

// What waits on a queue holds back what was submitted to it later.
void HostWaits::settle() {
  for (bool again = true; std::exchange(again, false);) {
    for (auto queue = waiting_.begin(); queue != waiting_.end();) {
      std::deque<Batch>& batches = queue->second;
      while (!batches.empty() && can_run(batches.front())) {
        for (const Value& signal : batches.front().signals) give(signal);
        again = again || !batches.front().signals.empty();
        batches.pop_front();
      }
      queue = batches.empty() ? waiting_.erase(queue) : std::next(queue);
    }
  }
}

void HostWaits::add(VkQueue queue, Batch batch) {
  if (const auto held = waiting_.find(queue); held != waiting_.end() || !can_run(batch)) {
    waiting_[queue].push_back(std::move(batch));
  } else {
    for (const Value& signal : batch.signals) give(signal);
  }
}

void HostWaits::signalled(const VkSemaphoreSignalInfo& info) {
  give({info.semaphore, info.value});
  settle();
}

template <class Info>
void HostWaits::add_with_values(VkQueue queue, std::span<const Info> batches) {
  if (given_.empty()) return;
  for (const Info& info : batches) {
    const auto* values = find_in_chain<VkTimelineSemaphoreSubmitInfo>(
        info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    Batch batch;
    if (values != nullptr) {
      const auto take = [&](std::vector<Value>& to, std::uint32_t count, const VkSemaphore* semaphores,
                            std::uint32_t value_count, const std::uint64_t* numbers) {
        for (std::uint32_t i = 0; numbers != nullptr && i < std::min(count, value_count); ++i)
          if (is_timeline(semaphores[i])) to.push_back({semaphores[i], numbers[i]});
      };
      take(batch.waits, info.waitSemaphoreCount, info.pWaitSemaphores, values->waitSemaphoreValueCount,
           values->pWaitSemaphoreValues);
      take(batch.signals, info.signalSemaphoreCount, info.pSignalSemaphores, values->signalSemaphoreValueCount,
           values->pSignalSemaphoreValues);
    }
    add(queue, std::move(batch));
  }
  settle();
}

void HostWaits::submitted(VkQueue queue, std::span<const VkSubmitInfo> batches) { add_with_values(queue, batches); }
void HostWaits::submitted(VkQueue queue, std::span<const VkBindSparseInfo> batches) {
  add_with_values(queue, batches);
}

void HostWaits::submitted(VkQueue queue, std::span<const VkSubmitInfo2> batches) {
  if (given_.empty()) return;
  for (const VkSubmitInfo2& info : batches) {
    Batch batch;
    for (const VkSemaphoreSubmitInfo& wait : std::span(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount))
      if (is_timeline(wait.semaphore)) batch.waits.push_back({wait.semaphore, wait.value});
    for (const VkSemaphoreSubmitInfo& given :
         std::span(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount))
      if (is_timeline(given.semaphore)) batch.signals.push_back({given.semaphore, given.value});
    add(queue, std::move(batch));
  }
  settle();
}

}  // namespace rondo::layer
