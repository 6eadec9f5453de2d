// SPDX-License-Identifier: Apache-2.0
// What makes a device, or another thread, see the program's host writes:
// submits, signals, events.
#include "generated/hooks.h"
#include "layer/chain.h"
#include "layer/checkpoint.h"
#include "layer/critical.h"
#include "layer/resources.h"

namespace rondo::layer {

namespace {

// Held over a submit only with checkpoints.
Checkpointer::Lock enter_queues(DeviceState& device) {
  return device.checkpointer != nullptr ? device.checkpointer->enter_queues() : Checkpointer::Lock();
}

// In the order of their execution.
std::vector<VkCommandBuffer> commands_of(std::uint32_t count, const VkSubmitInfo* infos, VkFence) {
  std::vector<VkCommandBuffer> all;
  for (const VkSubmitInfo& info : std::span(infos, count))
    all.insert(all.end(), info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
  return all;
}
std::vector<VkCommandBuffer> commands_of(std::uint32_t count, const VkSubmitInfo2* infos, VkFence) {
  std::vector<VkCommandBuffer> all;
  for (const VkSubmitInfo2& info : std::span(infos, count))
    for (const VkCommandBufferSubmitInfo& one : std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
      all.push_back(one.commandBuffer);
  return all;
}
std::vector<VkCommandBuffer> commands_of(std::uint32_t, const VkBindSparseInfo*, VkFence) { return {}; }

std::uint32_t family_of(DeviceState& device, VkQueue queue) {
  const auto lock = host_memory().enter();
  for (const Queue& known : device.queues)
    if (known.handle == queue) return known.family;
  return VK_QUEUE_FAMILY_IGNORED;
}

template <CommandId C, class... A>
VkResult submit_and_record(DeviceState& device, VkQueue queue, VkFence fence, A... arguments) {
  const auto next = (*device.next).*CommandTraits<C>::pfn;
  const auto lock = enter_queues(device);
  return record_critical<C, true>(
      [&](ThreadState* thread) {
        host_memory().record_all(thread);
        host_memory().submitted(device, queue, fence);
      },
      [&] {
        const VkResult result = next(queue, arguments...);
        if (result < 0)
          guarded([&] {
            const auto submit_lock = host_memory().enter();
            HostMemory::not_submitted(device, queue, fence);
          });
        if (result == VK_SUCCESS && device.resources != nullptr)
          guarded([&] {
            device.resources->submitted(family_of(device, queue), commands_of(arguments...));
          });
        return result;
      },
      queue, arguments...);
}

template <CommandId C, class... A>
VkResult submit(VkQueue queue, VkFence fence, A... arguments) {
  DeviceState& device = device_of(queue);
  const VkResult result = submit_and_record<C>(device, queue, fence, arguments...);
  if (result != VK_SUCCESS || device.resources == nullptr || !recording()) return result;
  if (ThreadState* const thread = thread_state(); thread != nullptr)
    guarded([&] { device.checkpointer->contents(*thread); });
  return result;
}

template <CommandId C, class... A>
VkResult signal(VkDevice handle, A... arguments) {
  const auto next = next_of(handle).*CommandTraits<C>::pfn;
  return record_critical<C>(
      [&](ThreadState* thread) {
        host_memory().record_all(thread);
        ++device_of(handle).memories.signals;
      },
      [&] { return next(handle, arguments...); }, handle, arguments...);
}

void may_wait_for_host(VkDevice device) {
  if (!recording()) return;
  const auto lock = host_memory().enter();
  device_of(device).memories.waits_for_host = true;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateSemaphore(VkDevice device,
                                                      const VkSemaphoreCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkSemaphore* pSemaphore) {
  const auto* type = find_in_chain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext,
                                                              VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  if (type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE) may_wait_for_host(device);
  return regular<CommandId::vkCreateSemaphore>(device, pCreateInfo, pAllocator, pSemaphore);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateEvent(VkDevice device, const VkEventCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkEvent* pEvent) {
  // The host cannot set one that is the device's alone.
  if ((pCreateInfo->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT) == 0) may_wait_for_host(device);
  return regular<CommandId::vkCreateEvent>(device, pCreateInfo, pAllocator, pEvent);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit(VkQueue queue, std::uint32_t submitCount,
                                                  const VkSubmitInfo* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit>(queue, fence, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit2(VkQueue queue, std::uint32_t submitCount,
                                                   const VkSubmitInfo2* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit2>(queue, fence, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit2KHR(VkQueue queue, std::uint32_t submitCount,
                                                      const VkSubmitInfo2* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit2KHR>(queue, fence, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueBindSparse(VkQueue queue, std::uint32_t bindInfoCount,
                                                      const VkBindSparseInfo* pBindInfo, VkFence fence) {
  return submit<CommandId::vkQueueBindSparse>(queue, fence, bindInfoCount, pBindInfo, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkSignalSemaphore(VkDevice device,
                                                      const VkSemaphoreSignalInfo* pSignalInfo) {
  return signal<CommandId::vkSignalSemaphore>(device, pSignalInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkSignalSemaphoreKHR(VkDevice device,
                                                         const VkSemaphoreSignalInfo* pSignalInfo) {
  return signal<CommandId::vkSignalSemaphoreKHR>(device, pSignalInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkSetEvent(VkDevice device, VkEvent event) {
  return signal<CommandId::vkSetEvent>(device, event);
}

}  // namespace rondo::layer
