// SPDX-License-Identifier: Apache-2.0
// Semaphores and fences whose payloads left as sync fds, or came as such (player/legal/sync_fds.cpp
// says which may be which). No fd is made here: what an object had when it was exported
// stays with its handle, and the object gets a new one.
#include <algorithm>

#include "generated/args.h"
#include "player/run/imports.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

constexpr VkPipelineStageFlags kAllCommands = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

VkResult new_semaphore(const DeviceState& device, VkSemaphore& semaphore) {
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  return device.dispatch.vkCreateSemaphore(device.handle, &info, nullptr, &semaphore);
}

VkResult new_fence(const DeviceState& device, VkFence& fence, VkFenceCreateFlags flags) {
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, flags};
  return device.dispatch.vkCreateFence(device.handle, &info, nullptr, &fence);
}

VkResult submit_wait(const DeviceState& device, VkQueue queue, VkSemaphore semaphore) {
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &semaphore;
  submit.pWaitDstStageMask = &kAllCommands;
  return device.dispatch.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
}

VkResult submit_signal(const DeviceState& device, VkQueue queue, VkSemaphore semaphore) {
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &semaphore;
  return device.dispatch.vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
}

Result<void> create_semaphore(Run& run, const Op& op, std::byte* args) {
  drop_exports(const_cast<VkSemaphoreCreateInfo&>(*as<args_vkCreateSemaphore>(args).pCreateInfo).pNext);
  return run.call_checked(op, args);
}

Result<void> create_fence(Run& run, const Op& op, std::byte* args) {
  drop_exports(const_cast<VkFenceCreateInfo&>(*as<args_vkCreateFence>(args).pCreateInfo).pNext);
  return run.call_checked(op, args);
}

// All that they do stands in front of them.
Result<void> nothing(Run&, const Op&, std::byte*) { return {}; }

}  // namespace

void find_payloads(Plan& plan) {
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < plan.settles.size(); ++i)
    if (plan.settles[i].payload == Settle::Payload::is_due) due.push_back(i);
  std::stable_sort(due.begin(), due.end(),
                   [&](std::size_t a, std::size_t b) { return plan.settles[a].exported < plan.settles[b].exported; });
  for (const std::size_t i : due) {
    plan.settles[i].of = static_cast<std::uint32_t>(plan.payloads.size());
    plan.payloads.push_back({plan.settles[i].exported, plan.settles[i].queue == ObjectId::null});
  }
}

// To each that will ask for it. A null `semaphore`: its signal is the queue's order;
// `fence` is what the host may wait for, if there is one already.
Result<void> Run::give_payloads(const Op& op, VkQueue queue, VkSemaphore semaphore, VkFence fence) {
  const auto first = std::lower_bound(plan_.payloads.begin(), plan_.payloads.end(), at_,
                                      [](const Payload& p, std::uint32_t at) { return p.exported < at; });
  const auto last = std::find_if(first, plan_.payloads.end(), [&](const Payload& p) { return p.exported != at_; });
  if (first == last) return {};
  DeviceState& device = *devices_[op.device];
  const auto live = payloads_.begin() + (first - plan_.payloads.begin());
  const bool for_host = std::any_of(first, last, [](const Payload& p) { return p.to_host; });
  const auto queues = std::count_if(first, last, [](const Payload& p) { return !p.to_host; });
  const auto failed = [&](VkResult r, const char* what) { return tl::unexpected<Error>(failure(op, r, what)); };
  if (queues == 1 && !for_host && semaphore != VK_NULL_HANDLE) {
    live->semaphore = semaphore;
    return {};
  }
  if (semaphore != VK_NULL_HANDLE)
    if (const VkResult r = submit_wait(device, queue, semaphore); r < 0)
      return failed(r, "the submit that takes what is exported");
  if (for_host && semaphore != VK_NULL_HANDLE) {
    VkResult r = new_fence(device, fence, 0);
    if (r >= 0) {
      device.pending_fences.push_back(fence);
      r = device.dispatch.vkQueueSubmit(queue, 0, nullptr, fence);
    }
    if (r < 0) return failed(r, "the submit of a fence for what is exported");
  }
  for (auto p = first; p != last; ++p) {
    LivePayload& one = live[p - first];
    if (p->to_host) {
      one.fence = fence;
      continue;
    }
    VkResult r = new_semaphore(device, one.semaphore);
    if (r >= 0) {
      device.payloads.push_back(one.semaphore);
      r = submit_signal(device, queue, one.semaphore);
    }
    if (r < 0) return failed(r, "the submit that signals what is exported");
  }
  return {};
}

