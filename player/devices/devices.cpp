// SPDX-License-Identifier: Apache-2.0
#include "player/devices/devices.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "format/hex.h"
#include "format/printable.h"
#include "format/versions.h"
#include "player/devices/hints.h"
#include "player/lower_case.h"
#include "player/sandbox/sandbox.h"

namespace rondo::player {

namespace {

const char* type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "cpu";
    default:
      return "other";
  }
}

}  // namespace

std::string version_text(std::uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) + "." +
         std::to_string(VK_API_VERSION_PATCH(version));
}

bool LiveDevice::has_extension(const std::string& name) const {
  return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
}

PFN_vkVoidFunction LiveDevices::get(const char* name) const { return loader_->get_instance_proc_addr(instance_, name); }

LiveDevices::~LiveDevices() {
  if (instance_ != VK_NULL_HANDLE)
    reinterpret_cast<PFN_vkDestroyInstance>(get("vkDestroyInstance"))(instance_, nullptr);
}

Result<std::unique_ptr<LiveDevices>> LiveDevices::open(const Loader& loader) {
  std::unique_ptr<LiveDevices> self(new LiveDevices);
  self->loader_ = &loader;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "rondo player";
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  auto create =
      reinterpret_cast<PFN_vkCreateInstance>(loader.get_instance_proc_addr(VK_NULL_HANDLE, "vkCreateInstance"));
  // SwiftShader makes no instance of a version after 1.3, and a loader then leaves it out. Devices show what
  // they have of newer versions all the same.
  VkResult r = VK_ERROR_INCOMPATIBLE_DRIVER;
  for (const std::uint32_t version : {VK_API_VERSION_1_3, VK_API_VERSION_1_2, VK_API_VERSION_1_1, VK_API_VERSION_1_0}) {
    if (version > loader.version && version != VK_API_VERSION_1_0) continue;
    application.apiVersion = version;
    r = create(&info, nullptr, &self->instance_);
    if (r != VK_ERROR_INCOMPATIBLE_DRIVER) break;
  }
  if (r != VK_SUCCESS)
    return fail(Status::device, "no Vulkan instance can be made here (" + result_name(r) +
                                    "): is a driver installed (Debian: mesa-vulkan-drivers)?" + driver_hint());
  auto enumerate = reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(self->get("vkEnumeratePhysicalDevices"));
  std::uint32_t count = 0;
  std::vector<VkPhysicalDevice> handles;
  r = enumerate(self->instance_, &count, nullptr);
  if (r >= 0) {
    handles.resize(count);
    r = enumerate(self->instance_, &count, handles.data());
    handles.resize(count);
  }
  if (r < 0)
    return fail(Status::device, "the Vulkan devices cannot be listed (" + result_name(r) + ")" + driver_hint());
  const auto properties =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(self->get("vkGetPhysicalDeviceProperties"));
  const auto properties2 =
      reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(self->get("vkGetPhysicalDeviceProperties2"));
  const auto memory =
      reinterpret_cast<PFN_vkGetPhysicalDeviceMemoryProperties>(self->get("vkGetPhysicalDeviceMemoryProperties"));
  const auto families = reinterpret_cast<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
      self->get("vkGetPhysicalDeviceQueueFamilyProperties"));
  const auto extensions =
      reinterpret_cast<PFN_vkEnumerateDeviceExtensionProperties>(self->get("vkEnumerateDeviceExtensionProperties"));
  const auto features = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures>(self->get("vkGetPhysicalDeviceFeatures"));
  for (VkPhysicalDevice handle : handles) {
    LiveDevice device;
    device.handle = handle;
    VkPhysicalDeviceFeatures has{};
    features(handle, &has);
    device.counts_statistics = has.pipelineStatisticsQuery != VK_FALSE;
    properties(handle, &device.properties);
    memory(handle, &device.memory);
    families(handle, &count, nullptr);
    device.families.resize(count);
    families(handle, &count, device.families.data());
    if (extensions(handle, nullptr, &count, nullptr) >= 0) {
      std::vector<VkExtensionProperties> list(count);
      if (extensions(handle, nullptr, &count, list.data()) >= 0)
        for (std::uint32_t i = 0; i < count; ++i) device.extensions.emplace_back(fixed_text(list[i].extensionName));
    }
    if (device.properties.apiVersion >= VK_API_VERSION_1_1 && properties2 != nullptr) {
      VkPhysicalDeviceDriverProperties driver{};
      driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
      VkPhysicalDeviceIDProperties id{};
      id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
      VkPhysicalDeviceProperties2 all{};
      all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
      all.pNext = &id;
      const bool has_driver =
          device.properties.apiVersion >= VK_API_VERSION_1_2 || device.has_extension("VK_KHR_driver_properties");
      const auto ask = [&](auto& structure, bool there) {
        if (there) structure.pNext = std::exchange(all.pNext, &structure);
      };
      ask(driver, has_driver);
      VkPhysicalDeviceMaintenance4Properties sizes{};
      sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
      ask(sizes, device.properties.apiVersion >= VK_API_VERSION_1_3 || device.has_extension("VK_KHR_maintenance4"));
      VkPhysicalDevicePushDescriptorPropertiesKHR pushes{};
      pushes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR;
      ask(pushes,
          device.properties.apiVersion >= kVulkan14 || device.has_extension(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME));
      VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
      host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
      ask(host, device.has_extension(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
      VkPhysicalDeviceSubgroupSizeControlProperties subgroups{};
      subgroups.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
      ask(subgroups, device.properties.apiVersion >= VK_API_VERSION_1_3 ||
                         device.has_extension(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME));
      if (device.has_extension(VK_EXT_MESH_SHADER_EXTENSION_NAME))
        device.meshes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT;
      ask(device.meshes, device.meshes.sType != 0);
      device.descriptor_buffers.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
      ask(device.descriptor_buffers, device.has_extension(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME));
#ifdef VK_EXT_device_generated_commands
      device.generated_commands.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_PROPERTIES_EXT;
      ask(device.generated_commands, device.has_extension(VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME));
#endif
#ifdef VK_EXT_host_image_copy
      VkPhysicalDeviceHostImageCopyPropertiesEXT copies{};
      copies.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT;
      ask(copies,
          device.properties.apiVersion >= kVulkan14 || device.has_extension(VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME));
#endif
      properties2(handle, &all);
#ifdef VK_EXT_host_image_copy
      std::copy(std::begin(copies.optimalTilingLayoutUUID), std::end(copies.optimalTilingLayoutUUID),
                device.image_layout.begin());
#endif
#ifdef VK_EXT_device_generated_commands
      device.generated_commands.pNext = nullptr;
#endif
      device.descriptor_buffers.pNext = nullptr;
      device.meshes.pNext = nullptr;
      device.min_subgroup_size = subgroups.minSubgroupSize;
      device.max_subgroup_size = subgroups.maxSubgroupSize;
      if (host.minImportedHostPointerAlignment != 0) device.import_alignment = host.minImportedHostPointerAlignment;
      if (pushes.maxPushDescriptors != 0) device.max_push_descriptors = pushes.maxPushDescriptors;
      if (sizes.maxBufferSize != 0) device.max_buffer_size = sizes.maxBufferSize;
      std::copy(std::begin(id.deviceUUID), std::end(id.deviceUUID), device.uuid.begin());
      if (has_driver) device.driver = driver_text(driver);
    }
    self->devices_.push_back(std::move(device));
  }
  if (self->devices_.empty())
    return fail(Status::device,
                "no Vulkan device here: install a driver (Debian: mesa-vulkan-drivers)" + driver_hint());
  return self;
}

void LiveDevices::read_counters() {
  const auto get_features = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(get("vkGetPhysicalDeviceFeatures2"));
  const auto has_feature = [&](LiveDevice& device) {
    if (!device.has_extension(VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME) || get_features == nullptr ||
        device.properties.apiVersion < VK_API_VERSION_1_1)
      return false;
    VkPhysicalDevicePerformanceQueryFeaturesKHR counting{};
    counting.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR;
    VkPhysicalDeviceFeatures2 has{};
    has.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    has.pNext = &counting;
    get_features(device.handle, &has);
    device.counts_in_several_pools = counting.performanceCounterMultipleQueryPools != VK_FALSE;
    return counting.performanceCounterQueryPools != VK_FALSE;
  };
  // Others record no queries around commands, and reset none.
  const auto takes_queries = [](const VkQueueFamilyProperties& family) {
    return (family.queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0;
  };
  const auto enumerate =
      reinterpret_cast<EnumerateCounters>(get("vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR"));
  for (LiveDevice& device : devices_) {
    if (!has_feature(device) || !device.counters.empty()) continue;
    for (std::uint32_t family = 0; family < device.families.size(); ++family)
      device.counters.push_back(takes_queries(device.families[family])
                                    ? rondo::player::read_counters(enumerate, device.handle, family)
                                    : std::vector<Counter>());
    name_apart(device.counters);
  }
}

std::string LiveDevices::table() const {
  std::string text;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const LiveDevice& d = devices_[i];
    text += (i == 0 ? "" : "\n") + std::to_string(i) + "  " + printable(fixed_text(d.properties.deviceName)) + "  " +
            type_name(d.properties.deviceType) + "  Vulkan " + version_text(d.properties.apiVersion) + "  " +
            (d.driver.empty() ? "-" : printable(d.driver)) + "  " + hex_text(std::as_bytes(std::span(d.uuid)));
  }
  return text;
}

Result<std::size_t> LiveDevices::find(const std::string& wanted) const {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  const bool is_index = !wanted.empty() && end == wanted.data() + wanted.size();
  if (is_index && error == std::errc() && index < devices_.size()) return index;
  std::string plain = lower(wanted);
  plain.erase(std::remove(plain.begin(), plain.end(), '-'), plain.end());
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (hex_text(std::as_bytes(std::span(devices_[i].uuid))) == plain) return i;
  if (!wanted.empty() && !is_index)
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (lower(std::string(fixed_text(devices_[i].properties.deviceName))).find(lower(wanted)) != std::string::npos)
        return i;
  std::string names;
  for (std::size_t i = 0; i < devices_.size(); ++i)
    names +=
        (i == 0 ? "" : ", ") + std::to_string(i) + " " + std::string(fixed_text(devices_[i].properties.deviceName));
  return fail(Status::device,
              "no device " + (is_index ? "has index " + wanted : "is called '" + wanted + "'") +
                  "; this machine has: " + names +
                  (in_sandbox() ? "; player --list-devices lists those outside of the sandbox, too" : ""));
}

Result<std::size_t> LiveDevices::choose(const CapturedPhysicalDevice& captured, std::string& reason) const {
  if (captured.has_properties) {
    const VkPhysicalDeviceProperties& wanted = captured.properties;
    const auto same = [&](const VkPhysicalDeviceProperties& p, bool driver_too) {
      return p.vendorID == wanted.vendorID && p.deviceID == wanted.deviceID &&
             fixed_text(p.deviceName) == fixed_text(wanted.deviceName) &&
             (!driver_too || (p.driverVersion == wanted.driverVersion &&
                              std::memcmp(p.pipelineCacheUUID, wanted.pipelineCacheUUID, VK_UUID_SIZE) == 0));
    };
    for (const bool driver_too : {true, false})
      for (std::size_t i = 0; i < devices_.size(); ++i)
        if (same(devices_[i].properties, driver_too)) {
          reason = driver_too ? "the captured device and driver" : "the captured device with another driver";
          return i;
        }
    reason = "not the captured " + std::string(fixed_text(wanted.deviceName));
  } else {
    reason = "the capture does not say which device it had";
  }
  for (VkPhysicalDeviceType type : {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                    VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU})
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (devices_[i].properties.deviceType == type) return i;
  return std::size_t{0};
}

}  // namespace rondo::player
