// SPDX-License-Identifier: Apache-2.0
// rondo doctor: one line a finding, with what to do about it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "analyzers/commands/commands.h"
#include "analyzers/launch/probe.h"
#include "analyzers/launch/report_file.h"
#include "analyzers/launch/tree.h"
#include "analyzers/launch/vulkan_probe.h"
#include "analyzers/options/cli.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"
#include "layer/memory/facilities.h"
#include "layer/memory/space.h"
#include "player/sandbox/driver_files.h"
#include "player/sandbox/sandbox.h"

namespace rondo::analyzers {

namespace {

class Findings {
 public:
  void ok(std::string_view what, std::string_view found) { row("ok", what, found, {}); }
  void warn(std::string_view what, std::string_view found, std::string_view remedy) {
    row("warn", what, found, remedy);
  }
  void bad(std::string_view what, std::string_view found, std::string_view remedy) {
    row("bad", what, found, remedy);
    any_bad_ = true;
  }
  bool any_bad() const { return any_bad_; }
  Result<void> finish() { return out_.finish(); }

 private:
  void row(std::string_view mark, std::string_view what, std::string_view found, std::string_view remedy) {
    std::string line = text("{:<5} {:<9} {}", mark, what, printable(found));
    if (!remedy.empty()) line += text(": {}", remedy);
    out_.line(line);
  }
  Output out_;
  bool any_bad_ = false;
};

// "ok rest" or "bad rest" of a probe; a crash counts as bad.
struct Answer {
  bool good = false;
  std::string rest;
  explicit Answer(const Probed& probed) {
    if (!probed.finished) {
      rest = probed.trouble();
      return;
    }
    good = probed.said.starts_with("ok");
    const std::size_t word = good ? 2 : 3;
    rest = probed.said.substr(std::min(probed.said.size(), word + 1));
  }
};

// A filter of system calls is in force for this process (2: SECCOMP_MODE_FILTER).
bool has_seccomp_filter() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Seccomp:")) return line.ends_with("2");
  return false;
}

// What is lost, and how to have it.
std::string without_userfaultfd() {
  std::string words =
      memory::Facilities::probe(true).alias
          ? "captures are right and slower, and checkpoints of memory that is read back are compared by touched pages"
          : "captures are right and slower, and checkpoints of memory that is read back cannot be compared";
  if (has_seccomp_filter())
    words +=
        "; a seccomp filter is in force here, and those of containers forbid userfaultfd: start the container with "
        "--security-opt seccomp=unconfined (docker, podman), or with a profile that allows userfaultfd (docs/ci.md)";
  else
    words += "; it needs Linux 6.7 or newer with CONFIG_USERFAULTFD";
  return words;
}

void check_system(Findings& findings) {
  utsname host{};
  if (::uname(&host) == 0) findings.ok("kernel", text("{} {} {}", host.sysname, host.release, host.machine));
  const auto memory = memory::Facilities::probe();
  rlimit space{};
  const bool limited = ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  if (memory.alias && memory::Space::reserve() == nullptr)
    findings.warn("memory",
                  text("host writes are found by asynchronous write-protect: the address range from 0x7e8000000000 {}",
                       limited ? "does not fit the limit of address space (ulimit -v)" : "is not free"),
                  "checkpoints of memory that is read back (readback, submit) cannot be compared, and device addresses "
                  "change: "
                  "raise the limit");
  else if (memory.alias && limited)
    findings.warn("memory",
                  "host writes are found by memfd aliases under asynchronous write-protect, as far as those fit a "
                  "quarter of what the limit of address space (ulimit -v) leaves",
                  "beyond that memory that is read back cannot be compared, and device addresses change: raise the "
                  "limit");
  else if (memory.alias)
    findings.ok("memory", "host writes are found by memfd aliases under asynchronous write-protect");
  else
    findings.warn("memory",
                  text("host writes are found by {}: {}", memory.pagemap ? "asynchronous write-protect" : "comparing",
                       memory.reason),
                  without_userfaultfd());
}

// As the recorder writes: preallocated, then a shared mapping.
void check_disk(Findings& findings) {
  const char* pattern = std::getenv("RONDO_OUTPUT");
  const std::filesystem::path parent = std::filesystem::path(pattern != nullptr ? pattern : "").parent_path();
  const std::string directory = parent.empty() ? std::filesystem::path(".") : parent;
  std::error_code gone;
  if (directory[0] != '/' && (static_cast<void>(std::filesystem::current_path(gone)), gone))
    return findings.bad("disk", text("the directory of now: {}", gone.message()),
                        "choose another place with --output or RONDO_OUTPUT");
  constexpr std::size_t kBytes = 1 << 20;
  struct statvfs space {};
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    if (::access(directory.c_str(), W_OK) == 0)
      findings.ok("disk", text("{} is writable", directory));
    else
      findings.bad("disk", text("{}: {}", directory, std::strerror(errno)),
                   "choose another place with --output or RONDO_OUTPUT");
    return;
  }
  const int allocated = ::posix_fallocate(fd, 0, kBytes);
  void* mapped = allocated == 0 ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  if (allocated == ENOSPC || allocated == EDQUOT)
    findings.bad("disk", text("{}: {}", directory, std::strerror(allocated)),
                 "free some space, or choose another place with --output");
  else if (mapped == MAP_FAILED)
    findings.warn("disk", text("{} takes no shared mapping", directory),
                  "captures go there by plain writes, which is slower");
  else if (::fstatvfs(fd, &space) == 0)
    findings.ok("disk",
                text("{} is writable, {} free", directory, size_text(std::uint64_t{space.f_bavail} * space.f_frsize)));
  if (mapped != MAP_FAILED) ::munmap(mapped, kBytes);
  ::close(fd);
}

