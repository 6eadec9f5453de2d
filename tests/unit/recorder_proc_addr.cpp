// SPDX-License-Identifier: Apache-2.0
// Which commands programs get by name, over a driver that has them all.
#include <vulkan/vk_layer.h>

#include <string_view>

#include "layer/driver/entry.h"
#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

// Loaders put their table behind the first word of a dispatchable handle.
int g_table = 0;
void* g_object = &g_table;

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                               VkInstance* instance) {
  *instance = reinterpret_cast<VkInstance>(&g_object);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                             VkDevice* device) {
  *device = reinterpret_cast<VkDevice>(&g_object);
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice, VkPhysicalDeviceProperties* p) { *p = {}; }
VKAPI_ATTR void VKAPI_CALL memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* p) { *p = {}; }
VKAPI_ATTR void VKAPI_CALL no_families(VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties*) { *count = 0; }
VKAPI_ATTR VkResult VKAPI_CALL no_extensions(VkPhysicalDevice, const char*, std::uint32_t* count,
                                             VkExtensionProperties*) {
  *count = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL does_nothing() {}

template <class Function>
PFN_vkVoidFunction as_void(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL next_of_instance(VkInstance, const char* name) {
  const std::string_view text(name);
  if (text == "vkCreateInstance") return as_void(create_instance);
  if (text == "vkCreateDevice") return as_void(create_device);
  if (text == "vkGetPhysicalDeviceProperties") return as_void(properties);
  if (text == "vkGetPhysicalDeviceMemoryProperties") return as_void(memory);
  if (text == "vkGetPhysicalDeviceQueueFamilyProperties") return as_void(no_families);
  if (text == "vkEnumerateDeviceExtensionProperties") return as_void(no_extensions);
  return does_nothing;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL next_of_device(VkDevice, const char*) { return does_nothing; }

VkInstance instance_with(const std::vector<const char*>& extensions) {
  VkLayerInstanceLink beneath{nullptr, next_of_instance, next_of_instance};
  VkLayerInstanceCreateInfo link{};
  link.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO;
  link.function = VK_LAYER_LINK_INFO;
  link.u.pLayerInfo = &beneath;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pNext = &link;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkInstance instance = VK_NULL_HANDLE;
  if (hook_vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) ::_exit(2);
  return instance;
}

VkDevice device_with(const std::vector<const char*>& extensions) {
  VkLayerDeviceLink beneath{nullptr, next_of_instance, next_of_device};
  VkLayerDeviceCreateInfo link{};
  link.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  link.function = VK_LAYER_LINK_INFO;
  link.u.pLayerInfo = &beneath;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &link;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice device = VK_NULL_HANDLE;
  const auto physical = reinterpret_cast<VkPhysicalDevice>(&g_object);
  if (hook_vkCreateDevice(physical, &info, nullptr, &device) != VK_SUCCESS) ::_exit(3);
  return device;
}

constexpr char kHiddenOfInstances[] = "vkReleaseDisplayEXT";
constexpr char kHiddenOfDevices[] = "vkGetMemoryFdKHR";
constexpr char kFromTheFuture[] = "vkRondoFromTheFuture";

class RecordedProcAddr : public RecorderTest {
 protected:
  void expect(const std::function<bool()>& holds) {
    in_process(file("a.rondo"), [&] { ::_exit(holds() ? 0 : 1); });
  }
};

TEST_F(RecordedProcAddr, HiddenAndUnknownCommandsAreNull) {
  expect([] {
    const VkInstance instance = instance_with({});
    const VkDevice device = device_with({});
    return recording() && get_instance_proc_addr(instance, "vkEnumeratePhysicalDevices") != nullptr &&
           get_instance_proc_addr(instance, kHiddenOfInstances) == nullptr &&
           get_physical_device_proc_addr(instance, kHiddenOfInstances) == nullptr &&
           get_device_proc_addr(device, "vkQueueWaitIdle") != nullptr &&
           get_device_proc_addr(device, kHiddenOfDevices) == nullptr &&
           get_device_proc_addr(device, kFromTheFuture) == nullptr;
  });
}

// Layers above look for the next vkCreateDevice without an instance.
TEST_F(RecordedProcAddr, WhatMakesTheChainIsThereWithoutAnInstance) {
  expect([] {
    bool all = true;
    for (const char* name : {"vkCreateInstance", "vkCreateDevice", "vkDestroyDevice", "vkGetDeviceProcAddr"})
      all = all && get_instance_proc_addr(VK_NULL_HANDLE, name) != nullptr;
    return all && get_instance_proc_addr(VK_NULL_HANDLE, "vkEnumeratePhysicalDevices") == nullptr;
  });
}

// The loader fills its own tables with what it gets, and jumps there.
TEST_F(RecordedProcAddr, AnInstanceThatEnabledWhatWasHiddenGetsAllCommands) {
  expect([] {
    const VkInstance instance = instance_with({"VK_KHR_surface", "VK_KHR_display", "VK_EXT_direct_mode_display"});
    const VkDevice device = device_with({});
    return !recording() && get_instance_proc_addr(instance, kHiddenOfInstances) == does_nothing &&
           get_physical_device_proc_addr(instance, kHiddenOfInstances) == does_nothing &&
           get_device_proc_addr(device, kHiddenOfDevices) == does_nothing;
  });
}

TEST_F(RecordedProcAddr, ADeviceThatEnabledWhatWasHiddenGetsAllCommands) {
  expect([] {
    const VkInstance instance = instance_with({});
    const VkDevice device = device_with({"VK_KHR_external_memory_fd"});
    return !recording() && get_device_proc_addr(device, kHiddenOfDevices) == does_nothing &&
           get_device_proc_addr(device, kFromTheFuture) == does_nothing &&
           get_instance_proc_addr(instance, kHiddenOfInstances) == nullptr;
  });
}

// It is hidden from the next one just the same, whose commands must not be null either.
TEST_F(RecordedProcAddr, SoDoesOneThatIsMadeAfterTheRecordingStopped) {
  expect([] {
    instance_with({});
    stop_recording("a reason");
    return get_device_proc_addr(device_with({"VK_KHR_external_memory_fd"}), kHiddenOfDevices) == does_nothing;
  });
}

}  // namespace
}  // namespace rondo::layer::testing
