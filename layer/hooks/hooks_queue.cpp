// SPDX-License-Identifier: Apache-2.0
// What makes a device, or another thread, see the program's host writes:
// submits, signals, events. And labels of queues.
#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/loss.h"
#include "layer/driver/settler.h"
#include "layer/driver/sparse.h"
#include "layer/driver/work_ends.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/critical.h"

namespace rondo::layer {

namespace {

// Held over a submit only with checkpoints.
Checkpointer::Lock enter_queues(DeviceState& device) {
  return device.checkpointer != nullptr ? device.checkpointer->enter_queues() : Checkpointer::Lock();
}

template <CommandId C, class... A>
void label(VkQueue queue, A... arguments) {
  const auto lock = enter_queues(device_of(queue));
  regular<C, true>(queue, arguments...);
}

// In the order of their execution.
std::vector<VkCommandBuffer> commands_of(std::uint32_t count, const VkSubmitInfo* infos) {
  std::vector<VkCommandBuffer> all;
  for (const VkSubmitInfo& info : std::span(infos, count))
    all.insert(all.end(), info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
  return all;
}
std::vector<VkCommandBuffer> commands_of(std::uint32_t count, const VkSubmitInfo2* infos) {
  std::vector<VkCommandBuffer> all;
  for (const VkSubmitInfo2& info : std::span(infos, count))
    for (const VkCommandBufferSubmitInfo& one : std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
      all.push_back(one.commandBuffer);
  return all;
}
std::vector<VkCommandBuffer> commands_of(std::uint32_t, const VkBindSparseInfo*) { return {}; }

std::uint32_t family_of(DeviceState& device, VkQueue queue) {
  const auto lock = host_memory().enter();
  for (const Queue& known : device.queues)
    if (known.handle == queue) return known.family;
  return VK_QUEUE_FAMILY_IGNORED;
}

// Pages that the host wrote while the device was writing them, too: their bytes are
// told apart by finished work.
void record_contested(DeviceState& device, VkQueue queue, ThreadState& thread, HostMemory::Lock& writes) {
  if (!device.settler->settle(writes, queue)) return host_memory().record_all(&thread);
  host_memory().record_uncontested(&thread, device);
  host_memory().refresh(device);
}

template <CommandId C, class Batch>
VkResult submit_and_record(DeviceState& device, VkQueue queue, std::uint32_t count, const Batch* batches,
                           VkFence fence) {
  const auto next = (*device.next).*CommandTraits<C>::pfn;
  const auto lock = enter_queues(device);
  bool in_order = true;
  std::uint64_t number = 0;
  VkFence used = fence;  // the driver is given
  return record_critical<C, true>(
      [&](ThreadState* thread, HostMemory::Lock& writes) {
        if (host_memory().record_uncontested(thread, device)) record_contested(device, queue, *thread, writes);
        const bool idle = HostMemory::idle(device);
        number = host_memory().submitted(device, queue, fence);
        used = work_ends().fence_for(device, fence);
        HostWaits& waits = device.memories.host_waits;
        waits.submitted(queue, number, std::span(batches, count));
        in_order = idle || !waits.possible();
      },
      [&] {
        const VkResult result = next(queue, count, batches, used);
        if (result < 0 || recording())
          guarded([&] {
            const auto submit_lock = host_memory().enter();
            if (result >= 0) {
              work_ends().submitted(device, queue, number, fence, used);
            } else {
              HostMemory::not_submitted(device, queue, fence);
              work_ends().refused(device, fence, used);
            }
          });
        if (result == VK_SUCCESS && device.resources != nullptr)
          guarded(
              [&] { device.resources->submitted(family_of(device, queue), commands_of(count, batches), in_order); });
        return result;
      },
      queue, count, batches, fence);
}

template <CommandId C, class Batch>
VkResult submit(VkQueue queue, std::uint32_t count, const Batch* batches, VkFence fence) {
  DeviceState& device = device_of(queue);
  const VkResult result = noted<C>(device, submit_and_record<C>(device, queue, count, batches, fence));
  if (result != VK_SUCCESS || device.checkpointer == nullptr || !recording()) return result;
  if (ThreadState* const thread = thread_state(); thread != nullptr)
    guarded([&] { device.checkpointer->submitted(*thread); });
  return result;
}

void note_signal(HostWaits& waits, const VkSemaphoreSignalInfo* info) { waits.signalled(*info); }
void note_signal(HostWaits&, VkEvent) {}

template <CommandId C, class What>
VkResult signal(VkDevice handle, What what) {
  const auto next = next_of(handle).*CommandTraits<C>::pfn;
  return record_critical<C>(
      [&](ThreadState* thread) {
        host_memory().record_all(thread);
        DeviceMemory& memories = device_of(handle).memories;
        ++memories.signals;
        note_signal(memories.host_waits, what);
      },
      [&] { return next(handle, what); }, handle, what);
}

// `note(HostWaits&)`
template <class Note>
void note_host_waits(VkDevice handle, Note&& note) {
  guarded([&] {
    const auto lock = host_memory().enter();
    note(device_of(handle).memories.host_waits);
  });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkSemaphore* pSemaphore) {
  const VkResult result = regular<CommandId::vkCreateSemaphore>(device, pCreateInfo, pAllocator, pSemaphore);
  if (result == VK_SUCCESS)
    note_host_waits(device, [&](HostWaits& waits) { waits.created(*pSemaphore, *pCreateInfo); });
  return result;
}
VKAPI_ATTR void VKAPI_CALL hook_vkDestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                   const VkAllocationCallbacks* pAllocator) {
  // First: another thread may be given the handle as soon as the driver has let go of it.
  note_host_waits(device, [&](HostWaits& waits) { waits.destroyed(semaphore); });
  regular<CommandId::vkDestroySemaphore>(device, semaphore, pAllocator);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateEvent(VkDevice device, const VkEventCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator, VkEvent* pEvent) {
  // The host cannot set one that is the device's alone.
  if ((pCreateInfo->flags & VK_EVENT_CREATE_DEVICE_ONLY_BIT) == 0)
    note_host_waits(device, [](HostWaits& waits) { waits.created_event(); });
  return regular<CommandId::vkCreateEvent>(device, pCreateInfo, pAllocator, pEvent);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit(VkQueue queue, std::uint32_t submitCount,
                                                  const VkSubmitInfo* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit>(queue, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit2(VkQueue queue, std::uint32_t submitCount,
                                                   const VkSubmitInfo2* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit2>(queue, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueSubmit2KHR(VkQueue queue, std::uint32_t submitCount,
                                                      const VkSubmitInfo2* pSubmits, VkFence fence) {
  return submit<CommandId::vkQueueSubmit2KHR>(queue, submitCount, pSubmits, fence);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueBindSparse(VkQueue queue, std::uint32_t bindInfoCount,
                                                      const VkBindSparseInfo* pBindInfo, VkFence fence) {
  bool possible = true;
  // Also when the recording has stopped: memory from before stays what it is.
  guarded([&] { possible = note_sparse_binds(device_of(queue), std::span(pBindInfo, bindInfoCount)); });
  if (!possible) {
    if (first_time(device_of(queue).memories.told_of_imported_pages))
      note(
          "memory that Rondo imported is bound sparsely, which drivers need not allow: the bind fails "
          "(RONDO_MEMORY=pagemap imports nothing)");
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  return submit<CommandId::vkQueueBindSparse>(queue, bindInfoCount, pBindInfo, fence);
}

VKAPI_ATTR void VKAPI_CALL hook_vkQueueBeginDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT* pLabelInfo) {
  label<CommandId::vkQueueBeginDebugUtilsLabelEXT>(queue, pLabelInfo);
}
VKAPI_ATTR void VKAPI_CALL hook_vkQueueEndDebugUtilsLabelEXT(VkQueue queue) {
  label<CommandId::vkQueueEndDebugUtilsLabelEXT>(queue);
}
VKAPI_ATTR void VKAPI_CALL hook_vkQueueInsertDebugUtilsLabelEXT(VkQueue queue, const VkDebugUtilsLabelEXT* pLabelInfo) {
  label<CommandId::vkQueueInsertDebugUtilsLabelEXT>(queue, pLabelInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkSignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo) {
  return signal<CommandId::vkSignalSemaphore>(device, pSignalInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkSignalSemaphoreKHR(VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo) {
  return signal<CommandId::vkSignalSemaphoreKHR>(device, pSignalInfo);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkSetEvent(VkDevice device, VkEvent event) {
  return signal<CommandId::vkSetEvent>(device, event);
}

}  // namespace rondo::layer
