// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/door.h"

#include <dlfcn.h>
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cerrno>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generated/hooks.h"
#include "layer/driver/door_words.h"
#include "layer/driver/entry.h"
#include "layer/driver/loader_surfaces.h"
#include "layer/driver/state.h"
#include "layer/driver/visibility.h"
#include "layer/memory/kernel.h"
#include "layer/memory/space.h"
#include "layer/recorder/environment.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/log.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/trigger.h"

namespace rondo::layer {

namespace {

constexpr std::size_t kMostDrivers = 64;

// A place is another driver's once its driver's library was unloaded: nobody can use that any more. Read without the
// lock, by whoever uses the driver of a place.
std::mutex g_lock;
std::array<RondoDriver, kMostDrivers> g_drivers{};  // null: free

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
    const VkResult result = call == nullptr ? VK_ERROR_INITIALIZATION_FAILED : call(info, allocator, instance);
    if (result == VK_SUCCESS) guarded([&] { by_handle().forget(*instance); });
    return result;
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
  VkLayerDeviceLink link{
      nullptr, instance.next_get,
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
VKAPI_ATTR VkResult VKAPI_CALL device_groups(VkInstance instance, std::uint32_t* count,
                                             VkPhysicalDeviceGroupProperties* all) {
  return groups(hook_vkEnumeratePhysicalDeviceGroups, instance, count, all);
}
VKAPI_ATTR VkResult VKAPI_CALL device_groups_khr(VkInstance instance, std::uint32_t* count,
                                                 VkPhysicalDeviceGroupProperties* all) {
  return groups(hook_vkEnumeratePhysicalDeviceGroupsKHR, instance, count, all);
}

// Surfaces that the driver makes (loader_surfaces.h). Their commands are all alike.
template <auto hook>
struct MakesSurface;
template <class Info, VkResult(VKAPI_PTR* hook)(VkInstance, const Info*, const VkAllocationCallbacks*, VkSurfaceKHR*)>
struct MakesSurface<hook> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(VkInstance instance, const Info* info,
                                             const VkAllocationCallbacks* allocator, VkSurfaceKHR* surface) {
    const VkResult result = hook(instance, info, allocator, surface);
    if (result == VK_SUCCESS) guarded([&] { know_surface(*surface); });
    return result;
  }
};
VKAPI_ATTR void VKAPI_CALL destroy_surface(VkInstance instance, VkSurfaceKHR surface,
                                           const VkAllocationCallbacks* allocator) {
  guarded([&] { forget_surface(surface); });
  hook_vkDestroySurfaceKHR(instance, surface, allocator);
}

PFN_vkVoidFunction surface_command(std::string_view name) {
  if (name == "vkCreateXcbSurfaceKHR") return untyped(MakesSurface<hook_vkCreateXcbSurfaceKHR>::call);
  if (name == "vkCreateXlibSurfaceKHR") return untyped(MakesSurface<hook_vkCreateXlibSurfaceKHR>::call);
  if (name == "vkCreateWaylandSurfaceKHR") return untyped(MakesSurface<hook_vkCreateWaylandSurfaceKHR>::call);
  if (name == "vkCreateHeadlessSurfaceEXT") return untyped(MakesSurface<hook_vkCreateHeadlessSurfaceEXT>::call);
  if (name == "vkCreateDisplayPlaneSurfaceKHR") return untyped(MakesSurface<hook_vkCreateDisplayPlaneSurfaceKHR>::call);
  if (name == "vkDestroySurfaceKHR") return untyped(destroy_surface);
  return nullptr;
}

// What is asked before there is an instance, with what cannot be recorded left out.
VkResult extensions(const RondoDriver& driver, const char* layer, std::uint32_t* count,
                    VkExtensionProperties* properties) {
  const auto call =
      of<PFN_vkEnumerateInstanceExtensionProperties>(driver, VK_NULL_HANDLE, "vkEnumerateInstanceExtensionProperties");
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

// Whether no library has it any more. Asks the dynamic linker: under no lock, for libraries look drivers up in their
// constructors.
bool is_gone(PFN_vkGetInstanceProcAddr function) {
  Dl_info info;
  return ::dladdr(reinterpret_cast<void*>(function), &info) == 0;
}

// Its place, or kMostDrivers.
std::size_t place_of(const RondoDriver& driver) {
  const std::lock_guard guard(g_lock);
  const auto with = [](PFN_vkGetInstanceProcAddr function) {
    return std::find_if(g_drivers.begin(), g_drivers.end(),
                        [=](const RondoDriver& one) { return one.get_instance == function; });
  };
  auto place = with(driver.get_instance);
  if (place == g_drivers.end()) place = with(nullptr);
  if (place == g_drivers.end()) return kMostDrivers;
  // Another driver may have been loaded where one was.
  if (place->get_instance == nullptr || place->get_physical != driver.get_physical) *place = driver;
  return static_cast<std::size_t>(place - g_drivers.begin());
}

// Frees the places of drivers that are gone.
void forget_drivers() {
  std::array<RondoDriver, kMostDrivers> all;
  {
    const std::lock_guard guard(g_lock);
    all = g_drivers;
  }
  std::bitset<kMostDrivers> gone;
  for (std::size_t i = 0; i < kMostDrivers; ++i)
    gone[i] = all[i].get_instance != nullptr && is_gone(all[i].get_instance);
  const std::lock_guard guard(g_lock);
  for (std::size_t i = 0; i < kMostDrivers; ++i)
    if (gone[i] && g_drivers[i].get_instance == all[i].get_instance) g_drivers[i] = {};
}

// What a door gives out, apart from the hooks.
struct Own {
  PFN_vkGetInstanceProcAddr get;
  PFN_GetPhysicalDeviceProcAddr get_physical;
  PFN_vkCreateInstance create;
  PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
  PFN_vkEnumerateInstanceVersion enumerate_version;

  PFN_vkVoidFunction find(const RondoDriver& driver, std::string_view name) const {
    if (name == "vkGetInstanceProcAddr" || name == "vk_icdGetInstanceProcAddr") return untyped(get);
    if (name == "vk_icdGetPhysicalDeviceProcAddr")
      return driver.get_physical == nullptr ? nullptr : untyped(get_physical);
    if (name == "vkCreateInstance") return untyped(create);
    if (name == "vkEnumerateInstanceExtensionProperties") return untyped(enumerate_extensions);
    if (name == "vkEnumerateInstanceVersion") return untyped(enumerate_version);
    return nullptr;
  }
};

PFN_vkVoidFunction get_at(const RondoDriver& driver, const Own& own, VkInstance instance, const char* name) {
  const PFN_vkVoidFunction next = of(driver, instance, name);
  if (name == nullptr) return next;
  const std::string_view text(name);
  if (const PFN_vkVoidFunction mine = own.find(driver, text); mine != nullptr) return next == nullptr ? nullptr : mine;
  // Of no instance, or of one that is recorded above or not at all.
  if (instance == VK_NULL_HANDLE || by_handle().find(instance) == nullptr) return next;
  if (text == "vkCreateDevice") return untyped(create_device);
  if (text == "vkEnumeratePhysicalDevices") return untyped(physical_devices);
  const PFN_vkVoidFunction hook = get_instance_proc_addr(instance, name);
  if (hook == nullptr) return nullptr;
  if (const PFN_vkVoidFunction of_surfaces = surface_command(text); of_surfaces != nullptr) return of_surfaces;
  if (text == "vkEnumeratePhysicalDeviceGroups") return untyped(device_groups);
  if (text == "vkEnumeratePhysicalDeviceGroupsKHR") return untyped(device_groups_khr);
  return hook;
}

PFN_vkVoidFunction get_physical_at(const RondoDriver& driver, VkInstance instance, const char* name) {
  if (instance == VK_NULL_HANDLE || by_handle().find(instance) == nullptr) return driver.get_physical(instance, name);
  if (name != nullptr && std::string_view(name) == "vkCreateDevice") return untyped(create_device);
  return get_physical_device_proc_addr(instance, name);
}

// Of one driver: drivers are asked for functions without being told which of them is meant.
template <std::size_t I>
struct Door {
  static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
    return create_instance(g_drivers[I], info, allocator, instance);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(const char* layer, std::uint32_t* count,
                                                             VkExtensionProperties* properties) {
    return extensions(g_drivers[I], layer, count, properties);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL enumerate_version(std::uint32_t* out) { return version(g_drivers[I], out); }
  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get(VkInstance instance, const char* name) {
    static constexpr Own own{get, get_physical, create, enumerate_extensions, enumerate_version};
    return get_at(g_drivers[I], own, instance, name);
  }
  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_physical(VkInstance instance, const char* name) {
    return get_physical_at(g_drivers[I], instance, name);
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
    std::size_t i = place_of(*driver);
    if (i == kMostDrivers) {
      forget_drivers();
      i = place_of(*driver);
    }
    if (i == kMostDrivers) {
      static std::atomic<bool> told{false};
      if (!told.exchange(true))
        log(LogLevel::warn, "this process has opened " + std::to_string(kMostDrivers) +
                                " drivers: what it does with further ones is not recorded");
      return 0;
    }
    *instead = {kDoors[i].get_instance, driver->get_physical == nullptr ? nullptr : kDoors[i].get_physical};
    return 1;
  });
}

extern "C" [[gnu::visibility("default")]] void rondo_layer_meet(const RondoShared* shared) {
  rondo::layer::share_doors(shared);
}

extern "C" [[gnu::visibility("default")]] void rondo_layer_close(unsigned milliseconds) {
  if (rondo::layer::g_hot.writer != nullptr) rondo::layer::close_through_trigger(milliseconds);
}

// Mapped memory of ours that stands for private pages of a driver behaves as these would.
extern "C" [[gnu::visibility("default")]] int rondo_layer_advise(void* start, std::size_t bytes, int advice) {
  constexpr int kAskTheKernel = -1;
  constexpr std::uintptr_t begin = rondo::memory::reserved_base + rondo::memory::reserved_half;
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  if (at < begin || at - begin >= rondo::memory::reserved_half || at % rondo::memory::page_bytes != 0)
    return kAskTheKernel;
  const int before = errno;
  const int answer = rondo::layer::host_memory().advise(static_cast<std::byte*>(start), bytes, advice);
  errno = before;
  return answer;
}
