// SPDX-License-Identifier: Apache-2.0
// Semaphores and fences whose payloads come and go as sync fds
// (VK_KHR_external_semaphore_fd, VK_KHR_external_fence_fd). The fds are the program's:
// nothing here keeps one, and a capture does not follow where they go.
#include <poll.h>

#include <string>
#include <utility>

#include "generated/hooks.h"
#include "layer/driver/host_memory.h"
#include "layer/driver/visibility.h"
#include "layer/driver/work_ends.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

namespace {

constexpr auto kSyncSemaphore = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
constexpr auto kSyncFence = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;

template <CommandId C>
void semaphore_properties(VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo* info,
                          VkExternalSemaphoreProperties* properties) {
  const auto next = next_of(physical).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        next(physical, info, properties);
        hide_handle_types(info->handleType, *properties);
      },
      physical, info, properties);
}

template <CommandId C>
void fence_properties(VkPhysicalDevice physical, const VkPhysicalDeviceExternalFenceInfo* info,
                      VkExternalFenceProperties* properties) {
  const auto next = next_of(physical).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        next(physical, info, properties);
        hide_handle_types(info->handleType, *properties);
      },
      physical, info, properties);
}

// A payload that is shared for good: its signals are not in the capture.
void note_shared(DeviceState& device, const char* what) {
  guarded([&] {
    {
      const auto lock = host_memory().enter();
      if (std::exchange(device.memories.told_of_shared, true)) return;
    }
    note(std::string("the program shares ") + what +
         " by a handle that is no sync fd, which Rondo said it could not: what others signal through it is "
         "not recorded, and no replay knows it");
  });
}

// -1 is a payload that is signalled.
bool is_signalled(int fd) {
  if (fd < 0) return true;
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

// Before its payload leaves it or is replaced.
void let_go(DeviceState& device, const VkFence& fence) {
  if (in_forked_child()) return;
  guarded([&] {
    const auto lock = host_memory().enter();
    work_ends().let_go(device, {&fence, 1});
  });
}

// What the program had submitted with it is not what it stands for any more.
void forget(DeviceState& device, VkFence fence) {
  guarded([&] {
    const auto lock = host_memory().enter();
    device.memories.fences.erase(fence);
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* pExternalSemaphoreInfo,
    VkExternalSemaphoreProperties* pExternalSemaphoreProperties) {
  semaphore_properties<CommandId::vkGetPhysicalDeviceExternalSemaphoreProperties>(
      physicalDevice, pExternalSemaphoreInfo, pExternalSemaphoreProperties);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceExternalSemaphorePropertiesKHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* pExternalSemaphoreInfo,
    VkExternalSemaphoreProperties* pExternalSemaphoreProperties) {
  semaphore_properties<CommandId::vkGetPhysicalDeviceExternalSemaphorePropertiesKHR>(
      physicalDevice, pExternalSemaphoreInfo, pExternalSemaphoreProperties);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo* pExternalFenceInfo,
    VkExternalFenceProperties* pExternalFenceProperties) {
  fence_properties<CommandId::vkGetPhysicalDeviceExternalFenceProperties>(physicalDevice, pExternalFenceInfo,
                                                                          pExternalFenceProperties);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceExternalFencePropertiesKHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo* pExternalFenceInfo,
    VkExternalFenceProperties* pExternalFenceProperties) {
  fence_properties<CommandId::vkGetPhysicalDeviceExternalFencePropertiesKHR>(physicalDevice, pExternalFenceInfo,
                                                                             pExternalFenceProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR* pInfo) {
  DeviceState& state = device_of(device);
  if (pInfo->handleType != kSyncSemaphore) note_shared(state, "a semaphore");
  // Asked before: the driver closes it. Nobody may know when it will be signalled.
  const bool signalled = is_signalled(pInfo->fd);
  if (!signalled)
    guarded([&] {
      const auto lock = host_memory().enter();
      state.memories.host_waits.imported();
    });
  return regular<CommandId::vkImportSemaphoreFdKHR>(device, pInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR* pGetFdInfo,
                                                        int* pFd) {
  if (pGetFdInfo->handleType != kSyncSemaphore) note_shared(device_of(device), "a semaphore");
  return regular<CommandId::vkGetSemaphoreFdKHR>(device, pGetFdInfo, pFd);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkImportFenceFdKHR(VkDevice device, const VkImportFenceFdInfoKHR* pInfo) {
  DeviceState& state = device_of(device);
  if (pInfo->handleType != kSyncFence) note_shared(state, "a fence");
  let_go(state, pInfo->fence);
  const VkResult result = regular<CommandId::vkImportFenceFdKHR>(device, pInfo);
  if (result == VK_SUCCESS) forget(state, pInfo->fence);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetFenceFdKHR(VkDevice device, const VkFenceGetFdInfoKHR* pGetFdInfo, int* pFd) {
  DeviceState& state = device_of(device);
  if (pGetFdInfo->handleType != kSyncFence) note_shared(state, "a fence");
  let_go(state, pGetFdInfo->fence);
  const VkResult result = regular<CommandId::vkGetFenceFdKHR>(device, pGetFdInfo, pFd);
  if (result == VK_SUCCESS && pGetFdInfo->handleType == kSyncFence) forget(state, pGetFdInfo->fence);
  return result;
}

}  // namespace rondo::layer
