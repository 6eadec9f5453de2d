// SPDX-License-Identifier: Apache-2.0
// What the capture did because the work before happened to have ended, and the
// replay must not do before it has (player/legal/work.h).
#include <algorithm>

#include "player/run/idle.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kMayHangNs = 10'000'000'000;  // where the work may wait for the host

}  // namespace

std::pair<ObjectId, VkQueue> Run::queue_of(const DeviceState& device, const Settle& settle) const {
  ObjectId id = settle.queue;
  const bool of_swapchain = plan_.objects.objects()[id].type == HandleType::VkSwapchainKHR;
  if (of_swapchain) id = plan_.queue_of_presents(id);
  return {id, of_swapchain && slots_[index_of(id)] == 0 ? device.service_queue
                                                        : reinterpret_cast<VkQueue>(slots_[index_of(id)])};
}

// Until the queue is idle.
Result<void> Run::await_queue(const Op& op, DeviceState& device, const Settle& settle) {
  const auto [queue_id, queue] = queue_of(device, settle);
  if (queue == VK_NULL_HANDLE) return {};
  sync_.advance(at_);
  if (sync_.blocked(queue_id))
    return tl::unexpected<Error>(
        refuse(op, Status::failed,
               "needs work of " + plan_.name(queue_id) + " to have ended, which waits for a later record"));
  const IdleProbe probe(device, queue);
  const std::uint64_t left = deadline_.left_ns();
  const VkResult r = probe.wait(std::min(left, has_events_ ? kMayHangNs : UINT64_MAX));
  if (r == VK_TIMEOUT && (!has_events_ || left <= kMayHangNs)) return tl::unexpected<Error>(timed_out(op));
  if (r == VK_TIMEOUT) {
    abandoned_ = true;
    return tl::unexpected<Error>(
        refuse(op, Status::timeout,
               "needs work of " + plan_.name(queue_id) +
                   " to have ended, which ran for 10 s: it may wait for an event that a later record sets"));
  }
  return r < 0 ? tl::unexpected<Error>(failure(op, r, "the wait before it")) : Result<void>();
}

// A host write that came after the end of that work. It has ended or can end: what it waits for was there.
Result<void> Run::await_submit(const Op& op, const Settle& settle) {
  // Played before the span: in a span that is played again, fences are as they were only where it begins.
  const bool before_span = settle.submit < plan_.span.first && at_ >= plan_.span.first;
  DeviceState& device = *devices_[op.device];
  if (settle.fence != ObjectId::null && before_span) return await_queue(op, device, settle);
  VkFence fence = VK_NULL_HANDLE;
  if (settle.fence != ObjectId::null) {
    fence = reinterpret_cast<VkFence>(slots_[index_of(settle.fence)]);
  } else {
    const auto watch = watches_.find(settle.submit);
    if (watch == watches_.end()) return {};  // the device of the submit is another one
    fence = watch->second;
  }
  constexpr std::uint64_t kLookEveryNs = 1'000'000'000;
  for (std::uint64_t waited = 0;; waited += kLookEveryNs) {
    const std::uint64_t left = deadline_.left_ns(), ns = std::min(left, kLookEveryNs);
    const VkResult r = device.dispatch.vkWaitForFences(device.handle, 1, &fence, VK_TRUE, ns);
    if (r == VK_SUCCESS) return {};
    if (r < 0) return tl::unexpected<Error>(failure(op, r, "the wait before it"));
    if (left <= kLookEveryNs) return tl::unexpected<Error>(timed_out(op));
    sync_.advance(at_);
    if (sync_.blocked(settle.queue, settle.submit) || (has_events_ && waited >= kMayHangNs)) {
      abandoned_ = true;
      return tl::unexpected<Error>(refuse(op, Status::timeout,
                                          "was made after the work of record " +
                                              std::to_string(plan_.ops[settle.submit].sequence) +
                                              " had ended, which waits for a later record here"));
    }
  }
}

Result<void> Run::settle(const Op& op, const Settle& settle) {
  if (settle.lost != kNone) {
    RONDO_TRY(finish_work(settle.lost));
    waited(op);
    return {};
  }
  if (op.device == kNone) return {};
  if (settle.payload != Settle::Payload::none) return settle_payload(op, settle);
  if (settle.submit != kNone) return await_submit(op, settle);
  DeviceState& device = *devices_[op.device];
  const Dispatch& vk = device.dispatch;
  if (settle.fence != ObjectId::null) {
    const VkFence fence = reinterpret_cast<VkFence>(slots_[index_of(settle.fence)]);
    const VkResult r = vk.vkResetFences(device.handle, 1, &fence);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "vkResetFences before it")) : Result<void>();
  }
  if (settle.commands != ObjectId::null) {
    const auto commands = reinterpret_cast<VkCommandBuffer>(slots_[index_of(settle.commands)]);
    const auto pool = reinterpret_cast<VkQueryPool>(slots_[index_of(settle.pool)]);
    if (settle.pool != ObjectId::null && settle.index != 0)
      vk.vkCmdEndQueryIndexedEXT(commands, pool, settle.query, settle.index);
    else if (settle.pool != ObjectId::null)
      vk.vkCmdEndQuery(commands, pool, settle.query);
    if (settle.pool != ObjectId::null) return {};
    const VkResult r = vk.vkResetCommandBuffer(commands, 0);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "vkResetCommandBuffer before it")) : Result<void>();
  }
  const auto [queue_id, queue] = queue_of(device, settle);
  if (queue == VK_NULL_HANDLE) return {};
  if (settle.semaphore != ObjectId::null) {
    const VkSemaphore semaphore = reinterpret_cast<VkSemaphore>(slots_[index_of(settle.semaphore)]);
    constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = 1;
    submit.pWaitSemaphores = &semaphore;
    submit.pWaitDstStageMask = &stage;
    const VkResult r = vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "the submit that takes a signal before it")) : Result<void>();
  }
  return await_queue(op, device, settle);
}

}  // namespace rondo::player
