// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/vulkan_probe.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "analyzers/text/text.h"
#include "format/codec/extensions.h"
#include "format/printable.h"
#include "format/versions.h"
#include "format/vulkan.h"

namespace rondo::analyzers {

namespace {

struct Loader {
  PFN_vkGetInstanceProcAddr get = nullptr;
  std::string trouble;

  Loader() {
    void* library = ::dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      trouble = ::dlerror();
      return;
    }
    get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(::dlsym(library, "vkGetInstanceProcAddr"));
    if (get == nullptr) trouble = "libvulkan.so.1 has no vkGetInstanceProcAddr";
  }
  template <class F>
  F at(VkInstance instance, const char* name) const {
    return reinterpret_cast<F>(get(instance, name));
  }
  VkResult create(VkInstance& instance) const {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pApplicationName = "rondo doctor";
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    return at<PFN_vkCreateInstance>(nullptr, "vkCreateInstance")(&info, nullptr, &instance);
  }
};

std::string version_text(std::uint32_t version) {
  return text("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

const char* type_text(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

std::vector<std::string> device_extensions(const Loader& loader, VkInstance instance, VkPhysicalDevice device) {
  const auto enumerate =
      loader.at<PFN_vkEnumerateDeviceExtensionProperties>(instance, "vkEnumerateDeviceExtensionProperties");
  std::uint32_t count = 0;
  if (enumerate(device, nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> all(count);
  if (enumerate(device, nullptr, &count, all.data()) < 0) return {};
  all.resize(count);
  std::vector<std::string> names;
  for (const VkExtensionProperties& p : all) names.push_back(printable(fixed_text(p.extensionName)));
  std::sort(names.begin(), names.end());
  return names;
}

// The lines of one device, as vulkan_probe.h has them.
std::string device_lines(const VkPhysicalDeviceProperties& p, const std::vector<std::string>& extensions) {
  std::string hidden, unknown;
  std::size_t shown = extensions.size();
  for (const std::string& name : extensions) {
    const codec::ExtensionInfo* const known = codec::extension_by_name(name);
    if (known != nullptr && known->supported) continue;
    shown -= 1;
    if (known != nullptr)
      append(hidden, "\n{}{}: {}", kHiddenLine, name, known->reason);
    else
      append(unknown, "{}{}", unknown.empty() ? "" : ", ", name);
  }
  std::string lines = text("\n{}{}, {}, Vulkan {}", kDeviceLine, printable(fixed_text(p.deviceName)),
                           type_text(p.deviceType), version_text(p.apiVersion));
  if (!is_recorded_version(p.apiVersion)) append(lines, " (captured programs see {})", version_text(kNewestVersion));
  append(lines, "; captured programs see {} of {} device extensions", shown, extensions.size());
  if (!unknown.empty()) append(lines, "\n{}{}", kUnknownLine, unknown);
  return lines + hidden;
}

bool maps_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with(real.string())) return true;
  return false;
}

}  // namespace

std::string probe_loader() {
  const Loader loader;
  if (loader.get == nullptr) return "bad " + loader.trouble;
  std::uint32_t version = VK_API_VERSION_1_0;
  const auto enumerate = loader.at<PFN_vkEnumerateInstanceVersion>(nullptr, "vkEnumerateInstanceVersion");
  if (enumerate != nullptr) enumerate(&version);
  return "ok " + version_text(version);
}

std::string probe_library(const std::string& path) {
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr ? "ok" : text("bad {}", ::dlerror());
}

std::string probe_driver(const std::string& manifest) {
  ::setenv("VK_DRIVER_FILES", manifest.c_str(), 1);
  ::setenv("VK_ICD_FILENAMES", manifest.c_str(), 1);  // loaders before 1.3.207
  const Loader loader;
  if (loader.get == nullptr) return "bad " + loader.trouble;
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult created = loader.create(instance);
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER) return "ok";  // nothing it could drive here
  if (created != VK_SUCCESS) return text("bad vkCreateInstance returned {}", static_cast<int>(created));
  const auto enumerate = loader.at<PFN_vkEnumeratePhysicalDevices>(instance, "vkEnumeratePhysicalDevices");
  const auto properties = loader.at<PFN_vkGetPhysicalDeviceProperties>(instance, "vkGetPhysicalDeviceProperties");
  VkPhysicalDevice devices[32];
  std::uint32_t count = 32;
  const VkResult listed = enumerate(instance, &count, devices);
  if (listed != VK_SUCCESS && listed != VK_INCOMPLETE)
    return listed == VK_ERROR_INITIALIZATION_FAILED
               ? "ok"
               : text("bad vkEnumeratePhysicalDevices returned {}", static_cast<int>(listed));
  std::string lines = "ok";
  for (std::uint32_t i = 0; i < count; ++i) {
    VkPhysicalDeviceProperties p{};
    properties(devices[i], &p);
    lines += device_lines(p, device_extensions(loader, instance, devices[i]));
  }
  return lines;
}

std::string probe_enabled(const std::string& library) {
  const Loader loader;
  if (loader.get == nullptr) return "bad " + loader.trouble;
  VkInstance instance = VK_NULL_HANDLE;
  const VkResult created = loader.create(instance);
  if (maps_file(library)) return "ok";
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER) return text("bad {}", kNoDriver);
  if (created != VK_SUCCESS) return text("bad vkCreateInstance returned {}", static_cast<int>(created));
  return "bad the loader did not load it";
}

}  // namespace rondo::analyzers
