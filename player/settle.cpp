// SPDX-License-Identifier: Apache-2.0
// What the capture did because the work before happened to have ended, and the
// replay must not do before it has (validity/work.h).
#include <algorithm>

#include "player/idle.h"

namespace rondo::player {

namespace {

constexpr std::uint64_t kMayHangNs = 10'000'000'000;  // where the work may wait for the host

}  // namespace

std::pair<ObjectId, VkQueue> Run::queue_of(const DeviceState& device, const Settle& settle) const {
  ObjectId id = settle.queue;
  const bool of_swapchain = plan_.objects.objects()[id].type == HandleType::VkSwapchainKHR;
  if (of_swapchain) id = plan_.queue_of_presents(id);
  return {id, of_swapchain && slots_[id] == 0 ? device.service_queue : reinterpret_cast<VkQueue>(slots_[id])};
}

Result<void> Run::settle(const Op& op, const Settle& settle) {
  if (settle.lost != kNone) {
    RONDO_TRY(finish_work(settle.lost));
    waited(op);
    return {};
  }
  if (op.device == kNone) return {};
  if (settle.payload != Settle::Payload::none) return settle_payload(op, settle);
  DeviceState& device = *devices_[op.device];
  const Dispatch& vk = device.dispatch;
  if (settle.fence != 0) {
    const VkFence fence = reinterpret_cast<VkFence>(slots_[settle.fence]);
    const VkResult r = vk.vkResetFences(device.handle, 1, &fence);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "vkResetFences before it")) : Result<void>();
  }
  if (settle.commands != 0) {
    const auto commands = reinterpret_cast<VkCommandBuffer>(slots_[settle.commands]);
    const auto pool = reinterpret_cast<VkQueryPool>(slots_[settle.pool]);
    if (settle.pool != 0 && settle.index != 0)
      vk.vkCmdEndQueryIndexedEXT(commands, pool, settle.query, settle.index);
    else if (settle.pool != 0)
      vk.vkCmdEndQuery(commands, pool, settle.query);
    if (settle.pool != 0) return {};
    const VkResult r = vk.vkResetCommandBuffer(commands, 0);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "vkResetCommandBuffer before it")) : Result<void>();
  }
  const auto [queue_id, queue] = queue_of(device, settle);
  if (queue == VK_NULL_HANDLE) return {};
  if (settle.semaphore != 0) {
    const VkSemaphore semaphore = reinterpret_cast<VkSemaphore>(slots_[settle.semaphore]);
    constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = 1;
    submit.pWaitSemaphores = &semaphore;
    submit.pWaitDstStageMask = &stage;
    const VkResult r = vk.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "the submit that takes a signal before it"))
                 : Result<void>();
  }
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

}  // namespace rondo::player
