// SPDX-License-Identifier: Apache-2.0
// Presentable images: handed out in turn, and free again once the queue has
// come to their present. There is no window to show them in.
#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/icd/chain.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

std::uint32_t next_image(const Swapchain& swapchain) {
  const auto images = static_cast<std::uint32_t>(swapchain.images.size());
  for (std::uint32_t i = 0; i < images; ++i) {
    const std::uint32_t image = (swapchain.next + i) % images;
    if (!swapchain.acquired[image]) return image;
  }
  return images;
}

VkResult acquire(Call& call, VkSwapchainKHR handle, std::uint64_t timeout, VkSemaphore semaphore_handle,
                 VkFence fence_handle, std::uint32_t* index) {
  const auto swapchain = get<Swapchain>(handle);
  const auto semaphore = get<Semaphore>(semaphore_handle);
  const auto fence = get<Fence>(fence_handle);
  if (semaphore == nullptr && fence == nullptr) violation("acquires an image and nothing to wait for it with");
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  if (semaphore != nullptr && (semaphore->promised || semaphore->timeline))
    violation("acquires with a semaphore that is signaled, or a timeline");
  if (fence != nullptr && (fence->signaled || fence->pending != 0)) violation("acquires with a fence that is in use");
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  if (swapchain->retired) return VK_ERROR_OUT_OF_DATE_KHR;
  const bool free = monitor.wait(
      lock, timeout, [&] { return call.device->lost || next_image(*swapchain) < swapchain->images.size(); });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  if (!free) return timeout == 0 ? VK_NOT_READY : VK_TIMEOUT;
  *index = next_image(*swapchain);
  swapchain->acquired[*index] = true;
  swapchain->next = (*index + 1) % static_cast<std::uint32_t>(swapchain->images.size());
  if (semaphore != nullptr) {
    semaphore->promised = true;
    signal({semaphore, 1});
  }
  if (fence != nullptr) fence->signaled = true;
  monitor.changed();
  return VK_SUCCESS;
}

VkResult acquire1(Call& call, args_vkAcquireNextImageKHR& a) {
  return acquire(call, a.swapchain, a.timeout, a.semaphore, a.fence, a.pImageIndex);
}
VkResult acquire2(Call& call, args_vkAcquireNextImage2KHR& a) {
  const VkAcquireNextImageInfoKHR& info = *a.pAcquireInfo;
  return acquire(call, info.swapchain, info.timeout, info.semaphore, info.fence, a.pImageIndex);
}

VkResult present(Call& call, args_vkQueuePresentKHR& a) {
  const VkPresentInfoKHR& info = *a.pPresentInfo;
  const auto* ids = chained<VkPresentIdKHR>(info);
  if (ids != nullptr && ids->swapchainCount != info.swapchainCount)
    violation("has ids for another number of swapchains");
  struct Presented {
    std::shared_ptr<Swapchain> swapchain;
    std::uint32_t image;
    std::uint64_t id;  // 0: none
  };
  std::vector<Presented> images;
  {
    const Monitor::Lock lock = Monitor::get().enter();
    for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
      const auto swapchain = get<Swapchain>(info.pSwapchains[i]);
      const std::uint32_t image = info.pImageIndices[i];
      if (image >= swapchain->images.size() || !swapchain->acquired[image])
        violation("presents an image that is not acquired");
      else
        images.push_back({swapchain, image, 0});
      if (ids == nullptr || ids->pPresentIds == nullptr || i >= ids->swapchainCount || images.empty()) continue;
      const std::uint64_t id = images.back().id = ids->pPresentIds[i];
      if (id == 0) continue;
      if (id <= swapchain->given_id) violation("has an id that is not above the one before");
      swapchain->given_id = id;
    }
  }
  Submission batch;
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i)
    batch.waits.push_back({get<Semaphore>(info.pWaitSemaphores[i]), 1});
  batch.action = [images] {
    for (const Presented& p : images) {
      p.swapchain->acquired[p.image] = false;
      p.swapchain->presented_id = std::max(p.swapchain->presented_id, p.id);
    }
  };
  const VkResult result = call.device->lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
  if (info.pResults != nullptr) std::fill_n(info.pResults, info.swapchainCount, result);
  if (result != VK_SUCCESS) return result;
  if (settings().present_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(settings().present_us));
  std::vector<Submission> batches;
  batches.push_back(std::move(batch));
  submit(*get<Queue>(a.queue), std::move(batches));
  return result;
}

VkResult wait_for_present(Call& call, args_vkWaitForPresentKHR& a) {
  const auto swapchain = get<Swapchain>(a.swapchain);
  Monitor& monitor = Monitor::get();
  Monitor::Lock lock = monitor.enter();
  const bool done =
      monitor.wait(lock, a.timeout, [&] { return call.device->lost || swapchain->presented_id >= a.presentId; });
  if (call.device->lost) return VK_ERROR_DEVICE_LOST;
  return done ? VK_SUCCESS : VK_TIMEOUT;
}

}  // namespace

void install_presentation(Table& table) {
  table.behave<acquire1>(CommandId::vkAcquireNextImageKHR);
  table.behave<acquire2>(CommandId::vkAcquireNextImage2KHR);
  table.behave<present>(CommandId::vkQueuePresentKHR);
  table.behave<wait_for_present>(CommandId::vkWaitForPresentKHR);
}

}  // namespace fake
