// SPDX-License-Identifier: Apache-2.0
// Waits: what has finished, and so what the host may see of it.
#include "generated/hooks.h"
#include "layer/checkpoint.h"
#include "layer/guard.h"
#include "layer/regular.h"

namespace rondo::layer {

namespace {

// `down` waits; `finished(device)` tells the host memory what for, inside the
// critical section. Only a success publishes anything.
template <CommandId C, class Finished, class Down, class... A>
VkResult wait(DeviceState& device, Finished&& finished, Down&& down, A... arguments) {
  ThreadState* const thread = recording() ? thread_state() : nullptr;
  if (thread == nullptr) return down();
  Times times;
  times.start_ns = now_ns();
  const VkResult result = down();
  times.end_ns = now_ns();
  guarded([&] {
    const bool readback = result == VK_SUCCESS && device.checkpointer != nullptr &&
                          settings().checkpoints >= Checkpoints::readback;
    const typename CommandTraits<C>::Args args{arguments...};
    if (!encode_payload(*thread, C, &args, wrote_outputs(result))) return;
    commit_call(*thread, C, 0, outcome_of(result, result == VK_SUCCESS ? &times : nullptr));
    if (result != VK_SUCCESS) return;
    {
      const auto lock = host_memory().enter();
      finished();
      if (!readback) host_memory().refresh(device);
    }
    if (readback) device.checkpointer->memory(*thread);
  });
  return result;
}

// With checkpoints, other threads must be able to use the queues while this
// one waits for them: a fence stands for the wait.
VkResult wait_idle(DeviceState& device, std::span<const VkQueue> queues) {
  std::vector<VkFence> fences(queues.size());
  VkResult result = VK_SUCCESS;
  std::size_t begun = 0;
  {
    const auto lock = device.checkpointer->enter_queues();
    while (begun < queues.size() && result == VK_SUCCESS) {
      result = device.checkpointer->begin_wait(queues[begun], fences[begun]);
      if (result == VK_SUCCESS) ++begun;
    }
  }
  if (begun != 0 && result == VK_SUCCESS)
    result = device.next->vkWaitForFences(device.device, static_cast<std::uint32_t>(begun), fences.data(),
                                          VK_TRUE, UINT64_MAX);
  const auto lock = device.checkpointer->enter_queues();
  for (std::size_t i = 0; i < begun; ++i) device.checkpointer->end_wait(fences[i]);
  return result;
}

template <CommandId C>
VkResult wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  return wait<C>(
      state, [] {}, [&] { return next(device, info, timeout); }, device, info, timeout);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkWaitForFences(VkDevice device, std::uint32_t fenceCount,
                                                    const VkFence* pFences, VkBool32 waitAll,
                                                    std::uint64_t timeout) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkWaitForFences>(
      state,
      [&] {
        if (waitAll != VK_FALSE || fenceCount == 1) HostMemory::finished(state, {pFences, fenceCount});
      },
      [&] { return state.next->vkWaitForFences(device, fenceCount, pFences, waitAll, timeout); }, device,
      fenceCount, pFences, waitAll, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetFenceStatus(VkDevice device, VkFence fence) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkGetFenceStatus>(
      state,
      [&] {
        HostMemory::finished(state, {&fence, 1});
      },
      [&] { return state.next->vkGetFenceStatus(device, fence); }, device, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo,
                                                     std::uint64_t timeout) {
  return wait_semaphores<CommandId::vkWaitSemaphores>(device, pWaitInfo, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkWaitSemaphoresKHR(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo,
                                                        std::uint64_t timeout) {
  return wait_semaphores<CommandId::vkWaitSemaphoresKHR>(device, pWaitInfo, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueWaitIdle(VkQueue queue) {
  DeviceState& state = device_of(queue);
  return wait<CommandId::vkQueueWaitIdle>(
      state, [&] { HostMemory::finished(state, queue); },
      [&] {
        if (state.checkpointer == nullptr) return state.next->vkQueueWaitIdle(queue);
        return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] { return wait_idle(state, {&queue, 1}); });
      },
      queue);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkDeviceWaitIdle(VkDevice device) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkDeviceWaitIdle>(
      state, [&] { HostMemory::finished(state); },
      [&] {
        if (state.checkpointer == nullptr) return state.next->vkDeviceWaitIdle(device);
        return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
          std::vector<VkQueue> queues;
          {
            const auto lock = host_memory().enter();
            for (const auto& [queue, progress] : state.memories.queues) queues.push_back(queue);
          }
          return wait_idle(state, queues);
        });
      },
      device);
}

}  // namespace rondo::layer
