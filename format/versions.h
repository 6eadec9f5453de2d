// SPDX-License-Identifier: Apache-2.0
// Versions of Vulkan that older headers have no name for.
#pragma once

#include <cstdint>

#include "format/vulkan.h"

namespace rondo {

inline constexpr std::uint32_t kVulkan14 = VK_MAKE_API_VERSION(0, 1, 4, 0);

}  // namespace rondo
