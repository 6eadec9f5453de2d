// SPDX-License-Identifier: Apache-2.0
// Prints what the instance and the first device offer: a line each for layers,
// extensions and for the features that a structure of Vulkan 1.0 to 1.3 has.
#include "support.h"

using namespace program;

namespace {

template <class Structure>
void print_bits(const char* name, const Structure& structure, std::size_t from) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&structure);
  for (std::size_t at = from; at + sizeof(VkBool32) <= sizeof structure; at += sizeof(VkBool32)) {
    VkBool32 bit;
    std::memcpy(&bit, bytes + at, sizeof bit);
    std::printf("feature %s %zu %u\n", name, (at - from) / sizeof bit, bit);
  }
}

}  // namespace

int main() {
  std::uint32_t count = 0;
  CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> extensions(count);
  CHECK(vkEnumerateInstanceExtensionProperties(nullptr, &count, extensions.data()));
  for (const auto& extension : extensions) std::printf("instance %s\n", extension.extensionName);

  CHECK(vkEnumerateInstanceLayerProperties(&count, nullptr));
  std::vector<VkLayerProperties> layers(count);
  CHECK(vkEnumerateInstanceLayerProperties(&count, layers.data()));
  for (const auto& layer : layers) std::printf("layer %s\n", layer.layerName);

  Context c = create_context("surface", 1, VK_API_VERSION_1_3);
  CHECK(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, nullptr));
  extensions.resize(count);
  CHECK(vkEnumerateDeviceExtensionProperties(c.physical, nullptr, &count, extensions.data()));
  for (const auto& extension : extensions) std::printf("device %s\n", extension.extensionName);

  VkPhysicalDeviceVulkan13Features f13{};
  f13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  VkPhysicalDeviceVulkan12Features f12{};
  f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  f12.pNext = &f13;
  VkPhysicalDeviceVulkan11Features f11{};
  f11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  f11.pNext = &f12;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &f11;
  vkGetPhysicalDeviceFeatures2(c.physical, &features);
  print_bits("1.0", features.features, 0);
  print_bits("1.1", f11, sizeof(VkBaseOutStructure));
  print_bits("1.2", f12, sizeof(VkBaseOutStructure));
  print_bits("1.3", f13, sizeof(VkBaseOutStructure));
  destroy(c);
  return 0;
}
