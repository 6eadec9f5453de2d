// SPDX-License-Identifier: Apache-2.0
#include <xcb/xcb.h>

#include "window.h"

namespace program {

namespace {

class XcbWindow : public Window {
 public:
  XcbWindow(xcb_connection_t* connection, const xcb_screen_t& screen, std::uint32_t width, std::uint32_t height)
      : connection_(connection), window_(xcb_generate_id(connection)) {
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen.root, 0, 0, static_cast<std::uint16_t>(width),
                      static_cast<std::uint16_t>(height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen.root_visual, 0,
                      nullptr);
    restore();
  }
  ~XcbWindow() override {
    xcb_destroy_window(connection_, window_);
    finish();
  }
  VkSurfaceKHR create_surface(VkInstance instance) override {
    VkXcbSurfaceCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR;
    info.connection = connection_;
    info.window = window_;
    VkSurfaceKHR surface;
    CHECK(vkCreateXcbSurfaceKHR(instance, &info, nullptr, &surface));
    return surface;
  }
  void resize(std::uint32_t width, std::uint32_t height) override {
    const std::uint32_t values[] = {width, height};
    xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
    finish();
  }
  void minimize() override {
    xcb_unmap_window(connection_, window_);
    finish();
  }
  void restore() override {
    xcb_map_window(connection_, window_);
    finish();
  }
  void vanish() override {
    xcb_destroy_window(connection_, window_);
    finish();
  }

 private:
  // An answer to this comes behind all before it.
  void finish() { std::free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr)); }

  xcb_connection_t* connection_;
  xcb_window_t window_;
};

class XcbSystem : public WindowSystem {
 public:
  XcbSystem() : connection_(xcb_connect(nullptr, nullptr)) {
    if (xcb_connection_has_error(connection_) != 0) die("xcb_connect", xcb_connection_has_error(connection_));
  }
  ~XcbSystem() override { xcb_disconnect(connection_); }
  const char* surface_extension() const override { return VK_KHR_XCB_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<Window> create_window(std::uint32_t width, std::uint32_t height) override {
    return std::make_unique<XcbWindow>(connection_, screen(), width, height);
  }
  bool supports(VkPhysicalDevice physical, std::uint32_t family) override {
    return vkGetPhysicalDeviceXcbPresentationSupportKHR(physical, family, connection_, screen().root_visual) == VK_TRUE;
  }

 private:
  const xcb_screen_t& screen() { return *xcb_setup_roots_iterator(xcb_get_setup(connection_)).data; }

  xcb_connection_t* connection_;
};

}  // namespace

std::unique_ptr<WindowSystem> open_xcb() { return std::make_unique<XcbSystem>(); }

}  // namespace program
