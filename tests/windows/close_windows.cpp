// SPDX-License-Identifier: Apache-2.0
// Closes every window of the X server that DISPLAY names, as soon as there is one:
//   close_windows ask        as a window manager does for its user
//   close_windows destroy    without asking
//   close_windows kill       with the connection of the program that opened it
#include <unistd.h>
#include <xcb/xcb.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<xcb_window_t> windows(xcb_connection_t* connection, xcb_window_t root) {
  std::vector<xcb_window_t> all;
  xcb_query_tree_reply_t* tree = xcb_query_tree_reply(connection, xcb_query_tree(connection, root), nullptr);
  if (tree == nullptr) return all;
  const xcb_window_t* children = xcb_query_tree_children(tree);
  all.assign(children, children + xcb_query_tree_children_length(tree));
  std::free(tree);
  return all;
}

xcb_atom_t atom(xcb_connection_t* connection, const std::string& name) {
  const auto cookie = xcb_intern_atom(connection, 0, static_cast<std::uint16_t>(name.size()), name.data());
  xcb_intern_atom_reply_t* reply = xcb_intern_atom_reply(connection, cookie, nullptr);
  const xcb_atom_t found = reply != nullptr ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  std::free(reply);
  return found;
}

void ask(xcb_connection_t* connection, xcb_window_t window) {
  xcb_client_message_event_t event{};
  event.response_type = XCB_CLIENT_MESSAGE;
  event.format = 32;
  event.window = window;
  event.type = atom(connection, "WM_PROTOCOLS");
  event.data.data32[0] = atom(connection, "WM_DELETE_WINDOW");
  xcb_send_event(connection, 0, window, XCB_EVENT_MASK_NO_EVENT, reinterpret_cast<const char*>(&event));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc == 2 ? argv[1] : "";
  xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
  if (xcb_connection_has_error(connection) != 0 || (how != "ask" && how != "destroy" && how != "kill")) return 1;
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
  std::vector<xcb_window_t> found;
  for (int i = 0; i < 3000 && found.empty(); ++i) {
    found = windows(connection, root);
    usleep(10'000);
  }
  for (const xcb_window_t window : found) {
    if (how == "ask")
      ask(connection, window);
    else if (how == "destroy")
      xcb_destroy_window(connection, window);
    else
      xcb_kill_client(connection, window);
  }
  // An answer to this comes behind all before it.
  std::free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nullptr));
  xcb_disconnect(connection);
  std::printf("%zu windows\n", found.size());
  return found.empty() ? 1 : 0;
}
