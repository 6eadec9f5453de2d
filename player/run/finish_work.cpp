// SPDX-License-Identifier: Apache-2.0
// The end of what is left on a device's queues. Programs that were killed,
// --salvage, --until and errors leave submits that wait for a signal of a call
// that is not played any more; nothing looks at what they do, so it is given.
#include <algorithm>

#include "format/counts.h"
#include "player/run/idle.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kUnansweredNs = 10 * kSecond;  // for work that may wait for what nobody can give
constexpr std::uint64_t kSliceNs = kSecond / 10;

VkSemaphore semaphore_of(std::uint64_t slot) { return reinterpret_cast<VkSemaphore>(slot); }

void signal_timeline(const DeviceState& device, VkSemaphore semaphore, const SyncModel::Release& release) {
  const Dispatch& vk = device.dispatch;
  if (vk.vkWaitSemaphores == nullptr || vk.vkSignalSemaphore == nullptr) return;
  // What earlier batches signal is theirs to reach first: values only grow.
  VkSemaphoreWaitInfo wait{};
  wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  wait.semaphoreCount = 1;
  wait.pSemaphores = &semaphore;
  wait.pValues = &release.before;
  if (release.before != 0 && vk.vkWaitSemaphores(device.handle, &wait, kUnansweredNs) != VK_SUCCESS) return;
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, release.point.value};
  vk.vkSignalSemaphore(device.handle, &signal);
}

// By an empty submit to a queue that does not wait for it.
void signal_binary(const DeviceState& device, VkSemaphore semaphore, VkQueue waiting) {
  const auto is_other = [&](const LiveQueue& queue) { return queue.handle != waiting; };
  const auto other = std::find_if(device.queues.begin(), device.queues.end(), is_other);
  if (other == device.queues.end()) return;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &semaphore;
  device.dispatch.vkQueueSubmit(other->handle, 1, &submit, VK_NULL_HANDLE);
}

}  // namespace

Result<void> Run::finish_work(std::uint32_t index) {
  if (devices_[index] == nullptr) return {};
  DeviceState& device = *devices_[index];
  const auto& objects = plan_.objects.objects();
  const ObjectId own = plan_.devices[index].id;
  sync_.advance(at_);
  if (sync_.blocked()) {
    const std::vector<SyncModel::Release> more = sync_.release();
    releases_.insert(releases_.end(), more.begin(), more.end());
  }
  const SyncModel::Release* unanswered = nullptr;
  for (const SyncModel::Release& release : releases_) {
    const ObjectId id = release.point.semaphore;
    if (objects[id].device != own || slots_[index_of(id)] == 0) continue;
    unanswered = &release;
    if (release.point.timeline)
      signal_timeline(device, semaphore_of(slots_[index_of(id)]), release);
    else
      signal_binary(device, semaphore_of(slots_[index_of(id)]),
                    reinterpret_cast<VkQueue>(slots_[index_of(release.queue)]));
  }
  std::vector<VkEvent> events;  // the host may have been going to set any of them
  for (const ObjectId id : all_ids(has_events_ ? slots_.size() : 0))
    if (objects[id].type == HandleType::VkEvent && objects[id].device == own && slots_[index_of(id)] != 0)
      events.push_back(reinterpret_cast<VkEvent>(slots_[index_of(id)]));

  const IdleProbe probe(device);
  const bool may_hang = unanswered != nullptr || !events.empty();
  VkResult waited = VK_TIMEOUT;
  const std::uint64_t begin = now_ns();
  while (waited == VK_TIMEOUT) {
    if (may_hang && now_ns() - begin > kUnansweredNs) break;
    const std::uint64_t left = deadline_.left_ns();
    waited = probe.wait(std::min(left, may_hang ? kSliceNs : left));
    if (waited != VK_TIMEOUT) break;
    if (left == 0) break;
    for (VkEvent event : events) device.dispatch.vkSetEvent(device.handle, event);
  }
  const auto done = [&](const SyncModel::Release& r) { return objects[r.point.semaphore].device == own; };
  if (waited != VK_TIMEOUT) {
    if (waited == VK_ERROR_DEVICE_LOST) end_lost_work(device);
    std::erase_if(releases_, done);
    return {};
  }
  abandoned_ = true;
  std::string text = plan_.path + ": the submitted work did not end";
  if (unanswered != nullptr)
    text += ": record " + std::to_string(plan_.ops[unanswered->op].sequence) + " waits for " +
            plan_.name(unanswered->point.semaphore) +
            (unanswered->point.timeline ? " to reach " + std::to_string(unanswered->point.value) : "") +
            ", which no record before its end signals";
  else if (!events.empty())
    text += ", perhaps because it waits for " +
            (events.size() == 1 ? "an event" : "one of " + plural(events.size(), "event"));
  else
    text += " within --timeout";
  return fail(Status::timeout, text + behind_last_submit());
}

}  // namespace rondo::player
