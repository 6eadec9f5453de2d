// SPDX-License-Identifier: Apache-2.0
#include "player/devices/loader.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "format/codec/schema.h"
#include "format/printable.h"
#include "player/devices/hints.h"

namespace rondo::player {

namespace {

template <class Pfn>
Pfn global(const Loader& loader, const char* name) {
  return reinterpret_cast<Pfn>(loader.get_instance_proc_addr(VK_NULL_HANDLE, name));
}

}  // namespace

Result<Loader> Loader::open() {
  void* library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return fail(Status::device, std::string("no Vulkan loader: ") + (why != nullptr ? why : "libvulkan.so.1") +
                                    "; install libvulkan1 and a driver" + driver_hint());
  }
  const auto entry = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (entry == nullptr)
    return fail(Status::device, "libvulkan.so.1 does not export vkGetInstanceProcAddr: it is not a Vulkan loader");
  return from(entry);
}

Result<Loader> Loader::from(PFN_vkGetInstanceProcAddr entry) {
  Loader loader;
  loader.get_instance_proc_addr = entry;
  if (auto version = global<PFN_vkEnumerateInstanceVersion>(loader, "vkEnumerateInstanceVersion"); version != nullptr)
    version(&loader.version);
  auto enumerate = global<PFN_vkEnumerateInstanceExtensionProperties>(loader, "vkEnumerateInstanceExtensionProperties");
  std::uint32_t count = 0;
  std::vector<VkExtensionProperties> properties;
  VkResult r = enumerate(nullptr, &count, nullptr);
  if (r >= 0) {
    properties.resize(count);
    r = enumerate(nullptr, &count, properties.data());
  }
  if (r < 0)
    return fail(Status::device, "the Vulkan loader cannot list its extensions (" + result_name(r) +
                                    "): is a driver installed?" + driver_hint());
  properties.resize(count);
  for (const VkExtensionProperties& p : properties) loader.extensions.emplace_back(fixed_text(p.extensionName));
  return loader;
}

bool Loader::has_extension(const std::string& name) const {
  return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
}

Result<void> Loader::check_validation_layer() const {
  auto enumerate = global<PFN_vkEnumerateInstanceLayerProperties>(*this, "vkEnumerateInstanceLayerProperties");
  std::uint32_t count = 0;
  std::vector<VkLayerProperties> layers;
  if (enumerate != nullptr && enumerate(&count, nullptr) >= 0) {
    layers.resize(count);
    if (enumerate(&count, layers.data()) < 0) count = 0;
    layers.resize(count);
  }
  for (const VkLayerProperties& layer : layers)
    if (std::strcmp(layer.layerName, "VK_LAYER_KHRONOS_validation") == 0) return {};
  return fail(Status::device,
              "--validate: VK_LAYER_KHRONOS_validation is not installed (Debian: vulkan-validationlayers)");
}

void ask_for_synchronization_validation() {
  std::string enables =
      "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT:"
      "VALIDATION_CHECK_ENABLE_SYNCHRONIZATION_VALIDATION_QUEUE_SUBMIT";
  if (const char* const given = std::getenv("VK_LAYER_ENABLES"); given != nullptr && *given != '\0')
    enables = std::string(given) + ":" + enables;
  ::setenv("VK_LAYER_ENABLES", enables.c_str(), 1);
}

std::string result_name(std::int64_t result) {
  const std::string_view name = codec::enumerant_name(EnumId::VkResult, result);
  return name.empty() ? "result " + std::to_string(result) : std::string(name);
}

}  // namespace rondo::player
