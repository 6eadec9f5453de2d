// SPDX-License-Identifier: Apache-2.0
#include "layer/driver/describe_device.h"

#include "format/versions.h"
#include "generated/args.h"
#include "layer/recorder/guard.h"
#include "layer/recorder/record.h"

namespace rondo::layer {

namespace {

template <class Args>
void write(CommandId command, const Args& args) {
  ThreadState* const state = thread_state();
  if (state != nullptr && encode_payload(*state, command, &args, true)) commit(*state, command, kRecordByLayer);
}

// Chained in front of each other by hand: only what the device's version has.
template <class T>
T chained(VkStructureType type, void*& head) {
  T structure{};
  structure.sType = type;
  structure.pNext = head;
  return structure;
}

void properties(const DeviceState& device) {
  const Dispatch& vk = *device.next_instance;
  if (device.api_version < VK_API_VERSION_1_1) {
    VkPhysicalDeviceProperties v1{};
    vk.vkGetPhysicalDeviceProperties(device.physical, &v1);
    write(CommandId::vkGetPhysicalDeviceProperties, args_vkGetPhysicalDeviceProperties{device.physical, &v1});
    VkPhysicalDeviceFeatures features{};
    vk.vkGetPhysicalDeviceFeatures(device.physical, &features);
    write(CommandId::vkGetPhysicalDeviceFeatures, args_vkGetPhysicalDeviceFeatures{device.physical, &features});
    return;
  }
  void* head = nullptr;
  auto id = chained<VkPhysicalDeviceIDProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, head);
  head = &id;
  auto driver = chained<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, head);
  if (device.api_version >= VK_API_VERSION_1_2) head = &driver;
  auto meshes = chained<VkPhysicalDeviceMeshShaderPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT, head);
  if (device.next->vkCmdDrawMeshTasksEXT != nullptr) head = &meshes;
#ifdef VK_EXT_host_image_copy
  auto copies = chained<VkPhysicalDeviceHostImageCopyPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT, head);
  if (device.next->vkCopyMemoryToImageEXT != nullptr || device.api_version >= kVulkan14) head = &copies;
#endif
  auto all = chained<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, head);
  vk.vkGetPhysicalDeviceProperties2(device.physical, &all);
  write(CommandId::vkGetPhysicalDeviceProperties2, args_vkGetPhysicalDeviceProperties2{device.physical, &all});

  head = nullptr;
  auto v11 = chained<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, head);
  if (device.api_version >= VK_API_VERSION_1_2) head = &v11;
  auto v12 = chained<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, head);
  if (device.api_version >= VK_API_VERSION_1_2) head = &v12;
  auto v13 = chained<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, head);
  if (device.api_version >= VK_API_VERSION_1_3) head = &v13;
#ifdef VK_VERSION_1_4
  auto v14 = chained<VkPhysicalDeviceVulkan14Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES, head);
  if (device.api_version >= kVulkan14) head = &v14;
#endif
  auto features = chained<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, head);
  vk.vkGetPhysicalDeviceFeatures2(device.physical, &features);
  write(CommandId::vkGetPhysicalDeviceFeatures2, args_vkGetPhysicalDeviceFeatures2{device.physical, &features});
}

}  // namespace

void describe_physical_device(const DeviceState& device) noexcept {
  guarded([&] {
    properties(device);
    VkPhysicalDeviceMemoryProperties memory = device.memory;
    write(CommandId::vkGetPhysicalDeviceMemoryProperties,
          args_vkGetPhysicalDeviceMemoryProperties{device.physical, &memory});
    std::vector<VkQueueFamilyProperties> families = device.families;
    auto count = static_cast<std::uint32_t>(families.size());
    write(CommandId::vkGetPhysicalDeviceQueueFamilyProperties,
          args_vkGetPhysicalDeviceQueueFamilyProperties{device.physical, &count, families.data()});
  });
}

}  // namespace rondo::layer
