// SPDX-License-Identifier: Apache-2.0
#include "format/build.h"

#include "commit.h"
#include "format/container.h"
#include "format/vulkan.h"

namespace rondo {

std::string version_line(std::string_view program) {
  constexpr std::uint32_t registry = VK_HEADER_VERSION_COMPLETE;
  const auto dotted = [](std::uint32_t major, std::uint32_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  return std::string(program) + " " RONDO_VERSION ", commit " RONDO_COMMIT ", format " +
         dotted(kVersionMajor, kVersionMinor) + ", Vulkan registry " +
         dotted(VK_API_VERSION_MAJOR(registry), VK_API_VERSION_MINOR(registry)) + "." +
         std::to_string(VK_API_VERSION_PATCH(registry));
}

}  // namespace rondo