bool check_loader(Findings& findings) {
  const Answer loader(probe(probe_loader));
  if (loader.good)
    findings.ok("loader", text("libvulkan.so.1, Vulkan {}", loader.rest));
  else
    findings.bad("loader", loader.rest, "install the Vulkan loader (Debian: libvulkan1)");
  return loader.good;
}

// In the child: an instance as a captured program would make it.
std::string try_enabled(const LayerFiles& layer, bool by_launcher) {
  std::string directory;
  std::vector<std::string> places = temporary_directories();
  std::error_code gone;
  places.push_back(std::filesystem::current_path(gone));  // a container's /tmp may be read only
  for (const std::string& place : places) {
    directory = place + "/rondo-doctor-XXXXXX";
    if (::mkdtemp(directory.data()) != nullptr) break;
    directory.clear();
  }
  if (directory.empty())
    return text("bad no temporary directory can be made ({}): set TMPDIR to a writable directory that has room",
                std::strerror(errno));
  ::setenv("RONDO_CAPTURE", "1", 1);
  ::setenv("RONDO_OUTPUT", text("{}/probe.rondo", directory).c_str(), 1);
  if (by_launcher) {
    ::unsetenv("RONDO_DISABLE");
    ::setenv("XDG_DATA_DIRS", data_dirs_with(layer.share, std::getenv("XDG_DATA_DIRS")).c_str(), 1);
  }
  const std::string answer = probe_enabled(layer.library);
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  return answer;
}

void check_layer(Findings& findings, bool have_loader) {
  const auto layer = find_layer();
  if (!layer) return findings.bad("layer", layer.error().message, {});
  findings.ok("manifest", layer->manifest);
  const Answer library(probe([&] { return probe_library(layer->library); }));
  if (!library.good) return findings.bad("layer", library.rest, "rebuild or reinstall Rondo");
  findings.ok("layer", layer->library);
  if (!have_loader) return;
  const Answer launched(probe([&] { return try_enabled(*layer, true); }));
  if (launched.good)
    findings.ok("capture", "rondo capture loads the layer");
  else if (launched.rest == kNoDriver)
    return;  // what drivers lack is said of them
  else
    findings.bad("capture", text("rondo capture does not get the layer loaded: {}", launched.rest),
                 "look at VK_LOADER_LAYERS_DISABLE and VK_LOADER_DEBUG=layer");
  const Answer plain(probe([&] { return try_enabled(*layer, false); }));
  if (plain.good) {
    findings.ok("variable", "RONDO_CAPTURE=1 alone loads the layer");
  } else if (std::getenv("RONDO_DISABLE") != nullptr) {
    findings.warn("variable", "RONDO_CAPTURE=1 alone does not: RONDO_DISABLE is set", "unset it, or use rondo capture");
  } else {
    const char* dirs = std::getenv("XDG_DATA_DIRS");
    findings.warn("variable", "RONDO_CAPTURE=1 alone does not load it",
                  text("use rondo capture, or export XDG_DATA_DIRS={}", data_dirs_with(layer->share, dirs)));
  }
}

