// SPDX-License-Identifier: Apache-2.0
// The instance, what it lists, and where entry points are found.
#include <cstring>

#include "tests/icd/install.h"
#include "tests/icd/lists.h"
#include "tests/icd/memory.h"
#include "tests/icd/order_pool.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/state.h"
#include "tests/icd/tables.h"

namespace fake {

namespace {

// Where the pointers lead that a loader or a program asks for by name.
PFN_vkVoidFunction entry_point(const char* name) {
  const tables::Entry* entry = tables::find_entry(name);
  if (entry == nullptr) return nullptr;
  // Window systems have no place in here.
  for (const tables::Origin& origin : entry->origins) {
    unsigned major = 0, minor = 0;
    if (std::sscanf(origin.feature, "VK_VERSION_%u_%u", &major, &minor) == 2 || has_extension(origin.feature))
      return entry->function;
  }
  return nullptr;
}

VkResult version(Call&, args_vkEnumerateInstanceVersion& a) {
  *a.pApiVersion = api_version();
  return VK_SUCCESS;
}

VkResult instance_extensions_(Call&, args_vkEnumerateInstanceExtensionProperties& a) {
  if (a.pLayerName != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
  return fill_list(extension_list(false), a.pPropertyCount, a.pProperties);
}
VkResult device_extensions_(Call&, args_vkEnumerateDeviceExtensionProperties& a) {
  if (a.pLayerName != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
  return fill_list(extension_list(true), a.pPropertyCount, a.pProperties);
}
VkResult instance_layers(Call&, args_vkEnumerateInstanceLayerProperties& a) {
  return fill_list(std::vector<VkLayerProperties>{}, a.pPropertyCount, a.pProperties);
}
VkResult device_layers(Call&, args_vkEnumerateDeviceLayerProperties& a) {
  return fill_list(std::vector<VkLayerProperties>{}, a.pPropertyCount, a.pProperties);
}

VkResult create_instance(Call&, args_vkCreateInstance& a) {
  const VkInstanceCreateInfo& info = *a.pCreateInfo;
  auto instance = std::make_shared<Instance>();
  if (info.pApplicationInfo != nullptr && info.pApplicationInfo->apiVersion != 0)
    instance->api_version = info.pApplicationInfo->apiVersion;
  if (VK_API_VERSION_MINOR(instance->api_version) > settings().newest_instance) return VK_ERROR_INCOMPATIBLE_DRIVER;
  for (std::uint32_t i = 0; i < info.enabledExtensionCount; ++i) {
    instance->extensions.emplace_back(info.ppEnabledExtensionNames[i]);
    if (!has_extension(info.ppEnabledExtensionNames[i], false)) return VK_ERROR_EXTENSION_NOT_PRESENT;
  }
  *a.pInstance = as_handle<VkInstance>(publish(instance, nullptr));
  note_instance();
  order::begin_instance();
  for (std::uint32_t i = 0; i < settings().devices; ++i) {
    auto physical = std::make_shared<PhysicalDevice>();
    physical->index = i;
    publish(physical, instance);
    instance->physical_devices.push_back(std::move(physical));
  }
  return VK_SUCCESS;
}

void check_destroy_instance(Call&, const args_vkDestroyInstance& a) {
  const auto instance = get<Instance>(a.instance);
  if (instance == nullptr) return;
  for (const auto& object : objects_of(*instance)) {
    // These end with it.
    if (object->type == HandleType::VkPhysicalDevice || object->type == HandleType::VkDisplayKHR ||
        object->type == HandleType::VkDisplayModeKHR)
      continue;
    if (object->type == HandleType::VkDevice || settings().leaks)
      violation(std::string("a ") + rondo::codec::info(object->type).name + " of the instance is still alive");
  }
}

void destroy_instance(Call&, args_vkDestroyInstance& a) {
  const auto instance = get<Instance>(a.instance);
  if (instance == nullptr) return;
  instance->physical_devices.clear();
  for (const auto& object : objects_of(*instance)) retire(object->type, object->handle);
  retire(Instance::kType, instance->handle);
}

VkResult physical_devices(Call&, args_vkEnumeratePhysicalDevices& a) {
  std::vector<VkPhysicalDevice> all;
  for (const auto& device : get<Instance>(a.instance)->physical_devices)
    all.push_back(as_handle<VkPhysicalDevice>(device->handle));
  return fill_list(all, a.pPhysicalDeviceCount, a.pPhysicalDevices);
}

VkResult groups(Call&, args_vkEnumeratePhysicalDeviceGroups& a) {
  const auto instance = get<Instance>(a.instance);
  const auto total = static_cast<std::uint32_t>(instance->physical_devices.size());
  if (a.pPhysicalDeviceGroupProperties == nullptr) {
    *a.pPhysicalDeviceGroupCount = total;
    return VK_SUCCESS;
  }
  const std::uint32_t count = std::min(total, *a.pPhysicalDeviceGroupCount);
  for (std::uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceGroupProperties& group = a.pPhysicalDeviceGroupProperties[i];
    group.physicalDeviceCount = 1;
    group.physicalDevices[0] = as_handle<VkPhysicalDevice>(instance->physical_devices[i]->handle);
    group.subsetAllocation = VK_FALSE;
  }
  *a.pPhysicalDeviceGroupCount = count;
  return count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

PFN_vkVoidFunction instance_entry(Call&, args_vkGetInstanceProcAddr& a) {
  return get_instance_proc_addr(a.instance, a.pName);
}

PFN_vkVoidFunction device_entry(Call& call, args_vkGetDeviceProcAddr& a) {
  const tables::Entry* entry = tables::find_entry(a.pName);
  if (entry == nullptr || rondo::codec::info(entry->id).level != rondo::codec::Level::device) return nullptr;
  Call other = call;
  other.id = entry->id;
  const auto* instance = static_cast<const Instance*>(call.device->physical->parent.get());
  return is_enabled(other, instance) ? entry_point(a.pName) : nullptr;
}

}  // namespace

PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance, const char* name) { return entry_point(name); }

void install_instance(Table& table) {
  table.behave<version>(CommandId::vkEnumerateInstanceVersion);
  table.behave<instance_extensions_>(CommandId::vkEnumerateInstanceExtensionProperties);
  table.behave<device_extensions_>(CommandId::vkEnumerateDeviceExtensionProperties);
  table.behave<instance_layers>(CommandId::vkEnumerateInstanceLayerProperties);
  table.behave<device_layers>(CommandId::vkEnumerateDeviceLayerProperties);
  table.behave<create_instance>(CommandId::vkCreateInstance);
  table.check<check_destroy_instance>(CommandId::vkDestroyInstance);
  table.behave<destroy_instance>(CommandId::vkDestroyInstance);
  table.behave<physical_devices>(CommandId::vkEnumeratePhysicalDevices);
  table.behave<groups>(CommandId::vkEnumeratePhysicalDeviceGroups);
  table.behave<instance_entry>(CommandId::vkGetInstanceProcAddr);
  table.behave<device_entry>(CommandId::vkGetDeviceProcAddr);
}

}  // namespace fake
