// SPDX-License-Identifier: Apache-2.0
// Fences and binary semaphores: a wait for what nothing signals would never
// end. Timelines may be signalled later (sync_model.h).
#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

Wrong create_fence(Validity& v, const Call& c) {
  const VkFenceCreateInfo& info = *c.as<args_vkCreateFence>().pCreateInfo;
  if (const ObjectId id = c.created(); id != 0)
    v.fences.make(id).signals = (info.flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
  return {};
}

Wrong never_signalled(Validity& v, ObjectId fence) {
  return "waits for " + v.name(fence) + ", which nothing signals";
}

bool signals(Validity& v, ObjectId id) {
  const Fence* fence = v.fences.find(id);
  return fence == nullptr || fence->signals;
}

Wrong wait_fences(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkWaitForFences>();
  bool any = a.fenceCount == 0;
  for (std::uint32_t i = 0; i < a.fenceCount; ++i) {
    const ObjectId id = c.id(&a.pFences[i]);
    any = any || signals(v, id);
    if (a.waitAll != VK_FALSE && !signals(v, id)) return never_signalled(v, id);
  }
  return any ? Wrong() : never_signalled(v, c.id(&a.pFences[0]));
}

Wrong fence_status(Validity& v, const Call& c) {
  const ObjectId id = c.id(&c.as<args_vkGetFenceStatus>().fence);
  return signals(v, id) ? Wrong() : never_signalled(v, id);
}

Wrong reset_fences(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkResetFences>();
  for (std::uint32_t i = 0; i < a.fenceCount; ++i)
    if (Fence* fence = v.fences.find(c.id(&a.pFences[i])); fence != nullptr) fence->signals = false;
  return {};
}

void give(Validity& v, ObjectId fence) {
  if (Fence* f = v.fences.find(fence); f != nullptr) f->signals = true;
}

Wrong create_semaphore(Validity& v, const Call& c) {
  const VkSemaphoreCreateInfo& info = *c.as<args_vkCreateSemaphore>().pCreateInfo;
  const auto* type =
      find_chained<VkSemaphoreTypeCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (const ObjectId id = c.created(); id != 0) {
    Semaphore& semaphore = v.semaphores.make(id);
    semaphore.timeline = type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    semaphore.followed = find_chained<VkExportSemaphoreCreateInfo>(
                             info.pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) == nullptr;
  }
  return {};
}

Wrong wait(Validity& v, ObjectId id) {
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr || semaphore->timeline || !semaphore->followed) return {};
  if (semaphore->signals == 0) return "waits for " + v.name(id) + ", which nothing signals";
  --semaphore->signals;
  return {};
}

void signal(Validity& v, ObjectId id) {
  if (Semaphore* semaphore = v.semaphores.find(id); semaphore != nullptr) ++semaphore->signals;
}

Wrong acquire(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkAcquireNextImageKHR>();
  signal(v, c.id(&a.semaphore));
  give(v, c.id(&a.fence));
  return {};
}
Wrong acquire_2(Validity& v, const Call& c) {
  const VkAcquireNextImageInfoKHR& info = *c.as<args_vkAcquireNextImage2KHR>().pAcquireInfo;
  signal(v, c.id(&info.semaphore));
  give(v, c.id(&info.fence));
  return {};
}

Wrong present(Validity& v, const Call& c) {
  const VkPresentInfoKHR& info = *c.as<args_vkQueuePresentKHR>().pPresentInfo;
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    if (Wrong w = wait(v, c.id(&info.pWaitSemaphores[i])); !w.empty()) return w;
  return {};
}

// Of timelines only.
Wrong needs_timeline(Validity& v, ObjectId id) {
  const Semaphore* semaphore = v.semaphores.find(id);
  return semaphore != nullptr && !semaphore->timeline ? v.name(id) + " is no timeline semaphore" : Wrong();
}
Wrong host_signal(Validity& v, const Call& c) {
  return needs_timeline(v, c.id(&c.as<args_vkSignalSemaphore>().pSignalInfo->semaphore));
}
Wrong counter_value(Validity& v, const Call& c) {
  return needs_timeline(v, c.id(&c.as<args_vkGetSemaphoreCounterValue>().semaphore));
}
Wrong host_wait(Validity& v, const Call& c) {
  const VkSemaphoreWaitInfo& info = *c.as<args_vkWaitSemaphores>().pWaitInfo;
  for (std::uint32_t i = 0; i < info.semaphoreCount; ++i)
    if (Wrong w = needs_timeline(v, c.id(&info.pSemaphores[i])); !w.empty()) return w;
  return {};
}

// What is given to the outside, or signalled by other means, is not followed.
Wrong sparse(Validity& v, const Call& c) {
  for (const ObjectId id : c.resolution.ids) {
    if (Semaphore* semaphore = v.semaphores.find(id); semaphore != nullptr) semaphore->followed = false;
    give(v, id);
  }
  return {};
}

}  // namespace

Wrong follow_submit(Validity& v, const Call& c) {
  if (c.command.canonical == CommandId::vkQueueSubmit) {
    const auto& a = c.as<args_vkQueueSubmit>();
    for (std::uint32_t s = 0; s < a.submitCount; ++s) {
      const VkSubmitInfo& batch = a.pSubmits[s];
      for (std::uint32_t i = 0; i < batch.waitSemaphoreCount; ++i)
        if (Wrong w = wait(v, c.id(&batch.pWaitSemaphores[i])); !w.empty()) return w;
      for (std::uint32_t i = 0; i < batch.signalSemaphoreCount; ++i)
        signal(v, c.id(&batch.pSignalSemaphores[i]));
    }
    give(v, c.id(&a.fence));
  } else {
    const auto& a = c.as<args_vkQueueSubmit2>();
    for (std::uint32_t s = 0; s < a.submitCount; ++s) {
      const VkSubmitInfo2& batch = a.pSubmits[s];
      for (std::uint32_t i = 0; i < batch.waitSemaphoreInfoCount; ++i)
        if (Wrong w = wait(v, c.id(&batch.pWaitSemaphoreInfos[i].semaphore)); !w.empty()) return w;
      for (std::uint32_t i = 0; i < batch.signalSemaphoreInfoCount; ++i)
        signal(v, c.id(&batch.pSignalSemaphoreInfos[i].semaphore));
    }
    give(v, c.id(&a.fence));
  }
  return {};
}

void add_sync_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateFence, create_fence);
  add(CommandId::vkWaitForFences, wait_fences);
  add(CommandId::vkGetFenceStatus, fence_status);
  add(CommandId::vkResetFences, reset_fences);
  add(CommandId::vkCreateSemaphore, create_semaphore);
  add(CommandId::vkAcquireNextImageKHR, acquire);
  add(CommandId::vkAcquireNextImage2KHR, acquire_2);
  add(CommandId::vkQueuePresentKHR, present);
  add(CommandId::vkSignalSemaphore, host_signal);
  add(CommandId::vkGetSemaphoreCounterValue, counter_value);
  add(CommandId::vkWaitSemaphores, host_wait);
  add(CommandId::vkQueueBindSparse, sparse);
}

}  // namespace rondo::player::validity
