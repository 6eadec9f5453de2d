// SPDX-License-Identifier: Apache-2.0
#include <xcb/xcb.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "player/show/desktop/desktop.h"

namespace rondo::player {

namespace {

struct Xcb {
  decltype(&xcb_connect) connect;
  decltype(&xcb_disconnect) disconnect;
  decltype(&xcb_connection_has_error) connection_has_error;
  decltype(&xcb_get_file_descriptor) get_file_descriptor;
  decltype(&xcb_get_setup) get_setup;
  decltype(&xcb_setup_roots_iterator) setup_roots_iterator;
  decltype(&xcb_screen_next) screen_next;
  decltype(&xcb_generate_id) generate_id;
  decltype(&xcb_create_window) create_window;
  decltype(&xcb_destroy_window) destroy_window;
  decltype(&xcb_map_window) map_window;
  decltype(&xcb_configure_window) configure_window;
  decltype(&xcb_change_property) change_property;
  decltype(&xcb_intern_atom) intern_atom;
  decltype(&xcb_intern_atom_reply) intern_atom_reply;
  decltype(&xcb_get_input_focus) get_input_focus;
  decltype(&xcb_get_input_focus_reply) get_input_focus_reply;
  decltype(&xcb_poll_for_event) poll_for_event;

  Result<void> load() {
    DesktopLibrary library("libxcb.so.1", "libxcb1");
    library.load(connect, "xcb_connect");
    library.load(disconnect, "xcb_disconnect");
    library.load(connection_has_error, "xcb_connection_has_error");
    library.load(get_file_descriptor, "xcb_get_file_descriptor");
    library.load(get_setup, "xcb_get_setup");
    library.load(setup_roots_iterator, "xcb_setup_roots_iterator");
    library.load(screen_next, "xcb_screen_next");
    library.load(generate_id, "xcb_generate_id");
    library.load(create_window, "xcb_create_window");
    library.load(destroy_window, "xcb_destroy_window");
    library.load(map_window, "xcb_map_window");
    library.load(configure_window, "xcb_configure_window");
    library.load(change_property, "xcb_change_property");
    library.load(intern_atom, "xcb_intern_atom");
    library.load(intern_atom_reply, "xcb_intern_atom_reply");
    library.load(get_input_focus, "xcb_get_input_focus");
    library.load(get_input_focus_reply, "xcb_get_input_focus_reply");
    library.load(poll_for_event, "xcb_poll_for_event");
    return library.check();
  }
};

std::uint16_t size_of(std::uint32_t pixels) {
  constexpr std::uint32_t kMost = 32767;  // a protocol's limit
  return static_cast<std::uint16_t>(std::clamp(pixels, 1u, kMost));
}

class XcbDesktop;

class XcbWindow : public DesktopWindow {
 public:
  XcbWindow(XcbDesktop& desktop, VkExtent2D extent, const std::string& title);
  ~XcbWindow() override;
  VkResult create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) override;
  void resize(VkExtent2D extent) override;
  xcb_window_t id() const { return id_; }
  void close() { closed_ = true; }

 private:
  XcbDesktop& desktop_;
  const xcb_window_t id_;
};

class XcbDesktop : public Desktop {
 public:
  // An error where there is no server.
  Result<void> connect();
  ~XcbDesktop() override {
    if (drawing != nullptr) x.disconnect(drawing);
    if (connection != nullptr) x.disconnect(connection);
  }
  const char* surface_extension() const override { return VK_KHR_XCB_SURFACE_EXTENSION_NAME; }
  std::unique_ptr<DesktopWindow> create_window(VkExtent2D extent, const std::string& title) override {
    return std::make_unique<XcbWindow>(*this, extent, title);
  }
  void poll() override;
  void catch_up() override {
    finish();
    poll();
  }
  std::vector<int> sockets() const override {
    return {x.get_file_descriptor(connection), x.get_file_descriptor(drawing)};
  }
  // An answer to this comes behind all before it.
  void finish() { std::free(x.get_input_focus_reply(connection, x.get_input_focus(connection), nullptr)); }

  Xcb x{};
  xcb_connection_t* connection = nullptr;  // whose the windows are: a window manager may end it
  // The driver's, which outlives that: asked first, Mesa's takes some answers without looking whether
  // they came, and would crash where its connection ends meanwhile.
  xcb_connection_t* drawing = nullptr;
  const xcb_screen_t* screen = nullptr;
  xcb_atom_t protocols = XCB_ATOM_NONE, delete_window = XCB_ATOM_NONE;
  std::vector<XcbWindow*> windows;

