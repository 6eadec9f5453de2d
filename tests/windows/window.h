// SPDX-License-Identifier: Apache-2.0
// A window of one of three window systems, for test programs that present to real ones.
#pragma once

#define VK_USE_PLATFORM_XCB_KHR
#define VK_USE_PLATFORM_XLIB_KHR
#define VK_USE_PLATFORM_WAYLAND_KHR
#include <memory>
#include <string>

#include "tests/programs/support.h"

namespace program {

class Window {
 public:
  virtual ~Window() = default;
  virtual VkSurfaceKHR create_surface(VkInstance instance) = 0;
  // As the user would: these return when the server has done it.
  virtual void resize(std::uint32_t width, std::uint32_t height) = 0;
  virtual void minimize() = 0;
  virtual void restore() = 0;
  // Closed under what the program has made of it. Not on Wayland, where only the program can.
  virtual void vanish() {}
};

// A connection to the server that DISPLAY or WAYLAND_DISPLAY names.
class WindowSystem {
 public:
  virtual ~WindowSystem() = default;
  virtual const char* surface_extension() const = 0;
  virtual std::unique_ptr<Window> create_window(std::uint32_t width, std::uint32_t height) = 0;
  // Whether a queue of this family can present there.
  virtual bool supports(VkPhysicalDevice physical, std::uint32_t family) = 0;
};

std::unique_ptr<WindowSystem> open_xcb();
std::unique_ptr<WindowSystem> open_xlib();
std::unique_ptr<WindowSystem> open_wayland();

}  // namespace program
