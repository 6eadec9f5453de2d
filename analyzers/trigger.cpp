// SPDX-License-Identifier: Apache-2.0
// rondo trigger: asks a program that is being captured for its next frames.
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "analyzers/cli.h"
#include "analyzers/commands.h"
#include "analyzers/output.h"
#include "analyzers/text.h"
#include "layer/trigger_words.h"

namespace rondo::analyzers {

namespace {

constexpr timeval kPatience{5, 0};

std::string contents_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The process's real user; ours where it cannot be told.
uid_t user_of(pid_t process) {
  constexpr std::string_view label = "\nUid:\t";
  const std::string status = contents_of(text("/proc/{}/status", process));
  uid_t user = ::getuid();
  if (const std::size_t at = status.find(label); at != std::string::npos)
    std::from_chars(status.data() + at + label.size(), status.data() + status.size(), user);
  return user;
}

// Why nobody listens there.
tl::unexpected<Error> nobody(pid_t process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) return fail(Status::failed, text("there is no process {}", process));
  const std::string maps = contents_of(text("/proc/{}/maps", process));
  if (maps.find("/memfd:rondo-recording") != std::string::npos)
    return fail(Status::failed,
                text("process {} does not listen: it was forked from a captured one, is in another network namespace, or "
                     "its kernel (before Linux 5.9) or a filter gives Rondo no descriptors of its own (--log=info says so)",
                     process));
  return fail(Status::failed,
              text("process {} is not captured: start it by `rondo capture -- PROGRAM`, and give the number of PROGRAM's "
                   "own process once it has made a Vulkan instance",
                   process));
}

class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

Result<std::string> ask(pid_t process, const std::string& request) {
  const Connection to(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const auto failed = [&] {
    const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
    return fail(Status::failed, text("process {} does not answer: {}", process, late ? "is it stopped?" : std::strerror(errno)));
  };
  ::setsockopt(to.fd(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(to.fd(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  const uid_t user = user_of(process);
  const TriggerAddress name = trigger_address(user, process);
  if (::connect(to.fd(), name.get(), name.bytes) != 0) {
    if (errno == ECONNREFUSED) return nobody(process);
    return failed();
  }
  // Anybody may take the name of a process that does not listen.
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (::getsockopt(to.fd(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.pid != process ||
      (peer.uid != user && peer.uid != 0))
    return fail(Status::failed, text("process {} does not listen: process {} of user {} does in its name", process, peer.pid,
                                     peer.uid));
  if (::send(to.fd(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return failed();
  std::string answer(8192, '\0');  // PATH_MAX and some words
  const ssize_t got = ::recv(to.fd(), answer.data(), answer.size(), 0);
  if (got < 0 && errno != ECONNRESET) return failed();
  if (got <= 0) return fail(Status::failed, text("process {} does not answer you: it is user {}'s", process, user));
  answer.resize(static_cast<std::size_t>(got));
  return answer;
}

template <class Number>
std::optional<Number> positive(const std::string& digits) {
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value <= 0) return std::nullopt;
  return value;
}

}  // namespace

Result<int> run_trigger(Arguments args) {
  std::string number, count = "1";
  Cli cli("rondo trigger",
          "Asks a program that is being captured for the next frames, from the one that it is in: it stops\n"
          "recording behind them and runs on. The capture is cut to them when `rondo capture` ends, or by\n"
          "`rondo trim`.");
  cli.positional("PID", "the program's process", number);
  cli.value("--frames", "N", "how many (default 1)", count);
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;
  const auto process = positive<pid_t>(number);
  if (!process) return fail(Status::usage, text("'{}' is no process number", printable(number)));
  const auto frames = positive<std::uint64_t>(count);
  if (!frames) return fail(Status::usage, text("--frames: '{}' is no number of frames, from 1", printable(count)));

  const auto answer = ask(*process, text("{}{}", kTriggerFrames, *frames));
  if (!answer) return tl::unexpected(answer.error());
  std::string_view words = *answer;
  if (!words.starts_with(kTriggerOk)) {
    if (words.starts_with(kTriggerNo)) words.remove_prefix(kTriggerNo.size());
    return fail(Status::failed, text("process {}: {}", *process, printable(words)));
  }
  words.remove_prefix(kTriggerOk.size());
  const std::size_t space = words.find(' ');
  if (space == std::string_view::npos) return fail(Status::failed, text("process {}: '{}' is no answer", *process, printable(words)));
  Output out;
  out.line(text("{}: frames {} asked for", printable(words.substr(space + 1)), printable(words.substr(0, space))));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
