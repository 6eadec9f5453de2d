// SPDX-License-Identifier: Apache-2.0
#include "player/plan/sync_model.h"

#include <algorithm>

#include "player/plan/plan.h"

namespace rondo::player {

void SyncModel::advance(std::uint32_t op) {
  for (; next_ < plan_->sync.size() && plan_->sync[next_].op < op; ++next_) {
    const SyncStep& step = plan_->sync[next_];
    const ObjectId queue = queue_of(step);
    if (queue == ObjectId::null) {
      finish(step);
    } else if (!blocked(queue) && satisfied(step)) {
      finish(step);
    } else {
      auto found = std::find_if(queues_.begin(), queues_.end(), [&](const auto& q) { return q.first == queue; });
      if (found == queues_.end()) found = queues_.insert(queues_.end(), {queue, {}});
      found->second.push_back(next_);
      ++blocked_;
    }
    if (blocked_ != 0) settle();
  }
}

// A value of 0 says the same as none.
void SyncModel::make_room(const SyncModel& later) {
  for (const auto& [semaphore, value] : later.value_) value_.try_emplace(semaphore, 0);
  timelines_.insert(later.timelines_.begin(), later.timelines_.end());
  for (const auto& other : later.queues_)
    if (std::none_of(queues_.begin(), queues_.end(), [&](const auto& q) { return q.first == other.first; }))
      queues_.push_back({other.first, {}});
}

ObjectId SyncModel::queue_of(const SyncStep& step) const {
  const ByObject<Object>& objects = plan_->objects.objects();
  const bool of_swapchain =
      index_of(step.queue) < objects.size() && objects[step.queue].type == HandleType::VkSwapchainKHR;
  return of_swapchain ? plan_->queue_of_presents(step.queue) : step.queue;
}

bool SyncModel::blocked(ObjectId queue) const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [&](const auto& q) { return q.first == queue && !q.second.empty(); });
}

bool SyncModel::blocked(ObjectId queue, std::uint32_t op) const {
  return std::any_of(queues_.begin(), queues_.end(), [&](const auto& q) {
    return q.first == queue && !q.second.empty() && plan_->sync[q.second.front()].op <= op;
  });
}

std::size_t SyncModel::first_blocked() const {
  std::size_t first = plan_->sync.size();
  for (const auto& [queue, batches] : queues_)
    if (!batches.empty()) first = std::min(first, batches.front());
  return first;
}

bool SyncModel::reaches(ObjectId semaphore, std::uint64_t value) const {
  const auto found = value_.find(semaphore);
  return (found == value_.end() ? 0 : found->second) >= value;
}

std::uint64_t SyncModel::given(ObjectId timeline) const {
  return timelines_.count(timeline) != 0 ? value_.at(timeline) : 0;
}

bool SyncModel::satisfied(const SyncStep& step) const {
  for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i) {
    const SyncPoint& wait = plan_->sync_points[i];
    const auto found = value_.find(wait.semaphore);
    if ((found == value_.end() ? 0 : found->second) < wait.value) return false;
  }
  return true;
}

void SyncModel::finish(const SyncStep& step) {
  for (std::uint32_t i = step.first_wait; i < step.first_wait + step.waits; ++i)
    if (!plan_->sync_points[i].timeline) value_[plan_->sync_points[i].semaphore] = 0;
  for (std::uint32_t i = step.first_signal; i < step.first_signal + step.signals; ++i) {
    std::uint64_t& value = value_[plan_->sync_points[i].semaphore];
    value = std::max(value, plan_->sync_points[i].value);
    if (plan_->sync_points[i].timeline) timelines_.insert(plan_->sync_points[i].semaphore);
  }
}

void SyncModel::settle() {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto& [queue, batches] : queues_) {
      while (!batches.empty() && satisfied(plan_->sync[batches.front()])) {
        finish(plan_->sync[batches.front()]);
        batches.pop_front();
        --blocked_;
        progress = true;
      }
    }
  }
}

std::vector<SyncModel::Release> SyncModel::release() {
  std::vector<Release> releases;
  while (blocked_ != 0) {
    ObjectId queue = ObjectId::null;
    const SyncStep* first = nullptr;
    for (const auto& [q, batches] : queues_)
      if (!batches.empty() && (first == nullptr || plan_->sync[batches.front()].op < first->op)) {
        first = &plan_->sync[batches.front()];
        queue = q;
      }
    for (std::uint32_t i = first->first_wait; i < first->first_wait + first->waits; ++i) {
      const SyncPoint& wait = plan_->sync_points[i];
      std::uint64_t& value = value_[wait.semaphore];
      if (value >= wait.value) continue;
      if (wait.semaphore < kPayloads) releases.push_back({wait, value, queue, first->op});
      value = wait.value;
    }
    settle();
  }
  return releases;
}

}  // namespace rondo::player
