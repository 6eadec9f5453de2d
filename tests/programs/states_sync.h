// SPDX-License-Identifier: Apache-2.0
// States of states.cpp: what work signals, waits for and asks.
#pragma once

#include "states.h"

namespace program {

// Signalled when it is waited for, and not any more behind that.
inline void fences(States& s) {
  const VkFence fence = create_fence(s.c, VK_FENCE_CREATE_SIGNALED_BIT);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.run(s.commands.buffer);
  s.enter();
  CHECK(vkWaitForFences(s.c.device, 1, &fence, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(s.c.device, 1, &fence));
  s.run(s.commands.buffer);
  s.leave();
  vkDestroyFence(s.c.device, fence, nullptr);
}

// Set when the work waits for it, and reset behind that.
inline void events(States& s) {
  const VkEvent event = create_event(s.c);
  CHECK(vkSetEvent(s.c.device, event));
  begin(s.commands.buffer, 0);
  vkCmdWaitEvents(s.commands.buffer, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                  nullptr, 0, nullptr, 0, nullptr);
  record_dispatch(s.a, s.commands.buffer, s.a.set, 0, 0);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.enter();
  s.run(s.commands.buffer);
  CHECK(vkResetEvent(s.c.device, event));
  s.leave();
  vkDestroyEvent(s.c.device, event, nullptr);
}

// Submitted before it, waits for what the host sets in it.
inline void waiting(States& s) {
  const VkEvent event = create_event(s.c);
  begin(s.commands.buffer, 0);
  vkCmdWaitEvents(s.commands.buffer, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                  nullptr, 0, nullptr, 0, nullptr);
  record_dispatch(s.a, s.commands.buffer, s.a.set, 0, 0);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  const Commands more = create_commands(s.c);
  s.dispatch(more.buffer, s.a.set, 1, 0);
  submit(s.c.queues[0], s.commands.buffer, s.commands.done);
  s.enter();
  CHECK(vkSetEvent(s.c.device, event));
  wait(s.c, s.commands);
  s.run(more.buffer);
  s.leave();
  vkDestroyEvent(s.c.device, event, nullptr);
  Commands ended = more;
  destroy(s.c, ended);
}

// The device's own: set before it, waited for and reset in it.
inline void device_events(States& s) {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  info.flags = VK_EVENT_CREATE_DEVICE_ONLY_BIT;
  VkEvent event;
  CHECK(vkCreateEvent(s.c.device, &info, nullptr, &event));
  const VkCommandBuffer sets = another(s);
  begin(sets, 0);
  vkCmdSetEvent(sets, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK(vkEndCommandBuffer(sets));
  s.run(sets);
  begin(s.commands.buffer, 0);
  vkCmdWaitEvents(s.commands.buffer, 1, &event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                  0, nullptr, 0, nullptr, 0, nullptr);
  record_dispatch(s.a, s.commands.buffer, s.a.set, 0, 0);
  vkCmdResetEvent(s.commands.buffer, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.enter();
  s.run(s.commands.buffer);
  s.leave();
  vkDestroyEvent(s.c.device, event, nullptr);
}

// Signalled before it, taken in it.
inline void binaries(States& s) {
  const VkSemaphore semaphore = create_semaphore(s.c);
  VkSubmitInfo signal{};
  signal.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  signal.signalSemaphoreCount = 1;
  signal.pSignalSemaphores = &semaphore;
  CHECK(vkQueueSubmit(s.c.queues[0], 1, &signal, s.commands.done));
  wait(s.c, s.commands);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.enter();
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo work{};
  work.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  work.waitSemaphoreCount = 1;
  work.pWaitSemaphores = &semaphore;
  work.pWaitDstStageMask = &stage;
  work.commandBufferCount = 1;
  work.pCommandBuffers = &s.commands.buffer;
  CHECK(vkQueueSubmit(s.c.queues[0], 1, &work, s.commands.done));
  wait(s.c, s.commands);
  s.leave();
  vkDestroySemaphore(s.c.device, semaphore, nullptr);
}

// The work waits for a value that the host gives.
inline void timelines(States& s) {
  const VkSemaphore timeline = create_timeline(s.c, 3);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.enter();
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const std::uint64_t value = 4;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  VkSubmitInfo work{};
  work.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  work.pNext = &values;
  work.waitSemaphoreCount = 1;
  work.pWaitSemaphores = &timeline;
  work.pWaitDstStageMask = &stage;
  work.commandBufferCount = 1;
  work.pCommandBuffers = &s.commands.buffer;
  CHECK(vkQueueSubmit(s.c.queues[0], 1, &work, s.commands.done));
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, value};
  CHECK(vkSignalSemaphore(s.c.device, &signal));
  wait(s.c, s.commands);
  s.leave();
  vkDestroySemaphore(s.c.device, timeline, nullptr);
}

// Reset before it, begun in it.
inline void queries(States& s) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 2;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.c.device, &info, nullptr, &pool));
  begin(s.commands.buffer, 0);
  vkCmdResetQueryPool(s.commands.buffer, pool, 0, 2);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.run(s.commands.buffer);
  const VkCommandBuffer work = another(s);
  begin(work, 0);
  vkCmdBeginQuery(work, pool, 1, 0);
  record_dispatch(s.a, work, s.a.set, 0, 0);
  vkCmdEndQuery(work, pool, 1);
  CHECK(vkEndCommandBuffer(work));
  s.enter();
  s.run(work);
  std::uint64_t value = 0;
  CHECK(vkGetQueryPoolResults(s.c.device, pool, 1, 1, sizeof value, &value, sizeof value,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  s.leave();
  vkDestroyQueryPool(s.c.device, pool, nullptr);
}

// A result of before is read in it.
inline void results(States& s) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.c.device, &info, nullptr, &pool));
  begin(s.commands.buffer, 0);
  vkCmdResetQueryPool(s.commands.buffer, pool, 0, 1);
  vkCmdBeginQuery(s.commands.buffer, pool, 0, 0);
  vkCmdEndQuery(s.commands.buffer, pool, 0);
  CHECK(vkEndCommandBuffer(s.commands.buffer));
  s.run(s.commands.buffer);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  s.enter();
  s.run(s.commands.buffer);
  std::uint64_t value = 0;
  CHECK(vkGetQueryPoolResults(s.c.device, pool, 0, 1, sizeof value, &value, sizeof value,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  s.leave();
  vkDestroyQueryPool(s.c.device, pool, nullptr);
}

// Signalled by work of before it, waited for in it.
inline void signalled(States& s) {
  const VkFence fence = create_fence(s.c);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  submit(s.c.queues[0], s.commands.buffer, fence);
  CHECK(vkQueueWaitIdle(s.c.queues[0]));
  s.enter();
  CHECK(vkWaitForFences(s.c.device, 1, &fence, VK_TRUE, UINT64_MAX));
  s.run(s.commands.buffer);
  s.leave();
  vkDestroyFence(s.c.device, fence, nullptr);
}

// Work of before it signals a value that work in it waits for.
inline void ticks(States& s) {
  const VkSemaphore timeline = create_timeline(s.c, 3);
  s.dispatch(s.commands.buffer, s.a.set, 0, 0);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  const std::uint64_t value = 8;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &value;
  VkSubmitInfo work{};
  work.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  work.pNext = &values;
  work.commandBufferCount = 1;
  work.pCommandBuffers = &s.commands.buffer;
  work.signalSemaphoreCount = 1;
  work.pSignalSemaphores = &timeline;
  CHECK(vkQueueSubmit(s.c.queues[0], 1, &work, s.commands.done));
  wait(s.c, s.commands);
  s.enter();
  values.signalSemaphoreValueCount = work.signalSemaphoreCount = 0;
  values.waitSemaphoreValueCount = work.waitSemaphoreCount = 1;
  values.pWaitSemaphoreValues = &value;
  work.pWaitSemaphores = &timeline;
  work.pWaitDstStageMask = &stage;
  CHECK(vkQueueSubmit(s.c.queues[0], 1, &work, s.commands.done));
  wait(s.c, s.commands);
  s.leave();
  vkDestroySemaphore(s.c.device, timeline, nullptr);
}

}  // namespace program
