// SPDX-License-Identifier: Apache-2.0
// Sparse binding (chapter "Sparse Resources"): what a capture's binds ask of the pages of a
// resource, and whether a device has such pages. Pages stay where they were captured: a
// device whose pages are others is refused, before anything is submitted. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/objects.h"
#include "format/vulkan.h"

namespace rondo::player {

inline constexpr VkBool32 VkPhysicalDeviceFeatures::*kSparseFeatures[] = {
    &VkPhysicalDeviceFeatures::sparseBinding,           &VkPhysicalDeviceFeatures::sparseResidencyBuffer,
    &VkPhysicalDeviceFeatures::sparseResidencyImage2D,  &VkPhysicalDeviceFeatures::sparseResidencyImage3D,
    &VkPhysicalDeviceFeatures::sparseResidency2Samples, &VkPhysicalDeviceFeatures::sparseResidency4Samples,
    &VkPhysicalDeviceFeatures::sparseResidency8Samples, &VkPhysicalDeviceFeatures::sparseResidency16Samples,
    &VkPhysicalDeviceFeatures::sparseResidencyAliased};

struct SparseUse {
  std::set<ObjectId> memories;  // that it was bound to
  // Binds by bytes: where the last of them ends, and all places in it and in memory, or-ed.
  VkDeviceSize end = 0, places = 0;
  // Binds by tiles: mips below this one; the largest divisor of all offsets, and of extents that do not reach
  // an edge (0: of none); and for each extent how many bytes are left behind its place in memory, the fewest.
  std::uint32_t mips = 0;
  std::array<std::uint32_t, 3> tiles{};
  std::map<std::array<std::uint32_t, 3>, VkDeviceSize> room;
  VkImageAspectFlags aspects = 0;
  // As the captured program was told, by its last question; empty: it did not ask.
  std::vector<VkSparseImageMemoryRequirements> told;
};

// Why a device whose driver needs this for the resource cannot bind it as the capture does; empty: it can.
std::string sparse_shortfall(const SparseUse& use, const VkMemoryRequirements& needs,
                             std::span<const VkSparseImageMemoryRequirements> kinds);

}  // namespace rondo::player
