// SPDX-License-Identifier: Apache-2.0
// How parts of images are called in indexes and in names of files.
#pragma once

#include <cstdint>
#include <string>

#include "format/vulkan.h"

namespace rondo::player {

// "color", "depth", "stencil", "plane0" to "plane2".
const char* aspect_text(VkImageAspectFlags aspect);

// An object's name, "VkImage#12", as a part of names of files: "VkImage-12".
std::string file_name(std::string name);

// "VkImage-12-mip0-layer3"; what is not color has its aspect behind that.
std::string part_file_name(const std::string& image, std::uint32_t mip, std::uint32_t layer, VkImageAspectFlags aspect);

}  // namespace rondo::player
