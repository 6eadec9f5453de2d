// SPDX-License-Identifier: Apache-2.0
// The host's side of fences, semaphores and events.
#include <algorithm>

#include "tests/icd/execute.h"
#include "tests/icd/order_pool.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

VkResult create_fence(Call& call, args_vkCreateFence& a) {
  const auto fence = std::make_shared<Fence>();
  fence->signaled = (a.pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
  for (auto* s = static_cast<const VkBaseInStructure*>(a.pCreateInfo->pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO)
      fence->exportable = (reinterpret_cast<const VkExportFenceCreateInfo*>(s)->handleTypes &
                           VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT) != 0;
  *a.pFence = as_handle<VkFence>(publish(fence, call.device));
  return VK_SUCCESS;
}

VkResult create_semaphore(Call& call, args_vkCreateSemaphore& a) {
  const auto semaphore = std::make_shared<Semaphore>();
  for (auto* s = static_cast<const VkBaseInStructure*>(a.pCreateInfo->pNext); s != nullptr; s = s->pNext)
    if (s->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) {
      const auto& type = *reinterpret_cast<const VkSemaphoreTypeCreateInfo*>(s);
      semaphore->timeline = type.semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
      if (semaphore->timeline) semaphore->value = type.initialValue;
    } else if (s->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO) {
      semaphore->exportable = (reinterpret_cast<const VkExportSemaphoreCreateInfo*>(s)->handleTypes &
                               VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT) != 0;
    }
  *a.pSemaphore = as_handle<VkSemaphore>(publish(semaphore, call.device));
  return VK_SUCCESS;
}

VkResult create_event(Call& call, args_vkCreateEvent& a) {
  *a.pEvent = as_handle<VkEvent>(publish(std::make_shared<Event>(), call.device));
  return VK_SUCCESS;
}

VkResult reset_fences(Call&, args_vkResetFences& a) {
  const Monitor::Lock lock = Monitor::get().enter();
  for (std::uint32_t i = 0; i < a.fenceCount; ++i) {
    const auto fence = get<Fence>(a.pFences[i]);
    if (fence->pending != 0) violation("resets a fence that a queue has not signaled yet");
    fence->imported = nullptr;
    fence->signaled = false;
  }
  return VK_SUCCESS;
}

VkResult fence_status(Call& call, args_vkGetFenceStatus& a) {
  const auto fence = get<Fence>(a.fence);
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const bool ready = monitor.wait(lock, 0, [&] { return fence->is_signaled(); });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  return ready ? VK_SUCCESS : VK_NOT_READY;
}

VkResult wait_for_fences(Call& call, args_vkWaitForFences& a) {
  std::vector<std::shared_ptr<Fence>> fences;
  for (std::uint32_t i = 0; i < a.fenceCount; ++i) fences.push_back(get<Fence>(a.pFences[i]));
  const auto signaled = [](const auto& fence) { return fence->is_signaled(); };
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const bool done = monitor.wait(lock, a.timeout, [&] {
    return call.device->lost || (a.waitAll != VK_FALSE ? std::all_of(fences.begin(), fences.end(), signaled)
                                                       : std::any_of(fences.begin(), fences.end(), signaled));
  });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  return done ? VK_SUCCESS : VK_TIMEOUT;
}

bool is_timeline(const Semaphore& semaphore) {
  if (!semaphore.timeline) violation("takes a binary semaphore for a timeline");
  return semaphore.timeline;
}

VkResult counter_value(Call& call, args_vkGetSemaphoreCounterValue& a) {
  const auto semaphore = get<Semaphore>(a.semaphore);
  if (!is_timeline(*semaphore)) return VK_ERROR_VALIDATION_FAILED_EXT;
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  // In the order mode work runs while the host looks.
  if (order::is_on()) {
    order::work(lock, [&] { return semaphore->pending == 0; });
    order::observe();
  }
  *a.pValue = semaphore->value;
  if (semaphore->pending != 0) monitor.polled();  // it may look for more than it sees
  return call.device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult wait_semaphores(Call& call, args_vkWaitSemaphores& a) {
  const VkSemaphoreWaitInfo& info = *a.pWaitInfo;
  std::vector<SemaphoreUse> waits;
  for (std::uint32_t i = 0; i < info.semaphoreCount; ++i) {
    waits.push_back({get<Semaphore>(info.pSemaphores[i]), info.pValues[i]});
    if (!is_timeline(*waits.back().semaphore)) return VK_ERROR_VALIDATION_FAILED_EXT;
  }
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const bool done = monitor.wait(lock, a.timeout, [&] {
    return call.device->lost ||
           ((info.flags & VK_SEMAPHORE_WAIT_ANY_BIT) == 0 ? std::all_of(waits.begin(), waits.end(), is_satisfied)
                                                          : std::any_of(waits.begin(), waits.end(), is_satisfied));
  });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  return done ? VK_SUCCESS : VK_TIMEOUT;
}

VkResult signal_semaphore(Call&, args_vkSignalSemaphore& a) {
  const auto semaphore = get<Semaphore>(a.pSignalInfo->semaphore);
  if (!is_timeline(*semaphore)) return VK_ERROR_VALIDATION_FAILED_EXT;
  Monitor& monitor = Monitor::get();
  const Monitor::Lock lock = monitor.enter();
  signal({semaphore, a.pSignalInfo->value});
  if (order::is_on()) order::signal_by_host(*semaphore, a.pSignalInfo->value);
  monitor.changed();
  return VK_SUCCESS;
}

void set_event(VkEvent handle, bool to) {
  const auto event = get<Event>(handle);
  Monitor& monitor = Monitor::get();
  const Monitor::Lock lock = monitor.enter();
  event->set = to;
  monitor.changed();
}

VkResult set_by_host(Call&, args_vkSetEvent& a) {
  set_event(a.event, true);
  return VK_SUCCESS;
}
VkResult reset_by_host(Call&, args_vkResetEvent& a) {
  set_event(a.event, false);
  return VK_SUCCESS;
}

VkResult event_status(Call& call, args_vkGetEventStatus& a) {
  const auto event = get<Event>(a.event);
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const bool set = monitor.wait(lock, 0, [&] { return event->set.load(); });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  return set ? VK_EVENT_SET : VK_EVENT_RESET;
}

}  // namespace

void install_host_sync(Table& table) {
  table.behave<create_fence>(CommandId::vkCreateFence);
  table.behave<create_semaphore>(CommandId::vkCreateSemaphore);
  table.behave<create_event>(CommandId::vkCreateEvent);
  table.behave<reset_fences>(CommandId::vkResetFences);
  table.behave<fence_status>(CommandId::vkGetFenceStatus);
  table.behave<wait_for_fences>(CommandId::vkWaitForFences);
  table.behave<counter_value>(CommandId::vkGetSemaphoreCounterValue);
  table.behave<wait_semaphores>(CommandId::vkWaitSemaphores);
  table.behave<signal_semaphore>(CommandId::vkSignalSemaphore);
  table.behave<set_by_host>(CommandId::vkSetEvent);
  table.behave<reset_by_host>(CommandId::vkResetEvent);
  table.behave<event_status>(CommandId::vkGetEventStatus);
}

}  // namespace fake
