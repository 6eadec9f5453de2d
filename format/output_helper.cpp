// SPDX-License-Identifier: Apache-2.0
#include "format/output_helper.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>

#include "format/abandoned.h"

namespace rondo::helper {

namespace {

// A question is this and both paths, each with its zero; the answer is an errno value, with a descriptor
// beside it.
struct Head {
  Question question;
  std::uint32_t first_bytes, second_bytes;  // without the zeros
};
constexpr std::size_t kMostBytes = sizeof(Head) + 2 * std::size_t{PATH_MAX};

std::string real_path(const std::string& path) {
  std::string real;
  if (char* found = ::realpath(path.c_str(), nullptr); found != nullptr) {
    real = found;
    std::free(found);
  }
  return real;
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

std::string_view name_of(std::string_view path) { return path.substr(directory_of(path).size()); }

bool has_only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";

// frame-000012.png, frame-000012-1.png; difference-1234-VkImage-12-mip0-layer0.png
bool is_picture(std::string_view name) {
  constexpr std::string_view first = "frame-", last = ".png", difference = "difference-";
  if (name.starts_with(difference) && name.ends_with(last))
    return has_only(name.substr(0, name.size() - last.size()), kNameLetters);
  return name.size() > first.size() + last.size() && name.starts_with(first) && name.ends_with(last) &&
         has_only(name.substr(first.size(), name.size() - first.size() - last.size()), "0123456789-");
}

// VkImage-12-mip0-layer0-depth.png; a shader's has 32 hexadecimal digits.
bool is_content(std::string_view name) {
  constexpr std::string_view shader = ".spv";
  if (name.size() == 32 + shader.size() && name.ends_with(shader))
    return has_only(name.substr(0, 32), "0123456789abcdef");
  if (name == "images.json" || name == "buffers.json" || name == "sheet.png") return true;
  if (!name.starts_with("VkImage-") && !name.starts_with("VkBuffer-")) return false;
  const bool known = name.ends_with(".png") || name.ends_with(".ktx2") || name.ends_with(".bin");
  const std::string_view stem = name.substr(0, name.rfind('.'));
  return known && has_only(stem, kNameLetters);
}

// ".NAME.PROCESS-COUNT.part" (temporary_path.cpp): what stands for NAME there.
bool is_temporary_name(std::string_view temporary, std::string_view& name) {
  if (!temporary.starts_with('.')) return false;
  for (const std::string_view ending : {std::string_view(".part"), std::string_view(".step")}) {
    if (!temporary.ends_with(ending)) continue;
    const std::string_view rest = temporary.substr(1, temporary.size() - 1 - ending.size());
    const std::size_t dot = rest.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == rest.size()) return false;
    name = rest.substr(0, dot);
    return has_only(rest.substr(dot + 1), "0123456789-") && kDigits.find(rest[dot + 1]) != std::string_view::npos;
  }
  return false;
}

int reply(int socket, int error, int descriptor) {
  iovec bytes{&error, sizeof error};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* one = CMSG_FIRSTHDR(&message);
    one->cmsg_level = SOL_SOCKET;
    one->cmsg_type = SCM_RIGHTS;
    one->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(one), &descriptor, sizeof descriptor);
  }
  const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  if (descriptor >= 0) ::close(descriptor);
  return sent < 0 ? errno : 0;
}

constexpr std::string_view kStep = ".step";  // a temporary file that a tool reads again

// Whether `name` is what stands for `file` in the name of a temporary file: it, or its begin where it is
// long; or the name of a temporary file beside it, which a step's own one has.
bool stands_for(std::string_view name, std::string_view file) {
  constexpr std::size_t shortest = 97;  // that is a begin only (of 100 bytes, in whole characters)
  if (name == file || (name.size() >= shortest && file.starts_with(name))) return true;
  if (!name.starts_with('.')) return false;
  std::string_view inner;
  if (is_temporary_name(name, inner))
    return name.ends_with(kStep) && (inner == file || (inner.size() >= shortest && file.starts_with(inner)));
  return name.size() >= shortest && file.starts_with(name.substr(1));
}

pid_t g_process = 0;                        // which the helper serves
volatile std::sig_atomic_t g_orphaned = 0;  // seconds since that process ended, from 1

