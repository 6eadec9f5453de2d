// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <wayland-client-core.h>

#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "player/show/desktop/desktop.h"

namespace {

struct Wayland {
  decltype(&wl_display_connect) display_connect;
  decltype(&wl_display_disconnect) display_disconnect;
  decltype(&wl_display_dispatch_pending) display_dispatch_pending;
  decltype(&wl_display_flush) display_flush;
  decltype(&wl_display_get_error) display_get_error;
  decltype(&wl_display_get_fd) display_get_fd;
  decltype(&wl_display_prepare_read) display_prepare_read;
  decltype(&wl_display_cancel_read) display_cancel_read;
  decltype(&wl_display_read_events) display_read_events;
  decltype(&wl_display_roundtrip) display_roundtrip;
  decltype(&wl_log_set_handler_client) log_set_handler_client;
  decltype(&wl_proxy_add_listener) proxy_add_listener;
  decltype(&wl_proxy_destroy) proxy_destroy;
  decltype(&wl_proxy_get_user_data) proxy_get_user_data;
  decltype(&wl_proxy_get_version) proxy_get_version;
  decltype(&wl_proxy_marshal_flags) proxy_marshal_flags;
  decltype(&wl_proxy_set_user_data) proxy_set_user_data;

  rondo::Result<void> load() {
    rondo::player::DesktopLibrary library("libwayland-client.so.0", "libwayland-client0");
    library.load(display_connect, "wl_display_connect");
    library.load(display_disconnect, "wl_display_disconnect");
    library.load(display_dispatch_pending, "wl_display_dispatch_pending");
    library.load(display_flush, "wl_display_flush");
    library.load(display_get_error, "wl_display_get_error");
    library.load(display_get_fd, "wl_display_get_fd");
    library.load(display_prepare_read, "wl_display_prepare_read");
    library.load(display_cancel_read, "wl_display_cancel_read");
    library.load(display_read_events, "wl_display_read_events");
    library.load(display_roundtrip, "wl_display_roundtrip");
    library.load(log_set_handler_client, "wl_log_set_handler_client");
    library.load(proxy_add_listener, "wl_proxy_add_listener");
    library.load(proxy_destroy, "wl_proxy_destroy");
    library.load(proxy_get_user_data, "wl_proxy_get_user_data");
    library.load(proxy_get_version, "wl_proxy_get_version");
    library.load(proxy_marshal_flags, "wl_proxy_marshal_flags");
    library.load(proxy_set_user_data, "wl_proxy_set_user_data");
    return library.check();
  }
};

Wayland wl{};

}  // namespace

// What the protocols' generated calls are made of is the library's that was opened.
#define wl_proxy_add_listener wl.proxy_add_listener
#define wl_proxy_destroy wl.proxy_destroy
#define wl_proxy_get_user_data wl.proxy_get_user_data
#define wl_proxy_get_version wl.proxy_get_version
#define wl_proxy_marshal_flags wl.proxy_marshal_flags
#define wl_proxy_set_user_data wl.proxy_set_user_data
#include "player/show/desktop/protocols.h"

namespace rondo::player {

namespace {

class WaylandDesktop;

class WaylandWindow : public DesktopWindow {
 public:
  WaylandWindow(WaylandDesktop& desktop, VkExtent2D extent, const std::string& title);
  ~WaylandWindow() override;
  VkResult create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) override;
  void resize(VkExtent2D extent) override { extent_ = extent; }  // it is as large as its buffers
  void close() { closed_ = true; }

 private:
  static void configure(void* window, xdg_surface* surface, std::uint32_t serial);
  static void configure_toplevel(void* window, xdg_toplevel*, std::int32_t width, std::int32_t height, wl_array*);
  static void close_toplevel(void* window, xdg_toplevel*) { static_cast<WaylandWindow*>(window)->close(); }

