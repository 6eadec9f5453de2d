// SPDX-License-Identifier: Apache-2.0
// Fences and binary semaphores: a wait for what nothing signals would never
// end. Timelines may be signalled later (sync_model.h).
#include <algorithm>

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

Wrong give_unsignalled(Validity& v, ObjectId id) {
  Fence* fence = v.fences.find(id);
  if (fence == nullptr) return {};
  if (fence->signals) return v.name(id) + " is signalled already, or about to be";
  fence->signals = true;
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
    if (type != nullptr) semaphore.value = type->initialValue;
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

void signal(Validity& v, ObjectId id, std::uint64_t value = 0) {
  Semaphore* semaphore = v.semaphores.find(id);
  if (semaphore == nullptr) return;
  ++semaphore->signals;
  semaphore->value = std::max(semaphore->value, value);
}

// The host waited for it: what leads there was recorded before.
bool reaches(Validity& v, ObjectId id, std::uint64_t value) {
  const Semaphore* semaphore = v.semaphores.find(id);
  return semaphore == nullptr || !semaphore->followed || semaphore->value >= value;
}
Wrong never_reached(Validity& v, ObjectId id, std::uint64_t value) {
  return "waits for " + std::to_string(value) + " of " + v.name(id) + ", which nothing signals";
}

Wrong acquire(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkAcquireNextImageKHR>();
  signal(v, c.id(&a.semaphore));
  return give_unsignalled(v, c.id(&a.fence));
}
Wrong acquire_2(Validity& v, const Call& c) {
  const VkAcquireNextImageInfoKHR& info = *c.as<args_vkAcquireNextImage2KHR>().pAcquireInfo;
  signal(v, c.id(&info.semaphore));
  return give_unsignalled(v, c.id(&info.fence));
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
  const VkSemaphoreSignalInfo& info = *c.as<args_vkSignalSemaphore>().pSignalInfo;
  signal(v, c.id(&info.semaphore), info.value);
  return needs_timeline(v, c.id(&info.semaphore));
}
Wrong counter_value(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkGetSemaphoreCounterValue>();
  const ObjectId id = c.id(&a.semaphore);
  if (a.pValue != nullptr && !reaches(v, id, *a.pValue)) return never_reached(v, id, *a.pValue);
  return needs_timeline(v, id);
}
Wrong host_wait(Validity& v, const Call& c) {
  const VkSemaphoreWaitInfo& info = *c.as<args_vkWaitSemaphores>().pWaitInfo;
  const bool one_is_enough = (info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0;
  bool any = info.semaphoreCount == 0;
  for (std::uint32_t i = 0; i < info.semaphoreCount; ++i) {
    const ObjectId id = c.id(&info.pSemaphores[i]);
    if (Wrong w = needs_timeline(v, id); !w.empty()) return w;
    const bool will = reaches(v, id, info.pValues[i]);
    if (!will && !one_is_enough) return never_reached(v, id, info.pValues[i]);
    any = any || will;
  }
  return any ? Wrong() : never_reached(v, c.id(&info.pSemaphores[0]), info.pValues[0]);
}

// Which of them it waits for and signals is not looked at: they are not followed.
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
      const auto* values = find_chained<VkTimelineSemaphoreSubmitInfo>(
          batch.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
      for (std::uint32_t i = 0; i < batch.waitSemaphoreCount; ++i)
        if (Wrong w = wait(v, c.id(&batch.pWaitSemaphores[i])); !w.empty()) return w;
      for (std::uint32_t i = 0; i < batch.signalSemaphoreCount; ++i)
        signal(v, c.id(&batch.pSignalSemaphores[i]),
               values != nullptr && i < values->signalSemaphoreValueCount &&
                       values->pSignalSemaphoreValues != nullptr
                   ? values->pSignalSemaphoreValues[i]
                   : 0);
    }
    return give_unsignalled(v, c.id(&a.fence));
  } else {
    const auto& a = c.as<args_vkQueueSubmit2>();
    for (std::uint32_t s = 0; s < a.submitCount; ++s) {
      const VkSubmitInfo2& batch = a.pSubmits[s];
      for (std::uint32_t i = 0; i < batch.waitSemaphoreInfoCount; ++i)
        if (Wrong w = wait(v, c.id(&batch.pWaitSemaphoreInfos[i].semaphore)); !w.empty()) return w;
      for (std::uint32_t i = 0; i < batch.signalSemaphoreInfoCount; ++i)
        signal(v, c.id(&batch.pSignalSemaphoreInfos[i].semaphore), batch.pSignalSemaphoreInfos[i].value);
    }
    return give_unsignalled(v, c.id(&a.fence));
  }
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
