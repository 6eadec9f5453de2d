// SPDX-License-Identifier: Apache-2.0
// rondo trigger: asks a program that is being captured for its next frames.
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "analyzers/commands/commands.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "layer/recorder/trigger_words.h"

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
    return fail(
        Status::failed,
        text("process {} does not listen: it was forked from a captured one, is in another network namespace, or "
             "its kernel (before Linux 5.9) or a filter gives Rondo no descriptors of its own (--log=info says so)",
             process));
  return fail(
      Status::failed,
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

// The sockets that the process's thread for requests has, by their inodes: it has a table of descriptors of its own.
std::set<std::string> sockets_of_trigger(pid_t process) {
  std::set<std::string> sockets;
  std::error_code error;
  const std::string tasks = text("/proc/{}/task", process);
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    if (contents_of(task.path() / "comm") != "rondo-trigger\n") continue;
    for (const auto& link : std::filesystem::directory_iterator(task.path() / "fd", error)) {
      const std::string target = std::filesystem::read_symlink(link.path(), error).string();
      if (target.starts_with("socket:[")) sockets.insert(target.substr(8, target.size() - 9));
    }
  }
  return sockets;
}

// Anybody may have taken the name of this process before it: then it listens at one that the kernel chose
// (layer/recorder/trigger.cpp), which only its user and root can find out.
std::optional<TriggerAddress> other_name(pid_t process) {
  const std::set<std::string> sockets = sockets_of_trigger(process);
  std::istringstream lines(contents_of(text("/proc/{}/net/unix", process)));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number, references, protocol, flags, type, state, inode, name;
    words >> number >> references >> protocol >> flags >> type >> state >> inode >> name;
    if (sockets.count(inode) != 0 && name.starts_with('@')) return abstract_address(name.substr(1));
  }
  return std::nullopt;
}

tl::unexpected<Error> no_answer(pid_t process) {
  const bool late = errno == EAGAIN || errno == EWOULDBLOCK;
  return fail(Status::failed,
              text("process {} does not answer: {}", process, late ? "is it stopped?" : std::strerror(errno)));
}

// A connection to the process itself, of this user or root's.
Result<std::unique_ptr<Connection>> reach(pid_t process, uid_t user) {
  Result<std::unique_ptr<Connection>> why = nobody(process);
  for (const auto& name : {std::optional(trigger_address(user, process)), other_name(process)}) {
    if (!name) continue;
    auto to = std::make_unique<Connection>(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    ::setsockopt(to->fd(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    ::setsockopt(to->fd(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    if (::connect(to->fd(), name->get(), name->bytes) != 0) {
      if (errno != ECONNREFUSED) why = no_answer(process);
      continue;
    }
    ucred peer{};
    socklen_t bytes = sizeof peer;
    if (::getsockopt(to->fd(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.pid == process &&
        (peer.uid == user || peer.uid == 0))
      return to;
    why = fail(Status::failed,
               text("process {} does not listen: process {} of user {} does in its name", process, peer.pid, peer.uid));
  }
  return why;
}

Result<std::string> ask(pid_t process, const std::string& request) {
  const uid_t user = user_of(process);
  const auto reached = reach(process, user);
  if (!reached) return tl::unexpected(reached.error());
  const Connection& to = **reached;
  const auto failed = [&] { return no_answer(process); };
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
  if (space == std::string_view::npos)
    return fail(Status::failed, text("process {}: '{}' is no answer", *process, printable(words)));
  Output out;
  out.line(text("{}: frames {} asked for", printable(words.substr(space + 1)), printable(words.substr(0, space))));
  RONDO_TRY(out.finish());
  return 0;
}

}  // namespace rondo::analyzers