  WaylandDesktop& desktop_;
  wl_surface* surface_ = nullptr;
  xdg_surface* xdg_ = nullptr;
  xdg_toplevel* toplevel_ = nullptr;
  bool configured_ = false;
};

class WaylandDesktop : public Desktop {
 public:
  Result<void> connect();
  ~WaylandDesktop() override;
  const char* surface_extension() const override { return VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<DesktopWindow> create_window(VkExtent2D extent, const std::string& title) override {
    return std::make_unique<WaylandWindow>(*this, extent, title);
  }
  void poll() override;
  void catch_up() override { poll(); }  // the driver has no connection of its own
  std::vector<int> sockets() const override { return {wl.display_get_fd(display)}; }

  wl_display* display = nullptr;
  wl_registry* registry = nullptr;
  wl_compositor* compositor = nullptr;
  xdg_wm_base* shell = nullptr;
  std::vector<WaylandWindow*> windows;

 private:
  static void global(void* desktop, wl_registry* registry, std::uint32_t name, const char* interface,
                     std::uint32_t version);
  void read();
};

WaylandWindow::WaylandWindow(WaylandDesktop& desktop, VkExtent2D extent, const std::string& title) : desktop_(desktop) {
  static constexpr xdg_surface_listener configured{configure};
  static constexpr xdg_toplevel_listener changed = [] {
    xdg_toplevel_listener listener{};  // later versions of the protocol have more
    listener.configure = configure_toplevel;
    listener.close = close_toplevel;
    return listener;
  }();
  extent_ = extent;
  surface_ = wl_compositor_create_surface(desktop_.compositor);
  xdg_ = xdg_wm_base_get_xdg_surface(desktop_.shell, surface_);
  xdg_surface_add_listener(xdg_, &configured, this);
  toplevel_ = xdg_surface_get_toplevel(xdg_);
  xdg_toplevel_add_listener(toplevel_, &changed, this);
  xdg_toplevel_set_title(toplevel_, title.c_str());
  xdg_toplevel_set_app_id(toplevel_, "rondo-player");
  // No buffer may come before the first configure, which answers this.
  wl_surface_commit(surface_);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (wl.display_roundtrip(desktop_.display) >= 0 && !configured_ && std::chrono::steady_clock::now() < patience) {
  }
  desktop_.windows.push_back(this);
}

WaylandWindow::~WaylandWindow() {
  std::erase(desktop_.windows, this);
  xdg_toplevel_destroy(toplevel_);
  xdg_surface_destroy(xdg_);
  wl_surface_destroy(surface_);
  wl.display_flush(desktop_.display);
}

VkResult WaylandWindow::create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) {
  VkWaylandSurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR;
  info.display = desktop_.display;
  info.surface = surface_;
  return vk.vkCreateWaylandSurfaceKHR(instance, &info, nullptr, surface);
}

void WaylandWindow::configure(void* window, xdg_surface* surface, std::uint32_t serial) {
  xdg_surface_ack_configure(surface, serial);
  static_cast<WaylandWindow*>(window)->configured_ = true;
}

// Zero leaves the choice to us.
void WaylandWindow::configure_toplevel(void* window, xdg_toplevel*, std::int32_t width, std::int32_t height,
                                       wl_array*) {
  if (width > 0 && height > 0)
    static_cast<WaylandWindow*>(window)->extent_ = {static_cast<std::uint32_t>(width),
                                                    static_cast<std::uint32_t>(height)};
}

void WaylandDesktop::global(void* desktop, wl_registry* registry, std::uint32_t name, const char* interface,
                            std::uint32_t) {
  static constexpr xdg_wm_base_listener answers{
      [](void*, xdg_wm_base* shell, std::uint32_t serial) { xdg_wm_base_pong(shell, serial); }};
  auto& self = *static_cast<WaylandDesktop*>(desktop);
  const std::string_view wanted = interface;
  if (wanted == wl_compositor_interface.name)
    self.compositor = static_cast<wl_compositor*>(wl_registry_bind(registry, name, &wl_compositor_interface, 1));
  if (wanted == xdg_wm_base_interface.name && self.shell == nullptr) {
    self.shell = static_cast<xdg_wm_base*>(wl_registry_bind(registry, name, &xdg_wm_base_interface, 1));
    xdg_wm_base_add_listener(self.shell, &answers, nullptr);
  }
}

Result<void> WaylandDesktop::connect() {
  static constexpr wl_registry_listener globals{global, [](void*, wl_registry*, std::uint32_t) {}};
  RONDO_TRY(wl.load());
  wl.log_set_handler_client([](const char*, va_list) {});  // errors are one line, and ours
  display = wl.display_connect(nullptr);
  const std::string name = std::getenv("WAYLAND_DISPLAY");
  if (display == nullptr)
    return fail(Status::usage, "--window: the Wayland compositor " + name + " of WAYLAND_DISPLAY cannot be reached");
  registry = wl_display_get_registry(display);
  wl_registry_add_listener(registry, &globals, this);
  wl.display_roundtrip(display);
  if (compositor == nullptr || shell == nullptr)
    return fail(Status::device,
                "--window: the Wayland compositor " + name + " shows no windows of programs (it has no xdg_wm_base)");
  return {};
}

WaylandDesktop::~WaylandDesktop() {
  if (shell != nullptr) xdg_wm_base_destroy(shell);
  if (compositor != nullptr) wl_compositor_destroy(compositor);
  if (registry != nullptr) wl_registry_destroy(registry);
  if (display != nullptr) wl.display_disconnect(display);
}

void WaylandDesktop::read() {
  while (wl.display_prepare_read(display) != 0)
    if (wl.display_dispatch_pending(display) < 0) return;
  wl.display_flush(display);
  pollfd readable{wl.display_get_fd(display), POLLIN, 0};
  if (::poll(&readable, 1, 0) > 0)
    wl.display_read_events(display);
  else
    wl.display_cancel_read(display);
  wl.display_dispatch_pending(display);
}

void WaylandDesktop::poll() {
  read();
  if (wl.display_get_error(display) != 0)
    for (WaylandWindow* window : windows) window->close();
}

}  // namespace

Result<std::unique_ptr<Desktop>> open_wayland() {
  auto desktop = std::make_unique<WaylandDesktop>();
  RONDO_TRY(desktop->connect());
  return desktop;
}

}  // namespace rondo::player
