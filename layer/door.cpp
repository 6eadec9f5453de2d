// SPDX-License-Identifier: Apache-2.0
#include "layer/door.h"

#include <vulkan/vk_layer.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "generated/hooks.h"
#include "layer/door_words.h"
#include "layer/entry.h"
#include "layer/environment.h"
#include "layer/guard.h"
#include "layer/log.h"
#include "layer/recorder.h"
#include "layer/state.h"
#include "layer/trigger.h"
#include "layer/visibility.h"

namespace rondo::layer {

namespace {

constexpr std::size_t kMostDrivers = 16;

std::mutex g_lock;                                   // writers of the two below
std::array<RondoDriver, kMostDrivers> g_drivers{};   // the first g_count are there
std::atomic<std::size_t> g_count{0};

PFN_vkVoidFunction of(const RondoDriver& driver, VkInstance instance, const char* name) {
  return driver.get_instance(instance, name);
}
template <class Function>
Function of(const RondoDriver& driver, VkInstance instance, const char* name) {
  return reinterpret_cast<Function>(of(driver, instance, name));
}
template <class Function>
PFN_vkVoidFunction untyped(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

VkResult create_instance(const RondoDriver& driver, const VkInstanceCreateInfo* info,
                         const VkAllocationCallbacks* allocator, VkInstance* instance) {
  if (at_layers_door() || !wanted()) {
    const auto call = of<PFN_vkCreateInstance>(driver, VK_NULL_HANDLE, "vkCreateInstance");
    return call == nullptr ? VK_ERROR_INITIALIZATION_FAILED : call(info, allocator, instance);
  }
  VkLayerInstanceLink link{nullptr, driver.get_instance, driver.get_physical};
  VkLayerInstanceCreateInfo here{};
  here.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
  here.pNext = info->pNext;
  here.function = VK_LAYER_LINK_INFO;
  here.u.pLayerInfo = &link;
  VkInstanceCreateInfo linked = *info;
  linked.pNext = &here;
  const AtDriversDoor door;
  return hook_vkCreateInstance(&linked, allocator, instance);
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  const InstanceState& instance = *entry_of(physical).state;
  VkLayerDeviceLink link{nullptr, instance.next_get,
                         reinterpret_cast<PFN_vkGetDeviceProcAddr>(instance.next_get(instance.instance, "vkGetDeviceProcAddr"))};
  VkLayerDeviceCreateInfo here{};
  here.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  here.pNext = info->pNext;
  here.function = VK_LAYER_LINK_INFO;
  here.u.pLayerInfo = &link;
  VkDeviceCreateInfo linked = *info;
  linked.pNext = &here;
  const AtDriversDoor door;
  return hook_vkCreateDevice(physical, &linked, allocator, device);
}

void know(VkInstance instance, VkPhysicalDevice physical) {
  if (physical != VK_NULL_HANDLE) guarded([&] { by_handle().add(physical, &entry_of(instance)); });
}

VKAPI_ATTR VkResult VKAPI_CALL physical_devices(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
  const VkResult result = hook_vkEnumeratePhysicalDevices(instance, count, devices);
  for (std::uint32_t i = 0; result >= VK_SUCCESS && devices != nullptr && i < *count; ++i) know(instance, devices[i]);
  return result;
}

template <class Hook>
VkResult groups(Hook* hook, VkInstance instance, std::uint32_t* count, VkPhysicalDeviceGroupProperties* all) {
  const VkResult result = hook(instance, count, all);
  for (std::uint32_t i = 0; result >= VK_SUCCESS && all != nullptr && i < *count; ++i)
    for (std::uint32_t k = 0; k < all[i].physicalDeviceCount; ++k) know(instance, all[i].physicalDevices[k]);
  return result;
}
VKAPI_ATTR VkResult VKAPI_CALL device_groups(VkInstance instance, std::uint32_t* count, VkPhysicalDeviceGroupProperties* all) {
  return groups(hook_vkEnumeratePhysicalDeviceGroups, instance, count, all);
}
VKAPI_ATTR VkResult VKAPI_CALL device_groups_khr(VkInstance instance, std::uint32_t* count, VkPhysicalDeviceGroupProperties* all) {
  return groups(hook_vkEnumeratePhysicalDeviceGroupsKHR, instance, count, all);
}

// What is asked before there is an instance, with what cannot be recorded left out.
VkResult extensions(const RondoDriver& driver, const char* layer, std::uint32_t* count, VkExtensionProperties* properties) {
  const auto call = of<PFN_vkEnumerateInstanceExtensionProperties>(driver, VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties");
  if (call == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  if (!hiding()) return call(layer, count, properties);
  return guarded(VK_ERROR_OUT_OF_HOST_MEMORY, [&] {
    std::vector<VkExtensionProperties> all;
    const VkResult result =
        enumerate(all, [&](std::uint32_t* n, VkExtensionProperties* p) { return call(layer, n, p); });
    if (result != VK_SUCCESS) return result;
    hide_extensions(all);
    return answer(all, count, properties);
  });
}

VkResult version(const RondoDriver& driver, std::uint32_t* out) {
  const auto call = of<PFN_vkEnumerateInstanceVersion>(driver, VK_NULL_HANDLE, "vkEnumerateInstanceVersion");
  if (call == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const VkResult result = call(out);
  if (result == VK_SUCCESS && hiding()) *out = visible_version(*out);
  return result;
}

// Of one driver: drivers are asked for functions without being told which of them is meant.
template <std::size_t I>
struct Door {
  static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator, VkInstance* instance) {
    return create_instance(g_drivers[I], info, allocator, instance);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(const char* layer, std::uint32_t* count, VkExtensionProperties* properties) {
    return extensions(g_drivers[I], layer, count, properties);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL enumerate_version(std::uint32_t* out) { return version(g_drivers[I], out); }

  static PFN_vkVoidFunction own(std::string_view name) {
    if (name == "vkGetInstanceProcAddr" || name == "vk_icdGetInstanceProcAddr") return untyped(get);
    if (name == "vk_icdGetPhysicalDeviceProcAddr") return g_drivers[I].get_physical == nullptr ? nullptr : untyped(get_physical);
    if (name == "vkCreateInstance") return untyped(create);
    if (name == "vkEnumerateInstanceExtensionProperties") return untyped(enumerate_extensions);
    if (name == "vkEnumerateInstanceVersion") return untyped(enumerate_version);
    return nullptr;
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name) {
    const PFN_vkVoidFunction next = of(g_drivers[I], instance, name);
    if (name == nullptr) return next;
    const std::string_view text(name);
    if (const PFN_vkVoidFunction mine = own(text); mine != nullptr) return next == nullptr ? nullptr : mine;
    // Of no instance, or of one that is recorded above or not at all.
    if (instance == VK_NULL_HANDLE || by_handle().find(instance) == nullptr) return next;
    if (text == "vkCreateDevice") return untyped(create_device);
    if (text == "vkEnumeratePhysicalDevices") return untyped(physical_devices);
    const PFN_vkVoidFunction hook = get_instance_proc_addr(instance, name);
    if (hook == nullptr) return nullptr;
    if (text == "vkEnumeratePhysicalDeviceGroups") return untyped(device_groups);
    if (text == "vkEnumeratePhysicalDeviceGroupsKHR") return untyped(device_groups_khr);
    return hook;
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical(VkInstance instance, const char* name) {
    if (instance == VK_NULL_HANDLE || by_handle().find(instance) == nullptr) return g_drivers[I].get_physical(instance, name);
    if (name != nullptr && std::string_view(name) == "vkCreateDevice") return untyped(create_device);
    return get_physical_device_proc_addr(instance, name);
  }
};

template <std::size_t... I>
constexpr std::array<RondoDriver, sizeof...(I)> doors(std::index_sequence<I...>) {
  return {{{Door<I>::get, Door<I>::get_physical}...}};
}
constexpr auto kDoors = doors(std::make_index_sequence<kMostDrivers>());

}  // namespace

}  // namespace rondo::layer

extern "C" [[gnu::visibility("default")]] int rondo_layer_open_door(const RondoDriver* driver, char* const* environment,
                                                                    RondoDriver* instead) {
  using namespace rondo::layer;
  if (environment != nullptr) keep_environment(environment);
  if (!wanted()) return 0;
  return guarded(0, [&] {
    const std::lock_guard guard(g_lock);
    const std::size_t count = g_count.load(std::memory_order_relaxed);
    std::size_t i = 0;
    while (i < count && g_drivers[i].get_instance != driver->get_instance) ++i;
    if (i == kMostDrivers) {
      log(LogLevel::warn, "a process that opens more than 16 drivers: the further ones are not recorded");
      return 0;
    }
    if (i == count) {
      g_drivers[i] = *driver;
      g_count.store(count + 1, std::memory_order_release);
    }
    *instead = {kDoors[i].get_instance, driver->get_physical == nullptr ? nullptr : kDoors[i].get_physical};
    return 1;
  });
}

extern "C" [[gnu::visibility("default")]] void rondo_layer_meet(const RondoShared* shared) { rondo::layer::share_doors(shared); }

extern "C" [[gnu::visibility("default")]] void rondo_layer_close(unsigned milliseconds) {
  if (rondo::layer::g_hot.writer != nullptr) rondo::layer::close_through_trigger(milliseconds);
}
