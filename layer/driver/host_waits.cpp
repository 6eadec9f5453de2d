// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/host_waits.h"

#include <algorithm>
#include <utility>

#include "layer/recorder/chain.h"

namespace rondo::layer {

namespace {

// Of one timeline, that the program has not looked at.
constexpr std::size_t kMostSignals = 256;

// Stages that come after all others.
constexpr VkPipelineStageFlags2 kBehindAll =
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;

}  // namespace

void HostWaits::created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info) {
  const auto* type = find_in_chain<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type == nullptr || type->semaphoreType != VK_SEMAPHORE_TYPE_TIMELINE) {
    timelines_.erase(semaphore);  // several that are alive may share a handle
    return;
  }
  Timeline& timeline = timelines_[semaphore] = {};
  timeline.given = type->initialValue;
  // Another process or device may signal it.
  if (find_in_chain<VkBaseInStructure>(info.pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) != nullptr)
    unsure_ = true;
}

bool HostWaits::can_run(const Batch& batch) const {
  return std::all_of(batch.waits.begin(), batch.waits.end(), [&](const Value& wait) {
    const auto found = timelines_.find(wait.semaphore);
    return found == timelines_.end() || found->second.given >= wait.value;
  });
}

void HostWaits::give(const Value& value) {
  if (const auto found = timelines_.find(value.semaphore); found != timelines_.end())
    found->second.given = std::max(found->second.given, value.value);
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

void HostWaits::add(VkQueue queue, std::uint64_t number, std::uint64_t ends, Batch batch) {
  for (const Value& given : batch.signals) {
    Timeline& timeline = timelines_[given.semaphore];
    std::vector<Signal>& signals = timeline.signals;
    if (signals.size() == kMostSignals) {
      const std::uint64_t value = signals.front().value;
      timeline.least_dropped = timeline.least_dropped == 0 ? value : std::min(timeline.least_dropped, value);
      timeline.most_dropped = std::max(timeline.most_dropped, value);
      signals.erase(signals.begin());
    }
    signals.push_back({given.value, queue, number, given.of_all ? ends : 0});
  }
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

// A timeline's values grow: no signal of a smaller one can be left when this is there.
bool HostWaits::reached(VkSemaphore semaphore, std::uint64_t value, std::vector<Ended>& ended) {
  const auto found = timelines_.find(semaphore);
  if (found == timelines_.end()) return false;
  Timeline& timeline = found->second;
  bool news = std::erase_if(timeline.signals, [&](const Signal& signal) {
                if (signal.value > value) return false;
                ended.push_back({signal.queue, signal.ends});
                return true;
              }) != 0;
  if (timeline.least_dropped != 0 && value >= timeline.least_dropped) {
    news = true;
    timeline.least_dropped = value < timeline.most_dropped ? value + 1 : 0;
    if (timeline.least_dropped == 0) timeline.most_dropped = 0;
  }
  return news;
}

void HostWaits::not_submitted(VkQueue queue, std::uint64_t number) {
  unsure_ = true;
  for (auto& [semaphore, timeline] : timelines_)
    std::erase_if(timeline.signals,
                  [&](const Signal& signal) { return signal.queue == queue && signal.number == number; });
}

template <class Info>
void HostWaits::add_with_values(VkQueue queue, std::uint64_t number, std::span<const Info> batches) {
  if (timelines_.empty()) return;
  for (const Info& info : batches) {
    const auto* values =
        find_in_chain<VkTimelineSemaphoreSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
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
    add(queue, number, &info == &batches.back() ? number : number - 1, std::move(batch));
  }
  settle();
}

void HostWaits::submitted(VkQueue queue, std::uint64_t number, std::span<const VkSubmitInfo> batches) {
  add_with_values(queue, number, batches);
}
void HostWaits::submitted(VkQueue queue, std::uint64_t number, std::span<const VkBindSparseInfo> batches) {
  add_with_values(queue, number, batches);
}

void HostWaits::submitted(VkQueue queue, std::uint64_t number, std::span<const VkSubmitInfo2> batches) {
  if (timelines_.empty()) return;
  for (const VkSubmitInfo2& info : batches) {
    Batch batch;
    for (const VkSemaphoreSubmitInfo& wait : std::span(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount))
      if (is_timeline(wait.semaphore)) batch.waits.push_back({wait.semaphore, wait.value});
    for (const VkSemaphoreSubmitInfo& given : std::span(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount))
      if (is_timeline(given.semaphore))
        batch.signals.push_back({given.semaphore, given.value, (given.stageMask & kBehindAll) != 0});
    add(queue, number, &info == &batches.back() ? number : number - 1, std::move(batch));
  }
  settle();
}

}  // namespace rondo::layer