// The process that the helper serves has ended. A call that waits ends with EINTR; it is interrupted again each
// second, for it may have begun after the signal. After ten of them the helper ends, whatever it waits for.
void on_orphaned(int) {
  if (::getppid() == g_process) return;
  g_orphaned = g_orphaned + 1;
  if (g_orphaned > 10) ::_exit(1);
  ::alarm(1);
}

void end_with_process(pid_t process) {
  g_process = process;
  struct sigaction action {};
  action.sa_handler = on_orphaned;  // without SA_RESTART
  sigset_t unblocked;
  sigemptyset(&unblocked);
  for (const int signal : {SIGUSR1, SIGALRM}) {
    ::sigaction(signal, &action, nullptr);
    sigaddset(&unblocked, signal);
  }
  ::sigprocmask(SIG_UNBLOCK, &unblocked, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (::getppid() != process) ::raise(SIGUSR1);
}

// The helper's side of one process.
class Server {
 public:
  explicit Server(std::vector<NamedOutput> outputs) {
    // What killed tools left: the process that asks cannot look for it.
    for (const NamedOutput& output : outputs)
      remove_abandoned(output.kind == NamedOutput::Kind::file ? output.path : output.path + "/", ".part");
    rules_ = Rules(std::move(outputs));
  }
  ~Server() {
    for (const std::string& path : temporary_) ::unlink(path.c_str());
  }
  void serve(int socket);

 private:
  int answer(Question question, const std::string& first, const std::string& second, int& descriptor);
  int open(const std::string& path, int flags, mode_t mode, int& descriptor) const;
  int keep(const std::string& temporary, const std::string& path);

  Rules rules_{{}};
  std::set<std::string> temporary_;  // that were made and are there
};

int Server::open(const std::string& path, int flags, mode_t mode, int& descriptor) const {
  descriptor =
      ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | (rules_.may_follow_links(path) ? 0 : O_NOFOLLOW), mode);
  return descriptor >= 0 ? 0 : errno;
}

int Server::keep(const std::string& temporary, const std::string& path) {
  const bool is_step = rules_.is_temporary(path) && path.ends_with(kStep);
  if (temporary_.count(temporary) == 0 || (!is_step && !rules_.is_output(path))) return EACCES;
  struct stat there {};
  if (is_step && ::lstat(path.c_str(), &there) == 0) return EEXIST;
  // A file is renamed beside where it lies, and no output of one directory becomes one of another.
  if (directory_of(temporary) != directory_of(path)) return EACCES;
  const int file = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return errno;
  const int kept = keep_output(file, temporary, path, rules_.attributes(path));
  const int error = kept == 0 ? 0 : errno;
  ::close(file);
  if (error != 0) return error;
  temporary_.erase(temporary);
  if (is_step) temporary_.insert(path);
  return 0;
}

int Server::answer(Question question, const std::string& first, const std::string& second, int& descriptor) {
  const bool made = temporary_.count(first) != 0;
  switch (question) {
    case Question::open_temporary: {
      if (!rules_.is_temporary(first)) return EACCES;
      const int error = open(first, O_CREAT | O_EXCL | O_RDWR, 0600, descriptor);
      if (error == 0) temporary_.insert(first);
      return error;
    }
    case Question::open_to_overwrite:
      return rules_.is_output(first) ? open(first, O_CREAT | O_TRUNC | O_WRONLY | O_NONBLOCK, 0666, descriptor)
                                     : EACCES;
    case Question::open_to_read:
      return made || rules_.is_output(first) ? open(first, O_RDONLY | O_NONBLOCK, 0, descriptor) : EACCES;
    case Question::keep:
      return keep(first, second);
    case Question::remove:
      if (!made) return EACCES;
      temporary_.erase(first);
      return ::unlink(first.c_str()) == 0 ? 0 : errno;
    case Question::make_directory: {
      if (!rules_.is_directory(first)) return EACCES;
      std::error_code error;
      std::filesystem::create_directories(first, error);
      return error.value();
    }
  }
  return EINVAL;
}

void Server::serve(int socket) {
  std::string bytes(kMostBytes, '\0');
  for (;;) {
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR && g_orphaned == 0) continue;
    if (got <= 0) return;
    Head head{};
    const auto size = static_cast<std::size_t>(got);
    if (size < sizeof head) return;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.first_bytes >= PATH_MAX || head.second_bytes >= PATH_MAX ||
        size != sizeof head + head.first_bytes + head.second_bytes + 2)
      return;
    const std::string first = bytes.data() + sizeof head, second = bytes.data() + sizeof head + head.first_bytes + 1;
    int descriptor = -1;
    const bool whole = first.size() == head.first_bytes && second.size() == head.second_bytes;
    const int error = whole ? answer(head.question, first, second, descriptor) : EINVAL;
    if (reply(socket, error, descriptor) != 0) return;
  }
}

}  // namespace

