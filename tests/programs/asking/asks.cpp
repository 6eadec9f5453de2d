// SPDX-License-Identifier: Apache-2.0
// asks WHAT: asks its device, in one of several ways, for what a captured program is not shown. Prints what it got.
//   list       only looks at the list of extensions, and makes a device
//   leave      looks at the list, and makes no device
//   features   whether the device has a feature of VK_NV_ray_tracing_motion_blur
//   unknown    whether it has the features of a structure that nobody knows
//   version    is made for Vulkan 1.9
//   enable     enables the feature protectedMemory
#include <string_view>

#include "../support.h"

using namespace program;

namespace {

struct StructureOfTomorrow {
  VkStructureType sType = static_cast<VkStructureType>(1000999000);
  void* pNext = nullptr;
  VkBool32 feature = VK_FALSE;
};

void list_extensions(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  CHECK(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr));
  std::printf("%u extensions\n", count);
}

void ask_for_features(VkPhysicalDevice physical, void* chain) {
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, chain, {}};
  vkGetPhysicalDeviceFeatures2(physical, &features);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const std::uint32_t version = what == "version" ? VK_MAKE_API_VERSION(0, 1, 9, 0) : VK_API_VERSION_1_1;
  const VkInstance instance = create_instance("asks", version);
  std::uint32_t count = 1;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0) return 1;
  list_extensions(physical);
  VkPhysicalDeviceRayTracingMotionBlurFeaturesNV blur{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_MOTION_BLUR_FEATURES_NV, nullptr, VK_FALSE, VK_FALSE};
  StructureOfTomorrow tomorrow;
  if (what == "features") ask_for_features(physical, &blur);
  if (what == "unknown") ask_for_features(physical, &tomorrow);
  std::printf("motion blur %u\n", blur.rayTracingMotionBlur);
  if (what == "leave") {
    vkDestroyInstance(instance, nullptr);
    return 0;
  }
  const Context c = create_device(instance, {});
  vkDestroyDevice(c.device, nullptr);
  vkDestroyInstance(instance, nullptr);
  return 0;
}
