// SPDX-License-Identifier: Apache-2.0
// Devices and their queues.
#include <cstring>

#include "generated/hooks.h"
#include "layer/checkpoints/checkpoint.h"
#include "layer/checkpoints/resources.h"
#include "layer/driver/addresses.h"
#include "layer/driver/alias_types.h"
#include "layer/driver/describe_device.h"
#include "layer/driver/door.h"
#include "layer/driver/fences.h"
#include "layer/driver/hidden.h"
#include "layer/driver/settler.h"
#include "layer/driver/sparse.h"
#include "layer/driver/visibility.h"
#include "layer/driver/work_ends.h"
#include "layer/recorder/chain.h"
#include "layer/recorder/chain_copy.h"
#include "layer/recorder/critical.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "layer/recorder/regular.h"

namespace rondo::layer {

namespace {

bool enabled(const VkDeviceCreateInfo& info, const char* name) {
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i)
    if (std::strcmp(info.ppEnabledExtensionNames[i], name) == 0) return true;
  return false;
}

// What importing host memory needs, if the device has all of it; else nothing.
std::vector<const char*> needed_extensions(const DeviceState& device, const VkDeviceCreateInfo& info) {
  std::vector<const char*> needed = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  if (device.api_version < VK_API_VERSION_1_1) needed.push_back(VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME);
  std::vector<VkExtensionProperties> available;
  const auto next = device.next_instance->vkEnumerateDeviceExtensionProperties;
  if (enumerate(available, [&](std::uint32_t* count, VkExtensionProperties* properties) {
        return next(device.physical, nullptr, count, properties);
      }) != VK_SUCCESS)
    return {};
  for (const char* name : needed)
    if (std::none_of(available.begin(), available.end(),
                     [&](const VkExtensionProperties& p) { return std::strcmp(p.extensionName, name) == 0; }))
      return {};
  std::erase_if(needed, [&](const char* name) { return enabled(info, name); });
  return needed;
}

// In the structure where the program enabled addresses.
bool enable_replay(ChainCopy& chain) {
  auto* all = chain.change<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  if (all != nullptr && all->bufferDeviceAddress != VK_FALSE) {
    all->bufferDeviceAddressCaptureReplay = VK_TRUE;
    return true;
  }
  auto* one = chain.change<VkPhysicalDeviceBufferDeviceAddressFeatures>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  if (one == nullptr || one->bufferDeviceAddress == VK_FALSE) return false;
  one->bufferDeviceAddressCaptureReplay = VK_TRUE;
  return true;
}

VkResult create(PFN_vkCreateDevice call, VkLayerDeviceCreateInfo& link, const VkDeviceCreateInfo& info,
                const VkAllocationCallbacks* allocator, VkDevice* out, DeviceState& device) {
  VkLayerDeviceLink* const here = link.u.pLayerInfo;
  link.u.pLayerInfo = here->pNext;
  std::vector<const char*> added;
  const auto* group =
      find_in_chain<VkDeviceGroupDeviceCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
  const bool alone = recording() && (group == nullptr || group->physicalDeviceCount <= 1);
  // The chain is copied behind the change to the loader's structure in it.
  ChainCopy chain(info.pNext);
  const bool addresses = alone && asks_for_addresses(info);
  device.address_replay = addresses && can_replay_addresses(device) && enable_replay(chain);
  device.places_addresses = addresses && !device.address_replay;
  if (alone && alias_wanted(device.places_addresses)) added = needed_extensions(device, info);
  if (added.empty() && !device.address_replay) return call(device.physical, &info, allocator, out);

  std::vector<const char*> names(info.ppEnabledExtensionNames,
                                 info.ppEnabledExtensionNames + info.enabledExtensionCount);
  names.insert(names.end(), added.begin(), added.end());
  VkDeviceCreateInfo extended = info;
  extended.pNext = chain.first();
  extended.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  extended.ppEnabledExtensionNames = names.data();
  VkResult result = call(device.physical, &extended, allocator, out);
  if (result == VK_SUCCESS) {
    device.added_extensions.insert(added.begin(), added.end());
  } else if (result == VK_ERROR_EXTENSION_NOT_PRESENT || result == VK_ERROR_FEATURE_NOT_PRESENT) {
    device.address_replay = false;
    link.u.pLayerInfo = here->pNext;
    result = call(device.physical, &info, allocator, out);
  }
  return result;
}

void read_properties(DeviceState& device) {
  const Dispatch& instance = *device.next_instance;
  VkPhysicalDeviceProperties properties;
  instance.vkGetPhysicalDeviceProperties(device.physical, &properties);
  device.software = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  device.api_version = std::min(device.instance->api_version, visible_device_version(properties.apiVersion));
  instance.vkGetPhysicalDeviceMemoryProperties(device.physical, &device.memory);
  std::uint32_t count = 0;
  instance.vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, nullptr);
  device.families.resize(count);
  instance.vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, device.families.data());
}

