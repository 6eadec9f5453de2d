// SPDX-License-Identifier: Apache-2.0
// Waits: what has finished, and so what the host may see of it.
#include <algorithm>
#include <optional>

#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/driver/loss.h"
#include "layer/driver/work_ends.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

namespace {

enum class Answer { ready, not_yet, other };

// Of what waits as long as it is told to.
Answer waited(VkResult result, std::uint64_t timeout = UINT64_MAX) {
  if (result == VK_SUCCESS) return Answer::ready;
  return result == VK_TIMEOUT && timeout == 0 ? Answer::not_yet : Answer::other;
}

// Of what does not wait.
Answer ready_or_not(VkResult result) {
  switch (result) {
    case VK_SUCCESS:
    case VK_EVENT_SET:
      return Answer::ready;
    case VK_NOT_READY:
    case VK_EVENT_RESET:
      return Answer::not_yet;
    default:
      return Answer::other;
  }
}

// Whether the call in the thread's buffer was answered like this twice before, and
// the thread has recorded nothing but polls since. Two of them tell how often it polls.
class Repetition {
 public:
  Repetition(ThreadState& thread, CommandId command, VkResult result) : thread_(thread) {
    if (thread.stream.last_sequence() != thread.polled || thread.polls.size() >= kMost) thread.polls.clear();
    key_ = digest_of(thread.buffer.bytes());
    key_.low ^= std::uint64_t{static_cast<std::uint16_t>(command)} << 32 ^ static_cast<std::uint32_t>(result);
  }
  bool found() const { return std::count(thread_.polls.begin(), thread_.polls.end(), key_) >= 2; }
  void remember(std::uint64_t sequence) {
    thread_.polls.push_back(key_);
    thread_.polled = sequence;
  }

