// SPDX-License-Identifier: Apache-2.0
#include "player/plan/submit_order.h"

#include <algorithm>

#include "format/codec/schema.h"

namespace rondo::player {

bool SubmitOrder::is_ready(const SyncStep& step) const {
  for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i) {
    const auto found = values_.find(plan_.sync_points[i].semaphore);
    if ((found == values_.end() ? 0 : found->second) < plan_.sync_points[i].value) return false;
  }
  return true;
}

void SubmitOrder::finish(const SyncStep& step) {
  for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i)
    if (!plan_.sync_points[i].timeline) values_[plan_.sync_points[i].semaphore] = 0;
  for (std::uint32_t i = step.first_signal; i < step.first_signal + step.signals; ++i) {
    std::uint64_t& value = values_[plan_.sync_points[i].semaphore];
    value = std::max(value, plan_.sync_points[i].value);
  }
}

std::deque<SubmitOrder::Entry>& SubmitOrder::queue(ObjectId id) {
  const auto found = std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return q.first == id; });
  return found != queues_.end() ? found->second : queues_.emplace_back(id, std::deque<Entry>()).second;
}

void SubmitOrder::settle(std::vector<std::uint32_t>& run) {
  for (bool more = true; more;) {
    more = false;
    for (auto& [id, entries] : queues_)
      while (!entries.empty() && (entries.front().step == nullptr || is_ready(*entries.front().step))) {
        if (entries.front().step != nullptr)
          finish(*entries.front().step);
        else
          run.push_back(entries.front().op);
        entries.pop_front();
        more = true;
      }
  }
}

void SubmitOrder::take(std::uint32_t op, std::vector<std::uint32_t>& run) {
  bool any = false;
  for (; next_ < plan_.sync.size() && plan_.sync[next_].op <= op; ++next_) {
    const SyncStep& step = plan_.sync[next_];
    RONDO_CHECK(next_ == 0 || plan_.sync[next_ - 1].op <= step.op);
    RONDO_CHECK(std::size_t{step.first_wait} + step.waits <= plan_.sync_points.size());
    RONDO_CHECK(std::size_t{step.first_signal} + step.signals <= plan_.sync_points.size());
    const bool of_swapchain = index_of(step.queue) < plan_.objects.objects().size() &&
                              plan_.objects.objects()[step.queue].type == HandleType::VkSwapchainKHR;
    const ObjectId of = of_swapchain ? plan_.queue_of_presents(step.queue) : step.queue;
    if (of == ObjectId::null)
      finish(step);
    else
      queue(of).push_back({&step, op});
    any = true;
  }
  const CommandId id = codec::info(plan_.ops[op].command).canonical;
  if (id == CommandId::vkQueueSubmit || id == CommandId::vkQueueSubmit2) {
    queue(plan_.ops[op].dispatch).push_back({nullptr, op});
    any = true;
  }
  if (any) settle(run);
}

}  // namespace rondo::player
