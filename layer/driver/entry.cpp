// SPDX-License-Identifier: Apache-2.0
// What the loader finds in the library: the version negotiation, the
// vkGet*ProcAddr functions. A hook is only returned for what the next layer
// has too, and hidden commands are null.
#include "layer/driver/entry.h"

#include <vulkan/vk_layer.h>

#include <string>
#include <string_view>

#include "format/codec/schema.h"
#include "generated/hooks.h"
#include "layer/driver/hidden.h"
#include "layer/driver/state.h"
#include "layer/driver/visibility.h"
#include "layer/recorder/recorder.h"

namespace rondo::layer {

namespace {

// Without these the chain would end here.
bool holds_the_chain(std::string_view name) {
  return name == "vkGetInstanceProcAddr" || name == "vkGetDeviceProcAddr" || name == "vkCreateInstance" ||
         name == "vkDestroyInstance" || name == "vkCreateDevice" || name == "vkDestroyDevice";
}

bool before_instances(std::string_view name) {
  return name == "vkCreateInstance" || name == "vkGetInstanceProcAddr" ||
         name == "vkEnumerateInstanceExtensionProperties" || name == "vkEnumerateInstanceLayerProperties" ||
         name == "vkEnumerateInstanceVersion";
}

// The hook of a command that the next layer has at `next`, or what the program gets instead.
PFN_vkVoidFunction choose(bool hides_nothing, const HookEntry* hook, std::string_view name, PFN_vkVoidFunction next) {
  if (next == nullptr) return nullptr;
  if (hides_nothing || !hiding()) return hook != nullptr && hook->function != nullptr ? hook->function : next;
  if (hook == nullptr) {
    hidden(name, kUnknownToBuild);
    return nullptr;
  }
  if (hook->function == nullptr) hidden(name, codec::info(hook->id).reason);
  return hook->function;
}

// The same for a table's handle. The loader gives out some commands (those of
// VK_EXT_debug_utils, enabled or not) only after the call that made the handle, and so
// after its table was filled: the hook finds them there all the same.
template <class Table, class Entry>
PFN_vkVoidFunction choose(Table& table, const Entry& entry, const HookEntry* hook, std::string_view name,
                          PFN_vkVoidFunction next) {
  const PFN_vkVoidFunction chosen = choose(entry.state->hides_nothing, hook, name, next);
  if (chosen != nullptr && chosen != next) table.complete(entry.key.load(std::memory_order_relaxed), hook->id, next);
  return chosen;
}

}  // namespace

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance instance, const char* name) {
  const HookEntry* hook = find_hook(name);
  const std::string_view text(name);
  // A program asks the loader, which lets only the first through; layers above ask for
  // vkCreateDevice this way, before they know their instance, and call it unseen.
  if (instance == VK_NULL_HANDLE)
    return (before_instances(text) || holds_the_chain(text)) && hook != nullptr ? hook->function : nullptr;
  if (text == "vk_layerGetPhysicalDeviceProcAddr")
    return reinterpret_cast<PFN_vkVoidFunction>(get_physical_device_proc_addr);
  if (hook != nullptr && holds_the_chain(text)) return hook->function;
  const InstanceEntry& entry = entry_of(instance);
  const PFN_vkVoidFunction next = entry.state->next_get(instance, name);
  if (forward_only()) return next;
  if (hook != nullptr && entry.state->added_extensions.contains(codec::info(hook->id).feature)) return nullptr;
  return choose(g_instances, entry, hook, text, next);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice device, const char* name) {
  const HookEntry* hook = find_hook(name);
  const std::string_view text(name);
  if (hook != nullptr && (text == "vkGetDeviceProcAddr" || text == "vkDestroyDevice")) return hook->function;
  const DeviceEntry& entry = entry_of(device);
  const PFN_vkVoidFunction next = entry.state->next_get(device, name);
  if (forward_only()) return next;
  if (hook != nullptr && entry.state->added_extensions.contains(codec::info(hook->id).feature)) return nullptr;
  return choose(g_devices, entry, hook, text, next);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical_device_proc_addr(VkInstance instance, const char* name) {
  if (instance == VK_NULL_HANDLE) return nullptr;
  const HookEntry* hook = find_hook(name);
  if (hook != nullptr && codec::info(hook->id).level != codec::Level::physical_device) return nullptr;
  const InstanceEntry& entry = entry_of(instance);
  if (entry.state->next_get_physical == nullptr) return nullptr;
  const PFN_vkVoidFunction next = entry.state->next_get_physical(instance, name);
  return forward_only() ? next : choose(entry.state->hides_nothing, hook, name, next);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_vkGetInstanceProcAddr(VkInstance instance, const char* pName) {
  return get_instance_proc_addr(instance, pName);
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hook_vkGetDeviceProcAddr(VkDevice device, const char* pName) {
  return get_device_proc_addr(device, pName);
}

}  // namespace rondo::layer

extern "C" {

[[gnu::visibility("default")]] VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation) {
  if (negotiation == nullptr || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      negotiation->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;
  negotiation->loaderLayerInterfaceVersion = 2;
  negotiation->pfnGetInstanceProcAddr = rondo::layer::get_instance_proc_addr;
  negotiation->pfnGetDeviceProcAddr = rondo::layer::get_device_proc_addr;
  negotiation->pfnGetPhysicalDeviceProcAddr = rondo::layer::get_physical_device_proc_addr;
  return VK_SUCCESS;
}

[[gnu::visibility("default")]] VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                                                              const char* name) {
  return rondo::layer::get_instance_proc_addr(instance, name);
}

[[gnu::visibility("default")]] VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device,
                                                                                            const char* name) {
  return rondo::layer::get_device_proc_addr(device, name);
}

[[gnu::visibility("default")]] VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_layerGetPhysicalDeviceProcAddr(VkInstance instance, const char* name) {
  return rondo::layer::get_physical_device_proc_addr(instance, name);
}
}