 private:
  static constexpr std::size_t kMost = 128;
  ThreadState& thread_;
  Digest key_;
};

// `down` waits or asks; `judge(result)` says what the answer means;
// `finished()` tells the host memory what for, inside the critical section, and says
// whether that is news: else there is nothing new for the host to see.
// Only what is ready publishes anything.
template <CommandId C, class Judge, class Finished, class Down, class... A>
VkResult wait(DeviceState& device, Judge&& judge, Finished&& finished, Down&& down, A... arguments) {
  ThreadState* const thread = recording() ? thread_state() : nullptr;
  if (thread == nullptr) {
    const VkResult result = down();
    if (HostMemory::any_shadow && !in_forked_child() && judge(result) == Answer::ready)
      guarded([&] {
        const auto lock = host_memory().enter();
        host_memory().refresh(device);
      });
    return result;
  }
  Times times;
  times.start_ns = now_ns();
  const VkResult result = down();
  times.end_ns = now_ns();
  guarded([&] {
    const Answer answer = judge(result);
    const bool readback =
        answer == Answer::ready && device.checkpointer != nullptr && settings().checkpoints >= Checkpoints::readback;
    const typename CommandTraits<C>::Args args{arguments...};
    if (!encode_payload(*thread, C, &args, wrote_outputs(result))) return;
    // A counter that has not moved is "not yet", too, whatever it was.
    constexpr bool counter =
        C == CommandId::vkGetSemaphoreCounterValue || C == CommandId::vkGetSemaphoreCounterValueKHR;
    std::optional<Repetition> repetition;
    if (answer == Answer::not_yet || (counter && answer == Answer::ready)) {
      repetition.emplace(*thread, C, result);
      if (repetition->found()) return;
    }
    const std::uint64_t sequence =
        commit_call(*thread, C, 0, outcome_of(result, answer != Answer::other ? &times : nullptr));
    if (repetition) repetition->remember(sequence);
    if (answer != Answer::ready) return;
    {
      const auto lock = host_memory().enter();
      const bool news = finished();
      // Work that nobody waited for may have ended, too: what the program writes next came after that.
      if (!readback) host_memory().record_between();
      if (!readback && (news || HostMemory::to_refresh(device))) {
        host_memory().refresh(device);
        host_memory().record_owed(*thread, device);
      }
    }
    if (readback) device.checkpointer->memory(*thread);
    // What was still pending behind its submit.
    if (readback && device.resources != nullptr) device.checkpointer->contents(*thread, Checkpointer::After::wait);
  });
  return noted<C>(device, result);
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
    result = device.next->vkWaitForFences(device.device, static_cast<std::uint32_t>(begun), fences.data(), VK_TRUE,
                                          UINT64_MAX);
  const auto lock = device.checkpointer->enter_queues();
  // Only this says of a lost device's work that it has ended.
  if (result == VK_ERROR_DEVICE_LOST)
    for (const VkQueue queue : queues) device.next->vkQueueWaitIdle(queue);
  for (std::size_t i = 0; i < begun; ++i) device.checkpointer->end_wait(fences[i]);
  return result;
}

template <CommandId C>
VkResult wait_semaphores(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  return wait<C>(
      state, [&](VkResult result) { return waited(result, timeout); },
      [&] {
        // Which one of several it was, nobody knows.
        if ((info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 && info->semaphoreCount != 1) return true;
        bool news = false;
        for (std::uint32_t i = 0; i < info->semaphoreCount; ++i)
          news |= HostMemory::reached(state, info->pSemaphores[i], info->pValues[i]);
        return news;
      },
      [&] { return next(device, info, timeout); }, device, info, timeout);
}

template <CommandId C>
VkResult counter_value(VkDevice device, VkSemaphore semaphore, std::uint64_t* value) {
  DeviceState& state = device_of(device);
  const auto next = (*state.next).*CommandTraits<C>::pfn;
  return wait<C>(
      state,
      [&](VkResult result) {
        if (result != VK_SUCCESS) return Answer::other;
        return *value != 0 ? Answer::ready : Answer::not_yet;
      },
      [&] { return HostMemory::reached(state, semaphore, *value); }, [&] { return next(device, semaphore, value); },
      device, semaphore, value);
}

// Also when the recording has stopped: the layer's thread may be asking them.
void let_go(VkDevice device, std::span<const VkFence> fences) {
  if (in_forked_child()) return;
  guarded([&] {
    const auto lock = host_memory().enter();
    work_ends().let_go(device_of(device), fences);
  });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkResetFences(VkDevice device, std::uint32_t fenceCount, const VkFence* pFences) {
  let_go(device, {pFences, fenceCount});
  return regular<CommandId::vkResetFences>(device, fenceCount, pFences);
}
VKAPI_ATTR void VKAPI_CALL hook_vkDestroyFence(VkDevice device, VkFence fence,
                                               const VkAllocationCallbacks* pAllocator) {
  let_go(device, {&fence, 1});
  regular<CommandId::vkDestroyFence>(device, fence, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkWaitForFences(VkDevice device, std::uint32_t fenceCount, const VkFence* pFences,
                                                    VkBool32 waitAll, std::uint64_t timeout) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkWaitForFences>(
      state, [&](VkResult result) { return waited(result, timeout); },
      [&] {
        return (waitAll == VK_FALSE && fenceCount != 1) || HostMemory::finished(state, {pFences, fenceCount});
      },
      [&] { return state.next->vkWaitForFences(device, fenceCount, pFences, waitAll, timeout); }, device, fenceCount,
      pFences, waitAll, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetFenceStatus(VkDevice device, VkFence fence) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkGetFenceStatus>(
      state, ready_or_not,
      [&] {
        return HostMemory::finished(state, {&fence, 1});
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

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore,
                                                               std::uint64_t* pValue) {
  return counter_value<CommandId::vkGetSemaphoreCounterValue>(device, semaphore, pValue);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetSemaphoreCounterValueKHR(VkDevice device, VkSemaphore semaphore,
                                                                  std::uint64_t* pValue) {
  return counter_value<CommandId::vkGetSemaphoreCounterValueKHR>(device, semaphore, pValue);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetEventStatus(VkDevice device, VkEvent event) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkGetEventStatus>(
      state, ready_or_not, [] { return true; }, [&] { return state.next->vkGetEventStatus(device, event); }, device,
      event);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetQueryPoolResults(VkDevice device, VkQueryPool queryPool,
                                                          std::uint32_t firstQuery, std::uint32_t queryCount,
                                                          std::size_t dataSize, void* pData, VkDeviceSize stride,
                                                          VkQueryResultFlags flags) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkGetQueryPoolResults>(
      state, ready_or_not, [] { return false; },  // a query makes no memory visible
      [&] {
        return state.next->vkGetQueryPoolResults(device, queryPool, firstQuery, queryCount, dataSize, pData, stride,
                                                 flags);
      },
      device, queryPool, firstQuery, queryCount, dataSize, pData, stride, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueueWaitIdle(VkQueue queue) {
  DeviceState& state = device_of(queue);
  return wait<CommandId::vkQueueWaitIdle>(
      state, [](VkResult result) { return waited(result); }, [&] { return HostMemory::finished(state, queue); },
      [&] {
        if (state.checkpointer == nullptr || in_forked_child()) return state.next->vkQueueWaitIdle(queue);
        return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] { return wait_idle(state, {&queue, 1}); });
      },
      queue);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkDeviceWaitIdle(VkDevice device) {
  DeviceState& state = device_of(device);
  return wait<CommandId::vkDeviceWaitIdle>(
      state, [](VkResult result) { return waited(result); }, [&] { return HostMemory::finished(state); },
      [&] {
        if (state.checkpointer == nullptr || in_forked_child()) return state.next->vkDeviceWaitIdle(device);
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
