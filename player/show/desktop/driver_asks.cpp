// SPDX-License-Identifier: Apache-2.0
#include "player/show/desktop/driver_asks.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

namespace rondo::player {

namespace {

// What the handler needs, made before: it may only make system calls.
struct sigaction before {};
std::vector<pollfd> sockets;
std::string message;

void on_crash(int, siginfo_t*, void*) {
  ::poll(sockets.data(), sockets.size(), 0);
  for (const pollfd& socket : sockets) {
    if ((socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) continue;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
    _exit(static_cast<int>(Status::failed));
  }
  ::sigaction(SIGSEGV, &before, nullptr);  // it comes again, and is what it would have been
}

}  // namespace

DriverAsks::DriverAsks(const Desktop& desktop, const std::string& where) {
  message = "player: " + where + "the window system went away while the driver asked it, which crashed\n";
  std::replace_if(
      message.begin(), message.end() - 1, [](unsigned char character) { return character < 0x20 || character == 0x7f; },
      '?');
  sockets.clear();
  for (const int socket : desktop.sockets()) sockets.push_back({socket, POLLRDHUP, 0});
  struct sigaction ours {};
  ours.sa_sigaction = on_crash;
  ours.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &ours, &before);
}

DriverAsks::~DriverAsks() { ::sigaction(SIGSEGV, &before, nullptr); }

}  // namespace rondo::player