 private:
  xcb_atom_t atom(const std::string& name);
  void take(const xcb_generic_event_t& event);
};

XcbWindow::XcbWindow(XcbDesktop& desktop, VkExtent2D extent, const std::string& title)
    : desktop_(desktop), id_(desktop.x.generate_id(desktop.connection)) {
  const Xcb& x = desktop_.x;
  extent_ = extent;
  const std::uint32_t values[] = {desktop_.screen->black_pixel, XCB_EVENT_MASK_STRUCTURE_NOTIFY};
  x.create_window(desktop_.connection, XCB_COPY_FROM_PARENT, id_, desktop_.screen->root, 0, 0, size_of(extent.width),
                  size_of(extent.height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, desktop_.screen->root_visual,
                  XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
  x.change_property(desktop_.connection, XCB_PROP_MODE_REPLACE, id_, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
                    static_cast<std::uint32_t>(title.size()), title.data());
  // A window manager asks before it closes it.
  x.change_property(desktop_.connection, XCB_PROP_MODE_REPLACE, id_, desktop_.protocols, XCB_ATOM_ATOM, 32, 1,
                    &desktop_.delete_window);
  x.map_window(desktop_.connection, id_);
  desktop_.finish();
  desktop_.windows.push_back(this);
}

XcbWindow::~XcbWindow() {
  std::erase(desktop_.windows, this);
  desktop_.x.destroy_window(desktop_.connection, id_);
  desktop_.finish();
}

VkResult XcbWindow::create_surface(VkInstance instance, const Dispatch& vk, VkSurfaceKHR* surface) {
  VkXcbSurfaceCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR;
  info.connection = desktop_.drawing;
  info.window = id_;
  return vk.vkCreateXcbSurfaceKHR(instance, &info, nullptr, surface);
}

void XcbWindow::resize(VkExtent2D extent) {
  extent_ = extent;
  const std::uint32_t values[] = {size_of(extent.width), size_of(extent.height)};
  desktop_.x.configure_window(desktop_.connection, id_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  desktop_.finish();
}

xcb_atom_t XcbDesktop::atom(const std::string& name) {
  const auto cookie = x.intern_atom(connection, 0, static_cast<std::uint16_t>(name.size()), name.data());
  xcb_intern_atom_reply_t* reply = x.intern_atom_reply(connection, cookie, nullptr);
  const xcb_atom_t found = reply != nullptr ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  std::free(reply);
  return found;
}

Result<void> XcbDesktop::connect() {
  RONDO_TRY(x.load());
  // A write to a connection that has ended is an error like others, also one of the driver's threads.
  std::signal(SIGPIPE, SIG_IGN);
  int number = 0;
  connection = x.connect(nullptr, &number);
  drawing = x.connect(nullptr, nullptr);
  if (x.connection_has_error(connection) != 0 || x.connection_has_error(drawing) != 0)
    return fail(Status::usage,
                "--window: the X server " + std::string(std::getenv("DISPLAY")) + " of DISPLAY cannot be reached");
  auto screens = x.setup_roots_iterator(x.get_setup(connection));
  for (; number > 0 && screens.rem > 1; --number) x.screen_next(&screens);
  screen = screens.data;
  protocols = atom("WM_PROTOCOLS");
  delete_window = atom("WM_DELETE_WINDOW");
  return {};
}

void XcbDesktop::take(const xcb_generic_event_t& event) {
  constexpr std::uint8_t kSent = 0x80;  // by another client
  xcb_window_t closed = XCB_WINDOW_NONE;
  switch (event.response_type & ~kSent) {
    case XCB_CLIENT_MESSAGE: {
      const auto& message = reinterpret_cast<const xcb_client_message_event_t&>(event);
      if (message.type == protocols && message.data.data32[0] == delete_window) closed = message.window;
      break;
    }
    case XCB_DESTROY_NOTIFY:
      closed = reinterpret_cast<const xcb_destroy_notify_event_t&>(event).window;
      break;
    default:
      break;
  }
  for (XcbWindow* window : windows)
    if (window->id() == closed) window->close();
}

void XcbDesktop::poll() {
  while (xcb_generic_event_t* event = x.poll_for_event(connection)) {
    take(*event);
    std::free(event);
  }
  // Errors of what the driver drew to a window that was gone.
  while (xcb_generic_event_t* event = x.poll_for_event(drawing)) std::free(event);
  if (x.connection_has_error(connection) != 0 || x.connection_has_error(drawing) != 0)
    for (XcbWindow* window : windows) window->close();
}

}  // namespace

Result<std::unique_ptr<Desktop>> open_xcb() {
  auto desktop = std::make_unique<XcbDesktop>();
  RONDO_TRY(desktop->connect());
  return desktop;
}

}  // namespace rondo::player
