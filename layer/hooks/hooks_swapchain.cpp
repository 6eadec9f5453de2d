// SPDX-License-Identifier: Apache-2.0
// Swapchains and presents.
#include "format/unverified.h"
#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/driver/loader_surfaces.h"
#include "layer/driver/loss.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/critical.h"
#include "model/gpu/texels.h"

namespace rondo::layer {

namespace {

// Why checkpoints cannot read the images, whatever their usage, or null.
const char* unreadable(const VkSwapchainCreateInfoKHR& info) {
  if ((info.flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) != 0) return text_of(Unverified::swapchain_protected);
  // A digest is of one layer: a part is not called the whole.
  if (info.imageArrayLayers > 1) return text_of(Unverified::swapchain_layers);
  if (gpu::block_of(info.imageFormat).bytes == 0) return text_of(Unverified::swapchain_format);
  return nullptr;
}

bool can_be_cleared(const VkSwapchainCreateInfoKHR& info) {
  return (info.flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR) == 0 && gpu::block_of(info.imageFormat).bytes != 0 &&
         !gpu::is_compressed(info.imageFormat);
}

// Adds the usage that checkpoints need to read the images with, and to zero them, where
// the surface allows it. Returns why the images cannot be read, or null.
const char* add_usage(const DeviceState& device, VkSwapchainCreateInfoKHR& info) {
  const char* const why = unreadable(info);
  VkImageUsageFlags wanted = why == nullptr ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0;
  if (can_be_cleared(info)) wanted |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  VkSurfaceCapabilitiesKHR capabilities{};
  if ((wanted & ~info.imageUsage) != 0 && device.next_instance->vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
                                              device.physical, info.surface, &capabilities) == VK_SUCCESS)
    info.imageUsage |= capabilities.supportedUsageFlags & wanted;
  if (why == nullptr && (info.imageUsage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT) == 0)
    return text_of(Unverified::swapchain_usage);
  return why;
}

void remember(DeviceState& device, VkSwapchainKHR handle, const VkSwapchainCreateInfoKHR& info, const char* reason) {
  Swapchain swapchain;
  swapchain.format = info.imageFormat;
  swapchain.extent = info.imageExtent;
  swapchain.readable = reason == nullptr;
  swapchain.reason = reason;
  std::uint32_t count = 0;
  const auto list = device.next->vkGetSwapchainImagesKHR;
  if (list(device.device, handle, &count, nullptr) == VK_SUCCESS) {
    swapchain.images.resize(count);
    if (list(device.device, handle, &count, swapchain.images.data()) != VK_SUCCESS) swapchain.images.clear();
  }
  if (info.imageSharingMode == VK_SHARING_MODE_CONCURRENT)
    swapchain.families.assign(info.pQueueFamilyIndices, info.pQueueFamilyIndices + info.queueFamilyIndexCount);
  if (can_be_cleared(info) && (info.imageUsage & VK_IMAGE_USAGE_TRANSFER_DST_BIT) != 0)
    swapchain.to_zero.assign(swapchain.images.size(), true);
  const std::lock_guard guard(device.swapchain_lock);
  device.swapchains[handle] = std::move(swapchain);
}

template <CommandId C, class... A>
VkResult acquire(VkDevice device, VkSwapchainKHR swapchain, VkSemaphore semaphore, VkFence fence,
                 const std::uint32_t* index, A... arguments) {
  DeviceState& state = device_of(device);
  if (fence != VK_NULL_HANDLE && recording()) {
    const auto lock = host_memory().enter();
    state.memories.fences.erase(fence);  // it says nothing of any submit now
  }
  const VkResult result = noted<C>(state, regular<C, true>(device, arguments...));
  if ((result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR) && state.checkpointer != nullptr && recording())
    guarded([&] { state.checkpointer->acquired(swapchain, *index, semaphore, fence); });
  return result;
}

// A surface that the loader has made beneath the program, and above the driver's door.
void stand_in_for(const DeviceState& device, VkSurfaceKHR surface) {
  if (!device.at_driver || surface == VK_NULL_HANDLE || !recording() || !needs_stand_in(surface)) return;
  VkHeadlessSurfaceCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT;
  record_with<CommandId::vkCreateHeadlessSurfaceEXT>([] { return VK_SUCCESS; }, device.instance->instance, &info,
                                                     static_cast<const VkAllocationCallbacks*>(nullptr), &surface);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkSwapchainKHR* pSwapchain) {
  DeviceState& state = device_of(device);
  guarded([&] { stand_in_for(state, pCreateInfo->surface); });
  const auto create = [&] {
    if (state.checkpointer == nullptr || !recording())
      return state.next->vkCreateSwapchainKHR(device, pCreateInfo, pAllocator, pSwapchain);
    VkSwapchainCreateInfoKHR request = *pCreateInfo;
    const char* const reason = add_usage(state, request);
    const VkResult result = state.next->vkCreateSwapchainKHR(device, &request, pAllocator, pSwapchain);
    if (result == VK_SUCCESS) guarded([&] { remember(state, *pSwapchain, request, reason); });
    return result;
  };
  return record_with<CommandId::vkCreateSwapchainKHR>(create, device, pCreateInfo, pAllocator, pSwapchain);
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                      const VkAllocationCallbacks* pAllocator) {
  DeviceState& state = device_of(device);
  if (state.checkpointer != nullptr && recording()) {
    const std::lock_guard guard(state.swapchain_lock);
    state.swapchains.erase(swapchain);
  }
  regular<CommandId::vkDestroySwapchainKHR>(device, swapchain, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkAcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                          std::uint64_t timeout, VkSemaphore semaphore, VkFence fence,
                                                          std::uint32_t* pImageIndex) {
  return acquire<CommandId::vkAcquireNextImageKHR>(device, swapchain, semaphore, fence, pImageIndex, swapchain, timeout,
                                                   semaphore, fence, pImageIndex);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkAcquireNextImage2KHR(VkDevice device,
                                                           const VkAcquireNextImageInfoKHR* pAcquireInfo,
                                                           std::uint32_t* pImageIndex) {
  return acquire<CommandId::vkAcquireNextImage2KHR>(device, pAcquireInfo->swapchain, pAcquireInfo->semaphore,
                                                    pAcquireInfo->fence, pImageIndex, pAcquireInfo, pImageIndex);
}

namespace {

// Each is numbered in the critical section, where frames are counted.
VkResult present(DeviceState& device, VkQueue queue, const VkPresentInfoKHR* pPresentInfo) {
  const auto next = device.next->vkQueuePresentKHR;
  // Also where the recording has just ended: a checkpoint of another thread may use the queue.
  const auto lock = device.checkpointer != nullptr ? device.checkpointer->enter_queues() : Checkpointer::Lock();
  if (!recording()) return next(queue, pPresentInfo);
  if (device.checkpointer == nullptr)
    return record_critical<CommandId::vkQueuePresentKHR, true>([](ThreadState*) {},
                                                               [&] {
                                                                 frame_presented();
                                                                 return next(queue, pPresentInfo);
                                                               },
                                                               queue, pPresentInfo);
  VkPresentInfoKHR info = *pPresentInfo;
  std::vector<Checkpointer::Presented> images;
  bool consumed = false;
  guarded([&] { images = device.checkpointer->read(thread_state(), queue, *pPresentInfo, consumed); });
  if (consumed) info.waitSemaphoreCount = 0;
  return record_critical<CommandId::vkQueuePresentKHR, true>(
      [&](ThreadState* thread) {
        // What is left of them is recorded before the next submit.
        host_memory().record_uncontested(thread, device);
        if (thread != nullptr) device.checkpointer->write(*thread, images);
      },
      [&] {
        frame_presented();
        return next(queue, &info);
      },
      queue, pPresentInfo);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* pPresentInfo) {
  DeviceState& device = device_of(queue);
  const auto* fences = find_in_chain<VkSwapchainPresentFenceInfoEXT>(
      pPresentInfo->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  if (fences != nullptr && recording()) {
    const auto lock = host_memory().enter();
    for (std::uint32_t i = 0; i < fences->swapchainCount; ++i)
      device.memories.fences.erase(fences->pFences[i]);  // they say nothing of any submit now
  }
  return noted<CommandId::vkQueuePresentKHR>(device, present(device, queue, pPresentInfo));
}

}  // namespace rondo::layer
