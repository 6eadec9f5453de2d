// SPDX-License-Identifier: Apache-2.0
// The thread has a table of descriptors of its own, with nothing but its sockets in it, as the
// recorder's has (File::keep_private): the program cannot close them, no child inherits them, no
// number of the program's is taken, and nothing of the program's is held open. So it writes to no
// file and no stderr, either: the capture's background thread does that. Where the kernel does not
// give it such a table (before Linux 5.9, or a filter), nobody listens.
// It makes no system call while nobody asks.
#include "layer/recorder/trigger.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <string>

#include "format/file.h"
#include "layer/recorder/frames.h"
#include "layer/recorder/log.h"
#include "layer/recorder/own_thread.h"
#include "layer/recorder/recorder.h"
#include "layer/recorder/trigger_words.h"

namespace rondo::layer {

namespace {

constexpr unsigned kCloseRangeUnshare = 1u << 1;  // linux/close_range.h, which older systems lack
constexpr int kStarting = 0, kListening = 1;      // else: an errno value, negative

std::atomic<int> g_state{kStarting};
// Set before the thread begins.
uid_t g_user = 0;
pid_t g_process = 0;
TriggerAddress g_address;  // another one before it listens, perhaps

// Another copy of this library, in this process, has the name by which `rondo trigger` finds it: this one is found by
// the process alone, at its end.
bool take_any_name(int listener) {
  socklen_t bytes = sizeof g_address.address;
  const sockaddr none{AF_UNIX, {}};
  if (::bind(listener, &none, sizeof none.sa_family) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&g_address.address), &bytes) != 0)
    return false;
  g_address.bytes = bytes;
  return true;
}

// A descriptor, or an errno value, negative.
int listen_here() {
  if (::syscall(SYS_close_range, 0u, ~0u, kCloseRangeUnshare) != 0) return -errno;
  const int listener = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (listener < 0) return -errno;
  if (::bind(listener, g_address.get(), g_address.bytes) != 0 && (errno != EADDRINUSE || !take_any_name(listener)))
    return -errno;
  if (::listen(listener, 4) != 0) return -errno;
  return listener;
}

// The same user's, or root's. What another may do to this process the kernel has decided already.
bool may_ask(int connection, pid_t& by) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || (peer.uid != g_user && peer.uid != 0))
    return false;
  by = peer.pid;
  return true;
}

// Who was told that nobody answers (this process may have been stopped) asks for nothing any more.
bool still_waits(int connection) {
  char none;
  return ::recv(connection, &none, sizeof none, MSG_PEEK | MSG_DONTWAIT) != 0;
}

std::string answer_to(std::string_view request, pid_t by) {
  if (request == kTriggerClose && by == g_process) {
    close_now();
    return std::string(kTriggerOk);
  }
  const auto count = parse_trigger(request);
  if (!count)
    return std::string(kTriggerNo) +
           "the layer in the program does not understand the request: it is of another version";
  const auto range = ask_for_frames(*count);
  if (!range) return std::string(kTriggerNo) + "the recording has ended already: " + capture_path();
  return std::string(kTriggerOk) + std::to_string(range->first) + ":" + std::to_string(range->last) + " " +
         capture_path();
}

void answer(int connection) {
  pid_t by = 0;
  if (!may_ask(connection, by)) return;
  const timeval a_second{1, 0};  // others may be waiting
  ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &a_second, sizeof a_second);
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &a_second, sizeof a_second);
  char request[64];
  const ssize_t bytes = ::recv(connection, request, sizeof request, 0);
  if (bytes <= 0 || !still_waits(connection)) return;
  try {
    const std::string text = answer_to({request, static_cast<std::size_t>(bytes)}, by);
    ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
  } catch (...) {  // no memory: who asked sees that nobody answered
  }
}

void serve() noexcept {
  ::pthread_setname_np(::pthread_self(), "rondo-trigger");
  const int listener = listen_here();
  g_state.store(listener < 0 ? listener : kListening);
  g_state.notify_all();
  while (listener >= 0) {
    const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (connection < 0) return;  // the table ends with the thread, and the socket with that
    answer(connection);
    ::close(connection);
  }
}

}  // namespace

std::optional<std::uint64_t> parse_trigger(std::string_view request) {
  if (!request.starts_with(kTriggerFrames)) return std::nullopt;
  const std::string_view digits = request.substr(kTriggerFrames.size());
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count == 0) return std::nullopt;
  return count;
}

void start_trigger() noexcept {
  g_user = ::getuid();
  g_process = ::getpid();
  const int before = errno;  // of the program
  g_address = trigger_address(g_user, g_process);
  int error = start_own_thread(serve);
  if (error == 0) {
    g_state.wait(kStarting);
    const int state = g_state.load();
    error = state < 0 ? -state : 0;
  }
  if (error != 0) log(LogLevel::info, "`rondo trigger` finds nobody here: " + errno_text(error));
  errno = before;
}

void close_through_trigger(unsigned milliseconds) noexcept {
  if (g_state.load() != kListening || g_process != ::getpid()) return;
  const int connection = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connection < 0) return;
  const timeval a_second{1, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &a_second, sizeof a_second);
  if (::connect(connection, g_address.get(), g_address.bytes) == 0 &&
      ::send(connection, kTriggerClose.data(), kTriggerClose.size(), MSG_NOSIGNAL) > 0)
    for (const std::uint64_t end = now_ns() + std::uint64_t{milliseconds} * 1'000'000;;) {
      const std::uint64_t now = now_ns();
      pollfd answer{connection, POLLIN, 0};
      if (now >= end || ::poll(&answer, 1, static_cast<int>((end - now) / 1'000'000 + 1)) >= 0 || errno != EINTR) break;
    }
  ::close(connection);
}

}  // namespace rondo::layer