Result<void> Run::let_leave(const Op& op, const Settle& settle, VkQueue queue) {
  DeviceState& device = *devices_[op.device];
  const Dispatch& vk = device.dispatch;
  if (settle.semaphore != ObjectId::null) {
    const auto old = reinterpret_cast<VkSemaphore>(slots_[index_of(settle.semaphore)]);
    VkSemaphore fresh = VK_NULL_HANDLE;
    if (const VkResult r = new_semaphore(device, fresh); r < 0)
      return tl::unexpected<Error>(failure(op, r, "vkCreateSemaphore"));
    slots_[index_of(settle.semaphore)] = reinterpret_cast<std::uint64_t>(fresh);
    device.payloads.push_back(old);
    return give_payloads(op, queue, old, VK_NULL_HANDLE);
  }
  const auto old = reinterpret_cast<VkFence>(slots_[index_of(settle.fence)]);
  if (vk.vkGetFenceStatus(device.handle, old) == VK_SUCCESS) {
    const VkResult r = vk.vkResetFences(device.handle, 1, &old);
    return r < 0 ? tl::unexpected<Error>(failure(op, r, "vkResetFences"))
                 : give_payloads(op, queue, VK_NULL_HANDLE, VK_NULL_HANDLE);
  }
  VkFence fresh = VK_NULL_HANDLE;
  if (const VkResult r = new_fence(device, fresh, 0); r < 0)
    return tl::unexpected<Error>(failure(op, r, "vkCreateFence"));
  slots_[index_of(settle.fence)] = reinterpret_cast<std::uint64_t>(fresh);
  device.pending_fences.push_back(old);
  return give_payloads(op, queue, VK_NULL_HANDLE, old);
}

Result<void> Run::settle_payload(const Op& op, const Settle& settle) {
  DeviceState& device = *devices_[op.device];
  const Dispatch& vk = device.dispatch;
  const VkQueue queue = settle.queue != ObjectId::null ? queue_of(device, settle).second : VK_NULL_HANDLE;
  VkResult r = VK_SUCCESS;
  switch (settle.payload) {
    case Settle::Payload::none:
      return {};
    case Settle::Payload::leaves:
      return let_leave(op, settle, queue);
    case Settle::Payload::is_due: {
      const LivePayload& payload = payloads_[settle.of];
      if (settle.queue != ObjectId::null) {
        if (payload.semaphore != VK_NULL_HANDLE) r = submit_wait(device, queue, payload.semaphore);
        break;
      }
      if (payload.fence == VK_NULL_HANDLE) return {};
      const auto& from = devices_[plan_.ops[settle.exported].device];  // another one, perhaps
      if (from == nullptr) return {};
      r = from->dispatch.vkWaitForFences(from->handle, 1, &payload.fence, VK_TRUE, deadline_.left_ns());
      if (r == VK_TIMEOUT) return tl::unexpected<Error>(timed_out(op));
      break;
    }
    case Settle::Payload::comes: {
      if (settle.semaphore != ObjectId::null) {
        r = submit_signal(device, queue, reinterpret_cast<VkSemaphore>(slots_[index_of(settle.semaphore)]));
        break;
      }
      const auto old = reinterpret_cast<VkFence>(slots_[index_of(settle.fence)]);
      VkFence fresh = VK_NULL_HANDLE;
      if (r = new_fence(device, fresh, VK_FENCE_CREATE_SIGNALED_BIT); r < 0) break;
      slots_[index_of(settle.fence)] = reinterpret_cast<std::uint64_t>(fresh);
      if (vk.vkGetFenceStatus(device.handle, old) == VK_SUCCESS)
        vk.vkDestroyFence(device.handle, old, nullptr);
      else  // perhaps a queue still has it
        device.pending_fences.push_back(old);
      break;
    }
  }
  return r < 0 ? tl::unexpected<Error>(failure(op, r, "what stands for a sync fd")) : Result<void>();
}

void add_payload_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkCreateSemaphore)] = create_semaphore;
  table[static_cast<std::size_t>(CommandId::vkCreateFence)] = create_fence;
  for (const CommandId id : {CommandId::vkImportSemaphoreFdKHR, CommandId::vkGetSemaphoreFdKHR,
                             CommandId::vkImportFenceFdKHR, CommandId::vkGetFenceFdKHR})
    table[static_cast<std::size_t>(id)] = nothing;
}

}  // namespace rondo::player
