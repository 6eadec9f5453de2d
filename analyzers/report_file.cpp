// SPDX-License-Identifier: Apache-2.0
#include "analyzers/report_file.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzers/text.h"

namespace rondo::analyzers {

std::vector<ReportedFile> parse_report(const std::string& content) {
  std::vector<ReportedFile> files;
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) break;  // the process died writing it
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::size_t space = entry.find(' ');
    ReportedFile file;
    const auto number = std::from_chars(entry.data(), entry.data() + std::min(space, entry.size()), file.pid);
    if (space == std::string_view::npos || number.ec != std::errc() || number.ptr != entry.data() + space) continue;
    file.path = entry.substr(space + 1);
    if (file.path.empty() || file.path[0] == '/') files.push_back(std::move(file));
  }
  return files;
}

namespace {

// Of the reports that launchers make whose process ids mean here what they mean to them: "rondo-report-BOOT-NAMESPACE-". Several
// machines may have one directory, and their first namespaces have the same number. Empty: that is not known.
std::string name_here() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat status {};
  return !boot.empty() && ::stat("/proc/self/ns/pid", &status) == 0 ? text("rondo-report-{}-{:x}-", boot, status.st_ino) : std::string();
}

// Those of launchers that are dead: SIGKILL leaves them nothing to do.
void remove_left_behind(const std::filesystem::path& directory, const std::string& name_here) {
  if (name_here.empty()) return;
  std::error_code error;
  for (std::filesystem::directory_iterator one(directory, error), end; !error && one != end; one.increment(error)) {
    const std::string name = one->path().filename().string();
    pid_t pid = 0;
    if (!name.starts_with(name_here)) continue;
    const char* const digits = name.data() + name_here.size();
    const auto [behind, unread] = std::from_chars(digits, name.data() + name.size(), pid);
    if (unread == std::errc() && behind != digits && *behind == '-' && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
      ::unlink(one->path().c_str());
  }
}

}  // namespace

Result<ReportFile> ReportFile::create() {
  const std::string here = name_here();
  const char* directory = std::getenv("TMPDIR");
  std::string path;
  for (const char* place : {directory, "/tmp"}) {
    if (place == nullptr || *place != '/') continue;
    remove_left_behind(place, here);
    path = text("{}/{}{}-XXXXXX", place, here.empty() ? "rondo-report-" : here, ::getpid());
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) continue;
    ::close(fd);
    return ReportFile(path);
  }
  return fail(Status::failed, text("{}: {}: set TMPDIR to a writable directory", path, std::strerror(errno)));
}

ReportFile::~ReportFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<std::vector<ReportedFile>> ReportFile::read() const {
  std::ifstream in(path_, std::ios::binary);
  if (!in) return fail(Status::failed, text("{}: {}: cannot tell which captures were written", path_, std::strerror(errno)));
  return parse_report({std::istreambuf_iterator<char>(in), {}});
}

std::string shown_path(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

}  // namespace rondo::analyzers
