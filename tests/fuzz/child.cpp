// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "format/result.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

constexpr rlim_t kMostOutput = rlim_t{64} << 20;
constexpr std::size_t kMostErrors = std::size_t{64} << 10;
// What scripts/fuzz tells sanitizers to end with: no tool has this status.
constexpr int kSanitizerStatus = 99;

// A file in memory that a process writes to.
class Output {
 public:
  Output() : fd_(::memfd_create("output", MFD_CLOEXEC)) { expect(fd_ >= 0, "a file in memory can be made"); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { ::close(fd_); }
  int fd() const { return fd_; }
  std::string text(std::size_t most) const {
    const off_t size = ::lseek(fd_, 0, SEEK_END);
    std::string text(std::min(static_cast<std::size_t>(std::max<off_t>(size, 0)), most), '\0');
    const ssize_t got = ::pread(fd_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
  }

 private:
  int fd_;
};

[[noreturn]] void become(std::vector<char*>& words, std::vector<char*>& environment, const Limits& limits, int out,
                         int err) {
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const auto limit = [](int what, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(static_cast<__rlimit_resource>(what), &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kMostOutput);
  // Several threads may have worked at once.
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.most_seconds));
  if (limits.most_bytes != 0) limit(RLIMIT_AS, limits.most_bytes);
  ::execve(words[0], words.data(), environment.data());
  _exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& all) {
  std::vector<char*> list;
  for (const std::string& one : all) list.push_back(const_cast<char*>(one.c_str()));
  list.push_back(nullptr);
  return list;
}

// A C0 or C1 control that no tool prints.
bool has_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return true;
    const bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    const std::string_view rest = text.substr(i, 3);
    // U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows.
    const bool turns = rest.size() == 3 && rest[0] == '\xe2' &&
                       ((rest[1] == '\x80' && rest[2] >= '\xaa' && rest[2] <= '\xae') ||
                        (rest[1] == '\x81' && rest[2] >= '\xa6' && rest[2] <= '\xa9'));
    if (c1 || turns) return true;
  }
  return false;
}

std::string line_with(const std::string& text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return {};
  const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
  return text.substr(begin, std::min(text.find('\n', at), text.size()) - begin);
}

// The innermost frame of a sanitizer's report that is not its runtime's or the C library's.
std::string deciding_frame(const std::string& report) {
  for (std::size_t at = report.find("    #"); at != std::string::npos; at = report.find("\n    #", at + 1)) {
    const std::size_t begin = report.find('#', at);
    const std::string frame = report.substr(begin, report.find('\n', begin) - begin);
    const auto names = [&](std::string_view library) { return frame.find(library) != std::string::npos; };
    if (!names("libasan") && !names("libubsan") && !names("libc.so") && !names("libstdc++") &&
        !names("sanitizer_common") && !names("/libsanitizer/"))
      return frame;
  }
  return {};
}

bool is_drivers(const std::string& frame) {
  for (const std::string_view library :
       {"libvulkan_", "libvk_swiftshader", "libLLVM", "libvulkan.so", "<unknown module>"})
    if (frame.find(library) != std::string::npos) return true;
  return false;
}

void judge(Ended& ended) {
  const std::string& text = ended.errors;
  ended.why = line_with(text, "player: ");
  if (ended.why.empty()) ended.why = line_with(text, "rondo: ");
  if (ended.status == kSanitizerStatus || text.find("runtime error: ") != std::string::npos) {
    const std::string frame = deciding_frame(text);
    ended.why = line_with(text, text.find("runtime error: ") != std::string::npos ? "runtime error: " : "ERROR: ") +
                " " + frame;
    ended.end = is_drivers(frame) ? End::driver : End::crash;
  } else if (ended.signal != 0) {
    ended.end = End::crash;
    ended.why = std::string("ended by SIG") + ::sigabbrev_np(ended.signal);
  } else if (ended.status > static_cast<int>(Status::timeout)) {
    ended.end = End::unknown;
  } else if (ended.status == static_cast<int>(Status::failed) &&
             ended.why.find("the driver crashed") != std::string::npos) {
    ended.end = End::driver;
  } else if (ended.status != 0 && ended.status != static_cast<int>(Status::different) && ended.why.empty()) {
    ended.end = End::silent;
  }
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

const char* end_name(End end) {
  switch (end) {
    case End::told:
      return "told";
    case End::driver:
      return "driver";
    case End::silent:
      return "silent";
    case End::crash:
      return "crash";
    case End::slow:
      return "slow";
    case End::unknown:
      return "unknown";
  }
  return "";
}

Ended run_tool(const std::vector<std::string>& words, const std::vector<std::string>& environment,
               const Limits& limits) {
  const Output out, err;
  auto arguments = pointers(words), variables = pointers(environment);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const pid_t child = ::fork();
  expect(child >= 0, "fork works");
  if (child == 0) become(arguments, variables, limits, out.fd(), err.fd());
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  expect(handle >= 0, "a process can be waited for with a limit");
  pollfd wait{handle, POLLIN, 0};
  Ended ended;
  const bool hangs = ::poll(&wait, 1, static_cast<int>(limits.most_seconds * 1000)) == 0;
  ::kill(-child, SIGKILL);  // what it may have started, too; a process that has ended stays as it is
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0) {
  }
  ::close(handle);
  ended.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  ended.cpu = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  ended.most_kib = static_cast<std::size_t>(usage.ru_maxrss);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.errors = err.text(kMostErrors);
  ended.controls = has_controls(ended.errors) || has_controls(out.text(kMostOutput));
  judge(ended);
  if (hangs || ended.signal == SIGXCPU || ended.signal == SIGKILL) {
    ended.end = End::slow;
    ended.why = "did not end";
  }
  return ended;
}

}  // namespace rondo::fuzz
