// SPDX-License-Identifier: Apache-2.0
#include <X11/Xlib.h>
#include <X11/Xutil.h>

#include "window.h"

namespace program {

namespace {

class XlibWindow : public Window {
 public:
  XlibWindow(Display* display, std::uint32_t width, std::uint32_t height)
      : display_(display),
        window_(XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, width, height, 0, 0, 0)) {
    restore();
  }
  ~XlibWindow() override {
    XDestroyWindow(display_, window_);
    XSync(display_, False);
  }
  VkSurfaceKHR create_surface(VkInstance instance) override {
    VkXlibSurfaceCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR;
    info.dpy = display_;
    info.window = window_;
    VkSurfaceKHR surface;
    CHECK(vkCreateXlibSurfaceKHR(instance, &info, nullptr, &surface));
    return surface;
  }
  void resize(std::uint32_t width, std::uint32_t height) override {
    XResizeWindow(display_, window_, width, height);
    XSync(display_, False);
  }
  void minimize() override {
    XUnmapWindow(display_, window_);
    XSync(display_, False);
  }
  void restore() override {
    XMapWindow(display_, window_);
    XSync(display_, False);
  }
  void vanish() override {
    // Errors that nobody takes end the process.
    XSetErrorHandler([](Display*, XErrorEvent*) { return 0; });
    XDestroyWindow(display_, window_);
    XSync(display_, False);
  }

 private:
  Display* display_;
  ::Window window_;
};

class XlibSystem : public WindowSystem {
 public:
  XlibSystem() {
    XInitThreads();
    display_ = XOpenDisplay(nullptr);
    if (display_ == nullptr) die("XOpenDisplay", 0);
  }
  ~XlibSystem() override { XCloseDisplay(display_); }
  const char* surface_extension() const override { return VK_KHR_XLIB_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<Window> create_window(std::uint32_t width, std::uint32_t height) override {
    return std::make_unique<XlibWindow>(display_, width, height);
  }
  bool supports(VkPhysicalDevice physical, std::uint32_t family) override {
    const VisualID visual = XVisualIDFromVisual(DefaultVisual(display_, DefaultScreen(display_)));
    return vkGetPhysicalDeviceXlibPresentationSupportKHR(physical, family, display_, visual) == VK_TRUE;
  }

 private:
  Display* display_ = nullptr;
};

}  // namespace

std::unique_ptr<WindowSystem> open_xlib() { return std::make_unique<XlibSystem>(); }

}  // namespace program
