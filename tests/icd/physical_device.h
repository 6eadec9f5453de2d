// SPDX-License-Identifier: Apache-2.0
// What the fake physical device says of itself. Private to tests/icd.
#pragma once

#include <vector>

#include "tests/icd/fake.h"
#include "tests/icd/objects.h"

namespace fake {

inline std::uint32_t api_version() { return VK_MAKE_API_VERSION(0, 1, settings().version, 239); }
inline constexpr std::uint32_t kMaxPushDescriptors = 32;

std::vector<VkExtensionProperties> extension_list(bool device);
bool has_extension(const char* name, bool device);
bool has_extension(const char* name);  // of either kind

// Graphics, compute and transfer with 2 queues; compute and transfer with 2; transfer.
std::vector<VkQueueFamilyProperties> queue_families();

VkPhysicalDeviceFeatures features();
VkPhysicalDeviceLimits limits();
VkPhysicalDeviceProperties properties(const PhysicalDevice& device);

// A structure of features that extends VkPhysicalDeviceFeatures2: which bits the
// device has. `structure` begins with sType.
void fill_features(VkBaseOutStructure* structure);
// One that extends VkPhysicalDeviceProperties2.
void fill_properties(const PhysicalDevice& device, VkBaseOutStructure* structure);

// The first feature asked for that the device lacks; null: none.
const char* missing_feature(const VkBaseInStructure* structure);
const char* missing_feature(const VkPhysicalDeviceFeatures& wanted);

VkFormatFeatureFlags2 linear_features(VkFormat format);
VkFormatFeatureFlags2 optimal_features(VkFormat format);
VkFormatFeatureFlags2 buffer_features(VkFormat format);

}  // namespace fake
