// SPDX-License-Identifier: Apache-2.0
// Events, and barriers: steps run one after another, so a barrier has nothing to
// order. But it may end contents: a transition from an undefined layout does.
#include <algorithm>

#include "tests/icd/clear.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

void set_event(Execution&, VkEvent handle, bool to) {
  const auto event = get<Event>(handle);
  if (event == nullptr) return;
  Monitor& monitor = Monitor::get();
  const Monitor::Lock lock = monitor.enter();
  event->set = to;
  monitor.changed();
}

void wait_for(Execution& execution, const VkEvent* handles, std::uint32_t count) {
  std::vector<std::shared_ptr<Event>> events;
  for (std::uint32_t i = 0; i < count; ++i)
    if (auto event = get<Event>(handles[i])) events.push_back(std::move(event));
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const QueueState& queue = execution.queue();
  monitor.wait_on_queue(lock, [&] {
    return queue.stop || queue.device.lost ||
           std::all_of(events.begin(), events.end(), [](const auto& event) { return event->set.load(); });
  });
}

template <class Barrier>
void discard(const Barrier* barriers, std::uint32_t count) {
  if (settings().keeps) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Barrier& barrier = barriers[i];
    if (barrier.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED || barrier.newLayout == VK_IMAGE_LAYOUT_UNDEFINED) continue;
    const auto image = get<Image>(barrier.image);
    if (image == nullptr) continue;
    const VkImageSubresourceRange range = resolved(*image, barrier.subresourceRange);
    for (const VkImageAspectFlagBits aspect : aspects_of(*image, range.aspectMask))
      for (std::uint32_t level = 0; level < range.levelCount; ++level)
        scramble(box_of(*image, aspect, range.baseMipLevel + level, range.baseArrayLayer, range.layerCount));
  }
}

void discard(const VkDependencyInfo& info) { discard(info.pImageMemoryBarriers, info.imageMemoryBarrierCount); }

void set1(Execution& e, const args_vkCmdSetEvent& a) { set_event(e, a.event, true); }
void set2(Execution& e, const args_vkCmdSetEvent2& a) { set_event(e, a.event, true); }
void reset1(Execution& e, const args_vkCmdResetEvent& a) { set_event(e, a.event, false); }
void reset2(Execution& e, const args_vkCmdResetEvent2& a) { set_event(e, a.event, false); }
void wait1(Execution& e, const args_vkCmdWaitEvents& a) {
  wait_for(e, a.pEvents, a.eventCount);
  discard(a.pImageMemoryBarriers, a.imageMemoryBarrierCount);
}
void wait2(Execution& e, const args_vkCmdWaitEvents2& a) {
  wait_for(e, a.pEvents, a.eventCount);
  for (std::uint32_t i = 0; i < a.eventCount; ++i) discard(a.pDependencyInfos[i]);
}
// What came before has ended already: by Settings::device_clock that takes a while.
void drain(Execution& e) {
  if (settings().device_clock) e.queue().worked_ns += std::uint64_t{settings().barrier_us} * 1000;
}
void barrier1(Execution& e, const args_vkCmdPipelineBarrier& a) {
  e.flush_target();
  drain(e);
  discard(a.pImageMemoryBarriers, a.imageMemoryBarrierCount);
}
void barrier2(Execution& e, const args_vkCmdPipelineBarrier2& a) {
  e.flush_target();
  drain(e);
  discard(*a.pDependencyInfo);
}

}  // namespace

void install_events(Table& table) {
  execute<set1>(table, CommandId::vkCmdSetEvent);
  execute<set2>(table, CommandId::vkCmdSetEvent2);
  execute<reset1>(table, CommandId::vkCmdResetEvent);
  execute<reset2>(table, CommandId::vkCmdResetEvent2);
  execute<wait1>(table, CommandId::vkCmdWaitEvents);
  execute<wait2>(table, CommandId::vkCmdWaitEvents2);
  execute<barrier1>(table, CommandId::vkCmdPipelineBarrier);
  execute<barrier2>(table, CommandId::vkCmdPipelineBarrier2);
}

}  // namespace fake