void check_shim(Findings& findings) {
  const auto layer = find_layer();
  if (!layer) return;  // said above
  constexpr const char* kWithout = "until then rondo capture works as with --layer-only";
  const auto shim = find_shim(*layer);
  if (!shim) return findings.warn("shim", shim.error().message, kWithout);
  const Answer library(probe([&] { return probe_library(*shim); }));
  if (!library.good) return findings.warn("shim", text("{}; rebuild or reinstall Rondo", library.rest), kWithout);
  findings.ok("shim", shim_place() == ShimPlace::first
                          ? *shim
                          : text("{} (a sanitized build: used only after a sanitizer's runtime in LD_PRELOAD)", *shim));
}

// What the probe of a driver said; the number of its devices.
std::size_t report_devices(Findings& findings, const std::string& driver, std::string_view lines, bool verbose) {
  std::size_t devices = 0;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const char kind = lines[0];
    const std::string_view words = lines.substr(1, end - 1);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (kind == kDeviceLine) {
      findings.ok("driver", text("{}: {}", driver, words));
      devices += 1;
    }
    if (kind == kUnknownLine)
      findings.warn(
          "driver", text("{}: is newer than this build of Rondo, which does not know {}", driver, words),
          "captured programs do not see it: remove ~/.cache/rondo-drivers/registry and run scripts/build with a new "
          "directory, which fetches the newest Vulkan registry");
    if (kind == kHiddenLine && verbose) findings.ok("hidden", text("{}: {}", driver, words));
  }
  return devices;
}

void check_drivers(Findings& findings, bool verbose) {
  std::size_t devices = 0;
  for (const std::string& manifest : player::driver_manifests()) {
    const std::string name = std::filesystem::path(manifest).stem();
    if (::access(manifest.c_str(), R_OK) != 0) {
      findings.bad("driver", text("{}: {}", manifest, std::strerror(errno)),
                   "correct VK_DRIVER_FILES or VK_ICD_FILENAMES, or install the driver");
      continue;
    }
    const Answer driver(probe([&] { return probe_driver(manifest); }));
    if (!driver.good) {
      findings.bad("driver", text("{}: {}", name, driver.rest),
                   text("update or remove it, or name another with VK_DRIVER_FILES ({})", printable(manifest)));
      continue;
    }
    if (driver.rest.empty()) findings.ok("driver", text("{}: no device of its kind here", name));
    devices += report_devices(findings, name, driver.rest, verbose);
  }
  if (devices == 0)
    findings.bad("device", "no Vulkan device", "install a driver (Debian, also without a GPU: mesa-vulkan-drivers)");
}

void check_player(Findings& findings) {
  const auto player = find_player();
  if (player)
    findings.ok("player", *player);
  else
    findings.bad("player", player.error().message, {});
}

void check_sandbox(Findings& findings) {
  if (const std::string lacks = player::sandbox_lacks(); lacks.empty())
    findings.ok("sandbox", "foreign captures are played in a sandbox");
  else
    findings.warn("sandbox", lacks,
                  "play captures of people whom you do not trust in a virtual machine; --sandbox=require refuses them");
}

}  // namespace

Result<int> run_doctor(Arguments args) {
  Cli cli("rondo doctor", "Checks what capturing and replaying need; each line is ok, warn or bad, with a remedy.");
  bool verbose = false;
  cli.flag("--verbose", "name each extension of the drivers here that is hidden from captured programs, and why",
           verbose);
  cli.footer("Exit status: 0, or 1 if a line is bad.");
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  // It is ours that is looked at, and by whom: nothing of this process is recorded.
  ::unsetenv("RONDO_CAPTURE");
  Findings findings;
  check_system(findings);
  check_disk(findings);
  const bool have_loader = check_loader(findings);
  check_layer(findings, have_loader);
  check_shim(findings);
  if (have_loader) check_drivers(findings, verbose);
  check_player(findings);
  check_sandbox(findings);
  RONDO_TRY(findings.finish());
  return findings.any_bad() ? 1 : 0;
}

}  // namespace rondo::analyzers
