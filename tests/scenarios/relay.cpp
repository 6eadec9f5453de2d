// SPDX-License-Identifier: Apache-2.0
#include "relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace scenario {

namespace {

int unix_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// Abstract, as clients look for it first: no file is left behind.
template <class Call>
bool with_address(int display, Call call) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "/tmp/.X11-unix/X" + std::to_string(display);
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return call(reinterpret_cast<const sockaddr*>(&address), bytes) == 0;
}

}  // namespace

Relay::Relay(const std::string& display, int parts, Ends ends)
    : server_(std::stoi(display.substr(1))), parts_(parts), ends_(ends), listening_(unix_socket()) {
  constexpr int kFirst = 1000, kLast = 1999;  // no server takes them by itself
  int number = kFirst;
  const auto bind = [this](auto* address, auto bytes) { return ::bind(listening_, address, bytes); };
  while (number <= kLast && !with_address(number, bind)) ++number;
  if (number > kLast || ::listen(listening_, 8) != 0 || ::pipe2(stop_, O_CLOEXEC) != 0)
    throw std::runtime_error("cannot listen as an X server does");
  display_ = ":" + std::to_string(number);
  thread_ = std::thread([this] { serve(); });
}

Relay::~Relay() {
  ::close(stop_[1]);
  thread_.join();
  for (Pair& pair : pairs_) end(pair);
  ::close(stop_[0]);
  ::close(listening_);
}

void Relay::end(Pair& pair) {
  if (pair.client >= 0) ::close(pair.client);
  if (pair.server >= 0) ::close(pair.server);
  pair = {};
}

bool Relay::pass(int from, int to) {
  std::array<char, 65536> bytes;
  const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  for (ssize_t done = 0; done < got;) {
    const ssize_t sent = ::send(to, bytes.data() + done, static_cast<std::size_t>(got - done), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    done += sent;
  }
  return true;
}

void Relay::accept_one() {
  Pair pair{::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC), unix_socket()};
  const auto connect = [&](auto* address, auto bytes) { return ::connect(pair.server, address, bytes); };
  if (!with_address(server_, connect)) end(pair);
  pairs_.push_back(pair);
}

void Relay::serve() {
  for (;;) {
    std::vector<pollfd> fds{{stop_[0], POLLIN, 0}, {listening_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      fds.push_back({pair.client, POLLIN, 0});
      fds.push_back({pair.server, POLLIN, 0});
    }
    if (::poll(fds.data(), fds.size(), -1) < 0) continue;
    if (fds[0].revents != 0) return;
    for (std::size_t i = 2; i < fds.size(); ++i) {
      Pair& pair = pairs_[i / 2 - 1];
      if (fds[i].revents == 0 || pair.client < 0) continue;
      const bool said = i % 2 == 1;  // by the server
      if (!pass(fds[i].fd, said ? pair.client : pair.server)) end(pair);
      if (!said || --parts_ != 0) continue;
      for (Pair& one : pairs_)
        if (ends_ == Ends::all || &one == &pairs_[0]) end(one);
    }
    if (fds[1].revents != 0) accept_one();
  }
}

}  // namespace scenario
