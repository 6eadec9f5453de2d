// SPDX-License-Identifier: Apache-2.0
// Answers about physical devices, consistent with what is hidden. They are
// recorded as the program sees them.
#include <cstring>

#include "generated/hooks.h"
#include "layer/driver/visibility.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

namespace {

VkResult device_extensions(VkPhysicalDevice physical, const char* layer, std::vector<VkExtensionProperties>& all) {
  const auto next = next_of(physical).vkEnumerateDeviceExtensionProperties;
  return enumerate(all, [&](std::uint32_t* count, VkExtensionProperties* properties) {
    return next(physical, layer, count, properties);
  });
}

void tell_of_unknown_structures(VkPhysicalDevice physical, const void* chain) {
  const VkBaseInStructure* const unknown = unknown_structure(chain);
  if (unknown == nullptr) return;
  guarded([&] {
    std::vector<VkExtensionProperties> all;
    if (device_extensions(physical, nullptr, all) == VK_SUCCESS) ask_for_unknown(*unknown, all);
  });
}

template <CommandId C>
void features2(VkPhysicalDevice physical, VkPhysicalDeviceFeatures2* features) {
  const auto next = next_of(physical).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        next(physical, features);
        hide_features(features->pNext);
      },
      physical, features);
  tell_of_unknown_structures(physical, features->pNext);
}

template <CommandId C>
void properties2(VkPhysicalDevice physical, VkPhysicalDeviceProperties2* properties) {
  const auto next = next_of(physical).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        next(physical, properties);
        properties->properties.apiVersion = visible_device_version(properties->properties.apiVersion);
      },
      physical, properties);
}

template <CommandId C>
void queue_families2(VkPhysicalDevice physical, std::uint32_t* count, VkQueueFamilyProperties2* families) {
  const auto next = next_of(physical).*CommandTraits<C>::pfn;
  record_with<C>(
      [&] {
        next(physical, count, families);
        for (std::uint32_t i = 0; families != nullptr && i < *count; ++i)
          hide_queue_flags(families[i].queueFamilyProperties);
      },
      physical, count, families);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physicalDevice,
                                                             VkPhysicalDeviceFeatures2* pFeatures) {
  features2<CommandId::vkGetPhysicalDeviceFeatures2>(physicalDevice, pFeatures);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceFeatures2KHR(VkPhysicalDevice physicalDevice,
                                                                VkPhysicalDeviceFeatures2* pFeatures) {
  features2<CommandId::vkGetPhysicalDeviceFeatures2KHR>(physicalDevice, pFeatures);
}

VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceProperties(VkPhysicalDevice physicalDevice,
                                                              VkPhysicalDeviceProperties* pProperties) {
  const auto next = next_of(physicalDevice).vkGetPhysicalDeviceProperties;
  record_with<CommandId::vkGetPhysicalDeviceProperties>(
      [&] {
        next(physicalDevice, pProperties);
        pProperties->apiVersion = visible_device_version(pProperties->apiVersion);
      },
      physicalDevice, pProperties);
}

VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice,
                                                               VkPhysicalDeviceProperties2* pProperties) {
  properties2<CommandId::vkGetPhysicalDeviceProperties2>(physicalDevice, pProperties);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceProperties2KHR(VkPhysicalDevice physicalDevice,
                                                                  VkPhysicalDeviceProperties2* pProperties) {
  properties2<CommandId::vkGetPhysicalDeviceProperties2KHR>(physicalDevice, pProperties);
}

VKAPI_ATTR void VKAPI_CALL
hook_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physicalDevice, std::uint32_t* pQueueFamilyPropertyCount,
                                              VkQueueFamilyProperties* pQueueFamilyProperties) {
  const auto next = next_of(physicalDevice).vkGetPhysicalDeviceQueueFamilyProperties;
  record_with<CommandId::vkGetPhysicalDeviceQueueFamilyProperties>(
      [&] {
        next(physicalDevice, pQueueFamilyPropertyCount, pQueueFamilyProperties);
        for (std::uint32_t i = 0; pQueueFamilyProperties != nullptr && i < *pQueueFamilyPropertyCount; ++i)
          hide_queue_flags(pQueueFamilyProperties[i]);
      },
      physicalDevice, pQueueFamilyPropertyCount, pQueueFamilyProperties);
}

VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceQueueFamilyProperties2(
    VkPhysicalDevice physicalDevice, std::uint32_t* pQueueFamilyPropertyCount,
    VkQueueFamilyProperties2* pQueueFamilyProperties) {
  queue_families2<CommandId::vkGetPhysicalDeviceQueueFamilyProperties2>(physicalDevice, pQueueFamilyPropertyCount,
                                                                        pQueueFamilyProperties);
}
VKAPI_ATTR void VKAPI_CALL hook_vkGetPhysicalDeviceQueueFamilyProperties2KHR(
    VkPhysicalDevice physicalDevice, std::uint32_t* pQueueFamilyPropertyCount,
    VkQueueFamilyProperties2* pQueueFamilyProperties) {
  queue_families2<CommandId::vkGetPhysicalDeviceQueueFamilyProperties2KHR>(physicalDevice, pQueueFamilyPropertyCount,
                                                                           pQueueFamilyProperties);
}

// Layer, extension and tool queries are not recorded.
VKAPI_ATTR VkResult VKAPI_CALL hook_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
                                                                         const char* pLayerName,
                                                                         std::uint32_t* pPropertyCount,
                                                                         VkExtensionProperties* pProperties) {
  const auto next = next_of(physicalDevice).vkEnumerateDeviceExtensionProperties;
  if (pLayerName != nullptr && std::strcmp(pLayerName, kLayerName) == 0) {
    *pPropertyCount = 0;
    return VK_SUCCESS;
  }
  if (!hiding()) return next(physicalDevice, pLayerName, pPropertyCount, pProperties);
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    std::vector<VkExtensionProperties> all;
    if (const VkResult result = device_extensions(physicalDevice, pLayerName, all); result != VK_SUCCESS) return result;
    hide_extensions(all);
    return answer(all, pPropertyCount, pProperties);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkEnumerateDeviceLayerProperties(VkPhysicalDevice physicalDevice,
                                                                     std::uint32_t* pPropertyCount,
                                                                     VkLayerProperties* pProperties) {
  return next_of(physicalDevice).vkEnumerateDeviceLayerProperties(physicalDevice, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetPhysicalDeviceToolProperties(VkPhysicalDevice physicalDevice,
                                                                      std::uint32_t* pToolCount,
                                                                      VkPhysicalDeviceToolProperties* pToolProperties) {
  return next_of(physicalDevice).vkGetPhysicalDeviceToolProperties(physicalDevice, pToolCount, pToolProperties);
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkGetPhysicalDeviceToolPropertiesEXT(
    VkPhysicalDevice physicalDevice, std::uint32_t* pToolCount, VkPhysicalDeviceToolProperties* pToolProperties) {
  return next_of(physicalDevice).vkGetPhysicalDeviceToolPropertiesEXT(physicalDevice, pToolCount, pToolProperties);
}

}  // namespace rondo::layer
