// SPDX-License-Identifier: Apache-2.0
// Surfaces of the driver's door (door.h). Of drivers with an interface before 3, or without the command, the loader
// makes them itself ("Loader and driver interface", VkIcdSurface): the driver is only told of them when it uses one. A
// replay has no surfaces, only what names them.
#pragma once

#include <vulkan/vulkan_core.h>

namespace rondo::layer {

// Any thread. Made, or destroyed, by the driver.
void know_surface(VkSurfaceKHR surface);
void forget_surface(VkSurfaceKHR surface);
// True once of each that nobody knows: a record of a surface without a window is to stand for it. (Of the loader's
// nobody says when they are destroyed; another one with the value of an old one is the same to a replay.)
bool needs_stand_in(VkSurfaceKHR surface);

}  // namespace rondo::layer
