// SPDX-License-Identifier: Apache-2.0
#include "player/sandbox/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "format/file.h"
#include "player/sandbox/driver_files.h"
#include "player/sandbox/filter.h"
#include "player/sandbox/landlock.h"
#include "player/sandbox/shader_caches.h"

namespace rondo::player {

namespace {

// Sanitizers start programs and open files when they report; a build that counts coverage writes files at its
// end.
#ifdef RONDO_WITHOUT_SANDBOX
constexpr bool kCanBe = false;
#else
constexpr bool kCanBe = true;
#endif

SandboxMode g_mode = SandboxMode::off;  // that made this process enter; off: it has not

// The number in /dev/fd/N and /proc/self/fd/N; -1: the path is no such.
int descriptor_named_by(std::string_view path) {
  for (const std::string_view directory : {std::string_view("/dev/fd/"), std::string_view("/proc/self/fd/")}) {
    int number = -1;
    const char* const last = path.data() + path.size();
    if (path.starts_with(directory) && std::from_chars(path.data() + directory.size(), last, number).ptr == last)
      return number;
  }
  return -1;
}

// Those that the parent left open may lead anywhere.
void close_inherited(const SandboxRequest& request) {
  std::vector<int> keeps = request.keeps;
  keeps.push_back(output_helper_socket());
  keeps.push_back(descriptor_named_by(request.capture));
  for (const std::string& path : request.reads) keeps.push_back(descriptor_named_by(path));
  std::vector<int> open;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error))
    open.push_back(descriptor_named_by(entry->path().string()));
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO && std::find(keeps.begin(), keeps.end(), descriptor) == keeps.end())
      ::close(descriptor);
  // What is typed is not for a capture.
  if (::isatty(STDIN_FILENO) == 0) return;
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

// Root's, but for reading what others own: the capture may be theirs.
void drop_capabilities() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct has[2] = {};
  if (::syscall(SYS_capget, &head, has) != 0) return;
  constexpr std::uint32_t keeps = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  for (__user_cap_data_struct& half : has) {
    const std::uint32_t kept = &half == has ? half.permitted & keeps : 0;
    half = {half.effective & kept, kept, 0};
  }
  ::syscall(SYS_capset, &head, has);
}

Result<void> fail_here(const char* what) {
  return fail(Status::failed, std::string("the sandbox for foreign captures cannot be set up: ") + what + ": " +
                                  errno_text(errno) + "; --sandbox=off plays the capture without");
}

Result<void> restrict_files(const SandboxRequest& request, const std::string& caches, bool& done) {
  Landlock landlock;
  const DriverFiles drivers = driver_files();
  for (const std::string& path : drivers.read) landlock.allow_reading(path);
  for (const std::string& path : drivers.devices) landlock.allow_device(path);
  landlock.allow_reading(request.capture);
  for (const std::string& path : request.reads) landlock.allow_reading(path);
  for (const std::string& path : request.writes) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (file < 0) return fail(Status::failed, path + ": cannot be written: " + errno_text(errno));
    ::close(file);
    landlock.allow_overwriting(path);
  }
  if (!caches.empty()) landlock.allow_all_below(caches);
  done = landlock.enforce();
  return {};
}

}  // namespace

std::vector<std::string> sandbox_modes() { return {"auto", "require", "off"}; }

SandboxMode parse_sandbox(std::string_view word) {
  if (word == "off") return SandboxMode::off;
  return word == "require" ? SandboxMode::require : SandboxMode::automatic;
}

std::string sandbox_lacks() {
  if (!kCanBe) return "this build, with a sanitizer or counting coverage, has none";
  std::string lacks;
  if (Landlock::version() == 0)
    lacks =
        "the kernel lacks Landlock (Linux 5.13, and in its list of security modules), or forbids it: every "
        "file of yours can be read and written";
  if (!has_filters())
    lacks += std::string(lacks.empty() ? "" : "; and it ") +
             "lacks seccomp filters: programs can be started and sockets opened";
  return lacks;
}

bool in_sandbox() { return g_mode != SandboxMode::off; }

std::string sandbox_hint() {
  if (!in_sandbox()) return {};
  return std::string("; this is a sandbox, which a driver may not bear: ") +
         (g_mode == SandboxMode::require ? "--sandbox=off plays without it"
                                         : "if you trust the capture, --trust plays it without");
}

bool wants_sandbox(SandboxMode mode, Trust trust) {
  return mode == SandboxMode::require || (mode == SandboxMode::automatic && trust == Trust::foreign);
}

Result<void> enter_sandbox(SandboxMode mode, Trust trust, const SandboxRequest& request) {
  if (!wants_sandbox(mode, trust)) return {};
  // It holds the process for good: what plays a capture a second time, as a verification that differs does, is in it.
  if (in_sandbox()) return {};
  const std::string lacks = sandbox_lacks();
  if (!lacks.empty() && mode == SandboxMode::require) return fail(Status::failed, "--sandbox=require: " + lacks);
  if (!kCanBe) return {};
  if (!lacks.empty())
    std::fprintf(stderr, "%s: the capture is foreign, and its sandbox is not whole: %s\n", request.tool.c_str(),
                 lacks.c_str());
  // The helper first: an output may be a descriptor that the parent left open.
  if (!request.outputs.empty()) RONDO_TRY(start_output_helper(request.outputs));
  close_inherited(request);
  prepare_nvidia();
  // Names of files can be made and removed there: only Landlock keeps that to one directory.
  const std::string caches = Landlock::version() != 0 ? use_private_shader_caches(request.capture) : std::string();
  // Rules are of an inode, and a process has another one here when the kernel forgot the last: an open one
  // stays.
  [[maybe_unused]] static const int self = ::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_here("no_new_privs");
  drop_capabilities();
  bool restricted = false;
  if (Landlock::version() != 0) {
    RONDO_TRY(restrict_files(request, caches, restricted));
    if (!restricted) return fail_here("Landlock");
  }
  FilterOptions options;
  options.refuse_truncating_reads = Landlock::version() < 3;
  options.names = !caches.empty();
  options.shared_memory = request.shares_pictures;
  if (has_filters() && !install_filter(options)) return fail_here("seccomp");
  g_mode = mode;
  return {};
}

}  // namespace rondo::player
