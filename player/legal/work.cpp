// SPDX-License-Identifier: Apache-2.0
#include "player/legal/work.h"

#include <algorithm>

namespace rondo::player::validity {

Work::Queue* Work::find(ObjectId id) {
  for (Queue& queue : queues_)
    if (queue.id == id) return &queue;
  return nullptr;
}

Place Work::next(ObjectId id) {
  Queue* queue = find(id);
  if (queue == nullptr) {
    queues_.emplace_back().id = id;
    queue = &queues_.back();
  }
  queue->waits.emplace_back();
  return {id, ++queue->given};
}

Place Work::last(ObjectId id) const {
  const Queue* queue = find(id);
  return queue != nullptr ? Place{id, queue->given} : Place{};
}

bool Work::running(Place place) const {
  const Queue* queue = place.queue != ObjectId::null ? find(place.queue) : nullptr;
  return queue != nullptr && place.number > queue->finished;
}

void Work::submitted(Place place) {
  if (Queue* queue = find(place.queue); queue != nullptr) queue->submitted = place.number;
}

bool Work::submits_ended() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.finished >= q.submitted; });
}

void Work::use(ObjectId object, Place place) {
  Use& use = uses_[object];
  if (use.last.queue != place.queue && running(use.last)) {
    std::erase_if(use.others, [&](Place other) { return other.queue == place.queue || !running(other); });
    use.others.push_back(use.last);
  }
  use.last = place;
}

void Work::depend(Place place, Place earlier) {
  Queue* queue = find(place.queue);
  if (queue == nullptr || place.number <= queue->finished || !running(earlier)) return;
  queue->waits[static_cast<std::size_t>(place.number - queue->finished - 1)].push_back(earlier);
}

void Work::finish(Place place) {
  std::vector<Place> ended = {place};
  while (!ended.empty()) {
    const Place one = ended.back();
    ended.pop_back();
    Queue* queue = find(one.queue);
    while (queue != nullptr && queue->finished < one.number && !queue->waits.empty()) {
      ended.insert(ended.end(), queue->waits.front().begin(), queue->waits.front().end());
      queue->waits.pop_front();
      ++queue->finished;
    }
  }
}

void Work::finish_queue(ObjectId id) {
  if (const Queue* queue = find(id); queue != nullptr) finish({id, queue->given});
}

void Work::finish_device(ObjectId device, const ByObject<Object>& objects) {
  for (const Queue& queue : queues_)
    if (objects[queue.id].device == device) finish({queue.id, queue.given});
}

bool Work::uses(ObjectId object) const {
  const auto found = uses_.find(object);
  if (found == uses_.end()) return false;
  const Use& use = found->second;
  return running(use.last) || std::any_of(use.others.begin(), use.others.end(), [&](Place p) { return running(p); });
}

void Work::queues_of(ObjectId object, std::vector<ObjectId>& out) const {
  const auto found = uses_.find(object);
  if (found == uses_.end()) return;
  const auto add = [&](Place place) {
    if (running(place) && std::find(out.begin(), out.end(), place.queue) == out.end()) out.push_back(place.queue);
  };
  const Use& use = found->second;
  add(use.last);
  for (const Place other : use.others) add(other);
}

std::size_t Work::bytes() const {
  std::size_t bytes = uses_.size() * (sizeof(Use) + 4 * sizeof(void*)) + uses_.bucket_count() * sizeof(void*);
  for (const Queue& queue : queues_) bytes += queue.waits.size() * sizeof(std::vector<Place>);
  return bytes;
}

}  // namespace rondo::player::validity
