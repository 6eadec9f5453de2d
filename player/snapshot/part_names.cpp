// SPDX-License-Identifier: Apache-2.0
#include "player/snapshot/part_names.h"

#include <algorithm>

namespace rondo::player {

const char* aspect_text(VkImageAspectFlags aspect) {
  switch (aspect) {
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      return "depth";
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      return "stencil";
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return "plane0";
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return "plane1";
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return "plane2";
    default:
      return "color";
  }
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '#', '-');
  return name;
}

std::string part_file_name(const std::string& image, std::uint32_t mip, std::uint32_t layer,
                           VkImageAspectFlags aspect) {
  std::string name = file_name(image) + "-mip" + std::to_string(mip) + "-layer" + std::to_string(layer);
  if (aspect != VK_IMAGE_ASPECT_COLOR_BIT) name += std::string("-") + aspect_text(aspect);
  return name;
}

}  // namespace rondo::player
