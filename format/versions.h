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

}  // namespace rondo