bool is_name_of(NamedOutput::Kind kind, std::string_view name) {
  return kind == NamedOutput::Kind::pictures ? is_picture(name)
                                             : kind == NamedOutput::Kind::contents && is_content(name);
}

Rules::Rules(std::vector<NamedOutput> outputs) {
  for (NamedOutput& output : outputs) {
    Rule rule;
    if (output.kind == NamedOutput::Kind::file) {
      rule.real = real_path(output.path);
      rule.attributes = attributes_for(output.path, output.like);
    } else {
      rule.attributes = attributes_for({}, {});
    }
    rule.output = std::move(output);
    rules_.push_back(std::move(rule));
  }
}

const Rules::Rule* Rules::find(const std::string& path) const {
  for (const Rule& rule : rules_) {
    const std::string& own = rule.output.path;
    if (rule.output.kind == NamedOutput::Kind::file
            ? path == own || (!rule.real.empty() && path == rule.real)
            : directory_of(path) == own + "/" && is_name_of(rule.output.kind, name_of(path)))
      return &rule;
  }
  return nullptr;
}

bool Rules::is_output(const std::string& path) const { return find(path) != nullptr; }

bool Rules::is_temporary(const std::string& path) const {
  std::string_view name;
  if (!is_temporary_name(name_of(path), name)) return false;
  for (const Rule& rule : rules_) {
    if (rule.output.kind != NamedOutput::Kind::file) {
      if (directory_of(path) == rule.output.path + "/" && is_name_of(rule.output.kind, name)) return true;
      continue;
    }
    for (const std::string& file : {rule.output.path, rule.real})
      if (!file.empty() && directory_of(path) == directory_of(file) && stands_for(name, name_of(file))) return true;
  }
  return false;
}

bool Rules::is_directory(const std::string& path) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    return rule.output.kind != NamedOutput::Kind::file && rule.output.path == path;
  });
}

bool Rules::may_follow_links(const std::string& path) const {
  const Rule* rule = find(path);
  return rule != nullptr && rule->output.kind == NamedOutput::Kind::file;
}

Attributes Rules::attributes(const std::string& path) const {
  const Rule* rule = find(path);
  return rule != nullptr ? rule->attributes : Attributes{};
}

std::optional<int> start(std::vector<NamedOutput> outputs) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return std::nullopt;
  const pid_t process = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    // Nothing reads what it holds, and signals of a terminal are for the process that asks: it ends after
    // that.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::prctl(PR_SET_NAME, "rondo-outputs");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
    end_with_process(process);
    {
      Server server(std::move(outputs));
      server.serve(ends[1]);
    }
    ::_exit(0);
  }
  const int error = errno;
  ::close(ends[1]);
  if (child > 0) return ends[0];
  ::close(ends[0]);
  errno = error;
  return std::nullopt;
}

int ask(int socket, Question question, const std::string& first, const std::string& second, int* opened) {
  if (first.size() >= PATH_MAX || second.size() >= PATH_MAX) return ENAMETOOLONG;
  Head head{question, static_cast<std::uint32_t>(first.size()), static_cast<std::uint32_t>(second.size())};
  const iovec parts[] = {{&head, sizeof head},
                         {const_cast<char*>(first.c_str()), first.size() + 1},
                         {const_cast<char*>(second.c_str()), second.size() + 1}};
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);
  message.msg_iovlen = std::size(parts);
  while (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return errno;
  int error = 0;
  iovec answer{&error, sizeof error};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  message = {};
  message.msg_iov = &answer;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = 0;
  while ((got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return errno;
  if (got != static_cast<ssize_t>(sizeof error)) return EPIPE;  // it has ended
  const cmsghdr* one = CMSG_FIRSTHDR(&message);
  if (opened != nullptr && error == 0 && one != nullptr && one->cmsg_type == SCM_RIGHTS)
    std::memcpy(opened, CMSG_DATA(one), sizeof *opened);
  return error;
}

}  // namespace rondo::helper
