// SPDX-License-Identifier: Apache-2.0
// Surfaces without a role: a compositor takes their buffers and shows nothing.
#include <wayland-client.h>

#include <string_view>

#include "window.h"

namespace program {

namespace {

class WaylandWindow : public Window {
 public:
  WaylandWindow(wl_display* display, wl_compositor* compositor)
      : display_(display), surface_(wl_compositor_create_surface(compositor)) {}
  ~WaylandWindow() override { wl_surface_destroy(surface_); }
  VkSurfaceKHR create_surface(VkInstance instance) override {
    VkWaylandSurfaceCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR;
    info.display = display_;
    info.surface = surface_;
    VkSurfaceKHR surface;
    CHECK(vkCreateWaylandSurfaceKHR(instance, &info, nullptr, &surface));
    return surface;
  }
  void resize(std::uint32_t, std::uint32_t) override {}  // it is as large as its buffers
  void minimize() override {}
  void restore() override {}

 private:
  wl_display* display_;
  wl_surface* surface_;
};

class WaylandSystem : public WindowSystem {
 public:
  WaylandSystem() : display_(wl_display_connect(nullptr)) {
    if (display_ == nullptr) die("wl_display_connect", 0);
    static constexpr wl_registry_listener listener{global, [](void*, wl_registry*, std::uint32_t) {}};
    registry_ = wl_display_get_registry(display_);
    wl_registry_add_listener(registry_, &listener, &compositor_);
    wl_display_roundtrip(display_);
    if (compositor_ == nullptr) die("no wl_compositor", 0);
  }
  ~WaylandSystem() override {
    wl_compositor_destroy(compositor_);
    wl_registry_destroy(registry_);
    wl_display_disconnect(display_);
  }
  const char* surface_extension() const override { return VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<Window> create_window(std::uint32_t, std::uint32_t) override {
    return std::make_unique<WaylandWindow>(display_, compositor_);
  }
  bool supports(VkPhysicalDevice physical, std::uint32_t family) override {
    return vkGetPhysicalDeviceWaylandPresentationSupportKHR(physical, family, display_) == VK_TRUE;
  }

 private:
  static void global(void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t) {
    if (std::string_view(interface) == wl_compositor_interface.name)
      *static_cast<wl_compositor**>(data) =
          static_cast<wl_compositor*>(wl_registry_bind(registry, name, &wl_compositor_interface, 1));
  }

  wl_display* display_;
  wl_registry* registry_ = nullptr;
  wl_compositor* compositor_ = nullptr;
};

}  // namespace

std::unique_ptr<WindowSystem> open_wayland() { return std::make_unique<WaylandSystem>(); }

}  // namespace program
