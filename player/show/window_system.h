// SPDX-License-Identifier: Apache-2.0
// What a replay without windows leaves out: swapchains are plain images.
#pragma once

#include <string_view>

#include "format/vulkan.h"

namespace rondo::player {

// Instance and device extensions that exist for windows only: never enabled.
bool is_window_system_extension(std::string_view name);
// Extensions that change no result: enabled where the target has them.
bool is_optional_extension(std::string_view name);
// The other name of an extension that was renamed without a change and has no commands; empty if there is none. If the
// target has only the other name, the player enables that one.
std::string_view other_name(std::string_view extension);
// Takes such extensions' structures, and callbacks whose functions are not
// recorded, out of a pNext chain in place.
void strip_chain(const void** chain);
bool is_stripped_structure(VkStructureType type);

}  // namespace rondo::player
