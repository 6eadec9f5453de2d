// SPDX-License-Identifier: Apache-2.0
// Windows of this machine's window system, for --window. Its libraries are
// opened when they are asked for: the player starts without them. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format/result.h"
#include "format/vulkan.h"
#include "generated/dispatch.h"

namespace rondo::player {

// Surfaces made of it are destroyed before it is.
class DesktopWindow {
 public:
  virtual ~DesktopWindow() = default;
  virtual VkResult create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) = 0;
  virtual void resize(VkExtent2D extent) = 0;
  // Pixels: as large as a swapchain is made where its surface has no extent of its own.
  VkExtent2D extent() const { return extent_; }
  // By its user or its server, or because the server is gone.
  bool closed() const { return closed_; }

 protected:
  VkExtent2D extent_{};
  bool closed_ = false;
};

class Desktop {
 public:
  // The X server that DISPLAY names, else the Wayland compositor of WAYLAND_DISPLAY.
  static Result<std::unique_ptr<Desktop>> open();
  virtual ~Desktop() = default;
  virtual const char* surface_extension() const = 0;
  // The windows are destroyed before the desktop is.
  virtual std::unique_ptr<DesktopWindow> create_window(VkExtent2D extent, const std::string& title) = 0;
  // Takes what the server has said meanwhile; never waits.
  virtual void poll() = 0;
  // Takes all that the server said before it answered the driver; waits for its answer.
  virtual void catch_up() = 0;
  // Of its connections.
  virtual std::vector<int> sockets() const = 0;
};

Result<std::unique_ptr<Desktop>> open_xcb();
Result<std::unique_ptr<Desktop>> open_wayland();

// Functions of a shared library, by name. `package`: Debian's, for the error.
class DesktopLibrary {
 public:
  explicit DesktopLibrary(const char* file, const char* package);
  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(symbol(name));
  }
  Result<void> check() const;  // everything was there

 private:
  void* symbol(const char* name);

  std::string file_, package_, missing_;
  void* handle_;  // stays loaded: drivers use it, too
};

}  // namespace rondo::player