// The device's commands of an instance extension are the loader's: it has them for the
// instance, whether it is enabled or not, and for the device only once vkCreateDevice is
// over. It puts our hooks of them into its own table all the same.
void load_loaders_own(Dispatch& dispatch, const InstanceState& instance) {
  for (std::size_t i = 1; i < kCommandIds; ++i) {
    const auto id = static_cast<CommandId>(i);
    const codec::CommandInfo& command = codec::info(id);
    if (command.level != codec::Level::device || dispatch.at(id) != nullptr || command.feature == nullptr ||
        std::strcmp(command.feature, VK_EXT_DEBUG_UTILS_EXTENSION_NAME) != 0)
      continue;
    dispatch.set(id, instance.next_get(instance.instance, command.name));
  }
}

// What of it was hidden from the program, in words; empty: nothing.
std::string what_was_hidden(const VkDeviceCreateInfo& info) {
  if (const char* name = hidden_extension({info.ppEnabledExtensionNames, info.enabledExtensionCount}))
    return enabled_though_hidden(name);
  const auto feature = hidden_feature(info.pNext);
  return feature ? enabled_though_hidden(*feature) : std::string();
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hook_vkCreateDevice(VkPhysicalDevice physicalDevice,
                                                   const VkDeviceCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator, VkDevice* pDevice) {
  auto* link = find_loader_info<VkLayerDeviceCreateInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
  if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    const InstanceEntry& instance = entry_of(physicalDevice);
    auto device = std::make_unique<DeviceState>();
    device->physical = physicalDevice;
    device->instance = instance.state;
    device->at_driver = take_drivers_door();
    device->next_instance = &instance.dispatch;
    device->next_get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    const auto call = reinterpret_cast<PFN_vkCreateDevice>(
        link->u.pLayerInfo->pfnNextGetInstanceProcAddr(instance.state->instance, "vkCreateDevice"));
    if (call == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    if (const auto* data = find_loader_info<VkLayerDeviceCreateInfo>(
            pCreateInfo->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LOADER_DATA_CALLBACK);
        data != nullptr && !device->at_driver)  // the driver's own handles are no loader's
      device->set_loader_data = data->u.pfnSetDeviceLoaderData;
    if (!forward_only()) read_properties(*device);
    if (const VkResult result = create(call, *link, *pCreateInfo, pAllocator, pDevice, *device); result != VK_SUCCESS) {
      record_with<CommandId::vkCreateDevice>([=] { return result; }, physicalDevice, pCreateInfo, pAllocator, pDevice);
      return result;
    }
    device->device = *pDevice;
    DeviceState& state = *device.release();  // lives until vkDestroyDevice
    Dispatch dispatch;
    load_device(dispatch, state.next_get, *pDevice);
    load_loaders_own(dispatch, *state.instance);
    void* const key = state.at_driver ? *pDevice : dispatch_key(*pDevice);
    if (!g_devices.insert(key, &state, dispatch)) {
      dispatch.vkDestroyDevice(*pDevice, pAllocator);
      delete &state;
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    DeviceEntry& entry = *g_devices.find(key);
    know_by_handle(*pDevice, entry);
    state.next = &entry.dispatch;
    for (std::uint32_t i = 0; i < pCreateInfo->queueCreateInfoCount; ++i)
      if (pCreateInfo->pQueueCreateInfos[i].flags == 0)
        state.created_families.push_back(pCreateInfo->pQueueCreateInfos[i].queueFamilyIndex);
    const std::string refused = what_was_hidden(*pCreateInfo);
    write_hidden();
    state.hides_nothing = instance.state->hides_nothing || !refused.empty();
    if (!recording()) return VK_SUCCESS;
    record_modules();
    describe_physical_device(state);
    record_with<CommandId::vkCreateDevice>([] { return VK_SUCCESS; }, physicalDevice, pCreateInfo, pAllocator, pDevice);
    // Forward, but do not pretend to have recorded it all.
    if (!refused.empty()) stop_recording(refused);
    state.binds_sparsely = enables_sparse_binding(*pCreateInfo);
    find_alias_types(state);
    if (settings().checkpoints >= Checkpoints::submit) state.resources = std::make_unique<Resources>(state.software);
    if (settings().checkpoints != Checkpoints::none) state.checkpointer = std::make_unique<Checkpointer>(state);
    state.settler = std::make_unique<Settler>(state);
    state.own_fences = std::make_unique<Fences>(state);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL hook_vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* pAllocator) {
  if (device == VK_NULL_HANDLE) return;
  DeviceEntry& entry = entry_of(device);
  void* const key = entry.key.load(std::memory_order_relaxed);
  DeviceState* const state = entry.state;
  const auto next = entry.dispatch.vkDestroyDevice;
  state->checkpointer.reset();
  state->settler.reset();
  record_critical<CommandId::vkDestroyDevice>(
      [&](ThreadState* thread) {
        // Memory that the program leaks: nobody finds writes to it from here on,
        // or they would follow the end of their device. An imported mapping
        // itself ends after the driver has let go of it.
        host_memory().record_all(thread);
        for (auto& [handle, memory] : state->memories.memories) {
          memory->tracked.reset();
          uncover(*memory);
        }
        work_ends().let_go(*state);
      },
      [&] {
        state->own_fences.reset();
        by_handle().remove(device);
        g_devices.erase(key);
        next(device, pAllocator);
      },
      device, pAllocator);
  {
    const auto lock = host_memory().enter();
    state->memories.memories.clear();
  }
  delete state;
}

namespace {

void remember(VkDevice device, const Queue& queue) {
  if (queue.handle == VK_NULL_HANDLE) return;
  DeviceEntry& entry = entry_of(device);
  DeviceState& state = *entry.state;
  guarded([&] { know_by_handle(queue.handle, entry); });
  if (!recording()) return;
  guarded([&] {
    const auto lock = host_memory().enter();
    for (const Queue& known : state.queues)
      if (known.handle == queue.handle) return;
    state.queues.push_back(queue);
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceQueue(VkDevice device, std::uint32_t queueFamilyIndex,
                                                 std::uint32_t queueIndex, VkQueue* pQueue) {
  regular<CommandId::vkGetDeviceQueue>(device, queueFamilyIndex, queueIndex, pQueue);
  remember(device, {*pQueue, queueFamilyIndex, 0});
}

VKAPI_ATTR void VKAPI_CALL hook_vkGetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* pQueueInfo,
                                                  VkQueue* pQueue) {
  regular<CommandId::vkGetDeviceQueue2>(device, pQueueInfo, pQueue);
  remember(device, {*pQueue, pQueueInfo->queueFamilyIndex, pQueueInfo->flags});
}

}  // namespace rondo::layer
