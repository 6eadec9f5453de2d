// SPDX-License-Identifier: Apache-2.0
// vkQueueSubmit and its kin, and waiting for whole queues.
#include <algorithm>

#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

template <class T>
const T* in_chain(const void* next, VkStructureType type) {
  for (auto* s = static_cast<const VkBaseInStructure*>(next); s != nullptr; s = s->pNext)
    if (s->sType == type) return reinterpret_cast<const T*>(s);
  return nullptr;
}

std::vector<SemaphoreUse> uses(const VkSemaphore* semaphores, std::uint32_t count, const std::uint64_t* values,
                               std::uint32_t value_count) {
  std::vector<SemaphoreUse> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    SemaphoreUse use{get<Semaphore>(semaphores[i]), 1};
    if (use.semaphore->timeline) {
      if (values == nullptr || i >= value_count)
        violation("has no value for a timeline semaphore");
      else
        use.value = values[i];
    }
    all.push_back(std::move(use));
  }
  return all;
}

std::vector<SemaphoreUse> uses(const VkSemaphoreSubmitInfo* infos, std::uint32_t count) {
  std::vector<SemaphoreUse> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back({get<Semaphore>(infos[i].semaphore), infos[i].value, nullptr, infos[i].stageMask});
  return all;
}

// VkSubmitInfo and VkBindSparseInfo: their timeline values are in the chain.
template <class Info>
Submission semaphores_of(const Info& info) {
  const auto* values =
      in_chain<VkTimelineSemaphoreSubmitInfo>(info.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  Submission batch;
  batch.waits =
      uses(info.pWaitSemaphores, info.waitSemaphoreCount, values == nullptr ? nullptr : values->pWaitSemaphoreValues,
           values == nullptr ? 0 : values->waitSemaphoreValueCount);
  batch.signals = uses(info.pSignalSemaphores, info.signalSemaphoreCount,
                       values == nullptr ? nullptr : values->pSignalSemaphoreValues,
                       values == nullptr ? 0 : values->signalSemaphoreValueCount);
  return batch;
}

Submission submission_of(const VkSubmitInfo& info) {
  Submission batch = semaphores_of(info);
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i) batch.waits[i].stages = info.pWaitDstStageMask[i];
  for (std::uint32_t i = 0; i < info.commandBufferCount; ++i)
    batch.buffers.push_back(get<CommandBuffer>(info.pCommandBuffers[i]));
  return batch;
}

Submission submission_of(const VkSubmitInfo2& info) {
  Submission batch;
  batch.waits = uses(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount);
  batch.signals = uses(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount);
  for (std::uint32_t i = 0; i < info.commandBufferInfoCount; ++i)
    batch.buffers.push_back(get<CommandBuffer>(info.pCommandBufferInfos[i].commandBuffer));
  return batch;
}

Submission submission_of(const VkBindSparseInfo& info) { return semaphores_of(info); }

bool loses_device(Device& device) {
  const std::uint64_t after = settings().lost_after;
  if (after != 0 && device.is_first && ++device.submits > after) {
    const Monitor::Lock lock = Monitor::get().enter();
    device.lost = true;
    Monitor::get().changed();
  }
  return device.lost;
}

template <class Info>
VkResult submit_all(Call& call, VkQueue handle, const Info* infos, std::uint32_t count, VkFence fence_handle) {
  const auto fence = get<Fence>(fence_handle);
  if (fence != nullptr) {
    const Monitor::Lock lock = Monitor::get().enter();
    if (fence->is_signaled() || fence->imported != nullptr) violation("submits a fence that is signaled already");
    if (fence->pending != 0) violation("submits a fence that another submission will signal");
  }
  if (loses_device(*call.device)) return VK_ERROR_DEVICE_LOST;
  std::vector<Submission> batches;
  for (std::uint32_t i = 0; i < count; ++i) batches.push_back(submission_of(infos[i]));
  if (fence != nullptr) {
    if (batches.empty()) batches.emplace_back();
    batches.back().fence = fence;
  }
  submit(*get<Queue>(handle), std::move(batches));
  return VK_SUCCESS;
}

VkResult submit1(Call& call, args_vkQueueSubmit& a) {
  return submit_all(call, a.queue, a.pSubmits, a.submitCount, a.fence);
}
VkResult submit2(Call& call, args_vkQueueSubmit2& a) {
  return submit_all(call, a.queue, a.pSubmits, a.submitCount, a.fence);
}
VkResult bind_sparse(Call& call, args_vkQueueBindSparse& a) {
  return submit_all(call, a.queue, a.pBindInfo, a.bindInfoCount, a.fence);
}

template <class Done>
VkResult wait_idle(const Device& device, const Done& done) {
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  monitor.wait(lock, UINT64_MAX, done);  // the queues of a lost device drop their work at once
  return device.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

VkResult queue_wait_idle(Call& call, args_vkQueueWaitIdle& a) {
  const auto queue = get<Queue>(a.queue);
  return wait_idle(*call.device, [&] { return is_idle(*queue); });
}

VkResult device_wait_idle(Call& call, args_vkDeviceWaitIdle&) {
  const auto& queues = call.device->queues;
  return wait_idle(*call.device, [&] {
    return std::all_of(queues.begin(), queues.end(), [](const auto& queue) { return is_idle(*queue); });
  });
}

}  // namespace

void install_submits(Table& table) {
  table.behave<submit1>(CommandId::vkQueueSubmit);
  table.behave<submit2>(CommandId::vkQueueSubmit2);
  table.behave<bind_sparse>(CommandId::vkQueueBindSparse);
  table.behave<queue_wait_idle>(CommandId::vkQueueWaitIdle);
  table.behave<device_wait_idle>(CommandId::vkDeviceWaitIdle);
}

}  // namespace fake
