// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "analyzers/launch/launch.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

[[noreturn]] void run_child(const std::function<std::string()>& work, int out) {
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere >= 0) {
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
  }
  std::string said;
  try {
    said = work();
  } catch (...) {
    ::_exit(1);
  }
  said += '\0';  // tells a whole answer from a part of one
  for (std::size_t at = 0; at < said.size();) {
    const ssize_t n = ::write(out, said.data() + at, said.size() - at);
    if (n < 0 && errno != EINTR) ::_exit(1);
    if (n > 0) at += static_cast<std::size_t>(n);
  }
  ::_exit(0);  // no destructors: drivers' are what crashes most
}

// Reads to the end of file; false when the time is over first.
bool read_all(int fd, int timeout_seconds, std::string& out) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(left)) <= 0) continue;
    char block[4096];
    const ssize_t n = ::read(fd, block, sizeof block);
    if (n == 0) return true;
    if (n > 0)
      out.append(block, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      return true;
  }
}

}  // namespace

std::string Probed::trouble() const {
  if (timed_out) return "hangs";
  if (signal != 0) return "ended by " + signal_name(signal);
  return "ended without an answer";
}

Probed probe(const std::function<std::string()>& work, int timeout_seconds) {
  Probed result;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) run_child(work, pipe[1]);
  ::close(pipe[1]);
  if (child > 0) {
    result.timed_out = !read_all(pipe[0], timeout_seconds, result.said);
    if (result.timed_out) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (!result.said.empty() && result.said.back() == '\0') {
      result.said.pop_back();
      result.finished = true;
    }
  }
  ::close(pipe[0]);
  return result;
}

}  // namespace rondo::analyzers
