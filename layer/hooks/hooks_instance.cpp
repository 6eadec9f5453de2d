// SPDX-License-Identifier: Apache-2.0
// Instances, and what a program asks before it has one.
#include <cstring>
#include <new>
#include <optional>

#include "format/versions.h"
#include "generated/hooks.h"
#include "layer/driver/door.h"
#include "layer/driver/visibility.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

namespace {

bool enabled(const VkInstanceCreateInfo& info, const char* name) {
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    if (std::strcmp(info.ppEnabledExtensionNames[i], name) == 0) return true;
  return false;
}

std::uint32_t asked_version(const VkInstanceCreateInfo& info) {
  const std::uint32_t version = info.pApplicationInfo != nullptr ? info.pApplicationInfo->apiVersion : 0;
  return version == 0 ? VK_API_VERSION_1_0 : version;
}

// What importing host memory needs of a 1.0 instance; every loader has both.
std::vector<const char*> needed_extensions(const VkInstanceCreateInfo& info) {
  std::vector<const char*> needed;
  if (!hiding() || asked_version(info) >= VK_API_VERSION_1_1) return needed;
  for (const char* name :
       {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME, VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME})
    if (!enabled(info, name)) needed.push_back(name);
  return needed;
}

VkResult create(VkLayerInstanceCreateInfo& link, const VkInstanceCreateInfo& info,
                const VkAllocationCallbacks* allocator, VkInstance* instance, InstanceState& state) {
  VkLayerInstanceLink* const here = link.u.pLayerInfo;
  const auto call = reinterpret_cast<PFN_vkCreateInstance>(state.next_get(VK_NULL_HANDLE, "vkCreateInstance"));
  if (call == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  link.u.pLayerInfo = here->pNext;
  const std::vector<const char*> added = needed_extensions(info);
  // At the driver's own, what it is given goes to it alone.
  std::optional<AtLayersDoor> door;
  if (!state.at_driver) door.emplace();
  if (added.empty()) return call(&info, allocator, instance);

  std::vector<const char*> names(info.ppEnabledExtensionNames,
                                 info.ppEnabledExtensionNames + info.enabledExtensionCount);
  names.insert(names.end(), added.begin(), added.end());
  VkInstanceCreateInfo extended = info;
  extended.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  extended.ppEnabledExtensionNames = names.data();
  VkResult result = call(&extended, allocator, instance);
  if (result == VK_SUCCESS) {
    state.added_extensions.insert(added.begin(), added.end());
  } else if (result == VK_ERROR_EXTENSION_NOT_PRESENT) {
    link.u.pLayerInfo = here->pNext;  // the layers beneath have moved it on
    result = call(&info, allocator, instance);
  }
  return result;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateInstance(const VkInstanceCreateInfo* pCreateInfo,
                                                     const VkAllocationCallbacks* pAllocator, VkInstance* pInstance) {
  auto* link = find_loader_info<VkLayerInstanceCreateInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    auto state = std::make_unique<InstanceState>();
    state->next_get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    state->next_get_physical = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    state->api_version = asked_version(*pCreateInfo);
    state->at_driver = take_drivers_door();
    ask_for_version(state->api_version);
    const char* const enabled_hidden =
        hidden_extension({pCreateInfo->ppEnabledExtensionNames, pCreateInfo->enabledExtensionCount});
    state->hides_nothing = enabled_hidden != nullptr;
    if (const VkResult result = create(*link, *pCreateInfo, pAllocator, pInstance, *state); result != VK_SUCCESS)
      return result;
    state->instance = *pInstance;
    Dispatch dispatch;
    load_instance(dispatch, state->next_get, *pInstance);
    void* const key = state->at_driver ? *pInstance : dispatch_key(*pInstance);
    if (!g_instances.insert(key, state.release(), dispatch)) {
      dispatch.vkDestroyInstance(*pInstance, pAllocator);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    InstanceEntry& entry = *g_instances.find(key);
    know_by_handle(*pInstance, entry);
    start_recording(pCreateInfo);
    record_with<CommandId::vkCreateInstance>([] { return VK_SUCCESS; }, pCreateInfo, pAllocator, pInstance);
    if (enabled_hidden != nullptr) stop_recording(enabled_though_hidden(enabled_hidden));
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks* pAllocator) {
  if (instance == VK_NULL_HANDLE) return;
  // The state stays: device states may still point to it.
  InstanceEntry& entry = entry_of(instance);
  void* const key = entry.key.load(std::memory_order_relaxed);
  const auto next = entry.dispatch.vkDestroyInstance;
  record_with<CommandId::vkDestroyInstance>(
      [&] {
        by_handle().remove(instance);
        g_instances.erase(key);
        next(instance, pAllocator);
      },
      instance, pAllocator);
}

// Through the chain of pre-instance functions (exported below), or from a
// layer above us.
VKAPI_ATTR VkResult VKAPI_CALL hook_vkEnumerateInstanceExtensionProperties(const char* pLayerName,
                                                                           std::uint32_t* pPropertyCount,
                                                                           VkExtensionProperties*) {
  if (pLayerName == nullptr || std::strcmp(pLayerName, kLayerName) != 0) return VK_ERROR_LAYER_NOT_PRESENT;
  *pPropertyCount = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkEnumerateInstanceLayerProperties(std::uint32_t* pPropertyCount,
                                                                       VkLayerProperties*) {
  *pPropertyCount = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL hook_vkEnumerateInstanceVersion(std::uint32_t* pApiVersion) {
  *pApiVersion = kNewestVersion;
  return VK_SUCCESS;
}

}  // namespace rondo::layer

// The loader calls these before any instance (the manifest's pre_instance_functions).
extern "C" {

[[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL
rondo_enumerate_instance_extensions(const VkEnumerateInstanceExtensionPropertiesChain* chain, const char* layer,
                                    std::uint32_t* count, VkExtensionProperties* properties) {
  using namespace rondo::layer;
  if (!hiding()) return chain->CallDown(layer, count, properties);
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    if (layer != nullptr && std::strcmp(layer, kLayerName) == 0) {
      *count = 0;
      return VK_SUCCESS;
    }
    std::vector<VkExtensionProperties> all;
    if (const VkResult result =
            enumerate(all, [&](std::uint32_t* n, VkExtensionProperties* p) { return chain->CallDown(layer, n, p); });
        result != VK_SUCCESS)
      return result;
    hide_extensions(all);
    return answer(all, count, properties);
  });
}

[[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL rondo_enumerate_instance_layers(
    const VkEnumerateInstanceLayerPropertiesChain* chain, std::uint32_t* count, VkLayerProperties* properties) {
  using namespace rondo::layer;
  if (!hiding()) return chain->CallDown(count, properties);
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    std::vector<VkLayerProperties> all;
    if (const VkResult result =
            enumerate(all, [&](std::uint32_t* n, VkLayerProperties* p) { return chain->CallDown(n, p); });
        result != VK_SUCCESS)
      return result;
    std::erase_if(all, [](const VkLayerProperties& p) { return std::strcmp(p.layerName, kLayerName) == 0; });
    return answer(all, count, properties);
  });
}

[[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL
rondo_enumerate_instance_version(const VkEnumerateInstanceVersionChain* chain, std::uint32_t* version) {
  const VkResult result = chain->CallDown(version);
  if (result == VK_SUCCESS) *version = rondo::layer::visible_version(*version);
  return result;
}
}
