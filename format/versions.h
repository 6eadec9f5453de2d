// SPDX-License-Identifier: Apache-2.0
// Versions: of Vulkan, where older headers have no name for them, and of drivers.
#pragma once

#include <cstdint>
#include <string>

#include "format/printable.h"
#include "format/vulkan.h"

namespace rondo {

// "llvmpipe, Mesa 22.3.6"; of a driver that says nothing of its version (SwiftShader) its name alone.
inline std::string driver_text(const VkPhysicalDeviceDriverProperties& driver) {
  std::string text(fixed_text(driver.driverName));
  const std::string_view version = fixed_text(driver.driverInfo);
  if (!text.empty() && !version.empty()) text += ", ";
  return text.append(version);
}

inline constexpr std::uint32_t kVulkan14 = VK_MAKE_API_VERSION(0, 1, 4, 0);

// The newest version of the API that is recorded: 1.4, or what the headers have, with their patch.
inline constexpr std::uint32_t kNewestVersion = VK_HEADER_VERSION_COMPLETE < VK_MAKE_API_VERSION(0, 1, 5, 0)
                                                    ? VK_HEADER_VERSION_COMPLETE
                                                    : VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION);

// The version without its patch, which adds nothing that has to be recorded.
constexpr std::uint32_t release_of(std::uint32_t version) {
  return VK_MAKE_API_VERSION(0, VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), 0);
}
constexpr bool is_recorded_version(std::uint32_t version) {
  return VK_API_VERSION_VARIANT(version) != 0 || release_of(version) <= release_of(kNewestVersion);
}

}  // namespace rondo
