// SPDX-License-Identifier: Apache-2.0
#include "analyzers/launch/report_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "analyzers/text/text.h"

namespace rondo::analyzers {

Report parse_report(const std::string& content) {
  Report report;
  std::string_view rest = content;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) break;  // the process died writing it
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (entry.empty()) report.lacks_entries = true;
    const std::size_t space = entry.find(' ');
    ReportedFile file;
    const auto number = std::from_chars(entry.data(), entry.data() + std::min(space, entry.size()), file.pid);
    if (space == std::string_view::npos || number.ec != std::errc() || number.ptr != entry.data() + space) continue;
    file.path = entry.substr(space + 1);
    if (file.path.empty() || file.path[0] == '/') report.files.push_back(std::move(file));
  }
  return report;
}

namespace {

// Of the reports that launchers make whose process ids mean here what they mean to them:
// "rondo-report-BOOT-NAMESPACE-". Several machines may have one directory, and their first namespaces have the same
// number. Empty: that is not known.
std::string name_here() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat status {};
  return !boot.empty() && ::stat("/proc/self/ns/pid", &status) == 0 ? text("rondo-report-{}-{:x}-", boot, status.st_ino)
                                                                    : std::string();
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

// Room for the entries of a hundred processes is taken now: a disk that is full later does not keep them out.
constexpr off_t kRoom = 16 * 1024;

// 0, or an errno value.
int take_room(int fd) {
  if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, kRoom) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  // A file system that cannot do this shows at least whether it is full now.
  const std::string zeros(static_cast<std::size_t>(kRoom), '\0');
  const ssize_t written = ::pwrite(fd, zeros.data(), zeros.size(), 0);
  if (written != static_cast<ssize_t>(zeros.size())) return written < 0 ? errno : ENOSPC;
  return ::ftruncate(fd, 0) == 0 ? 0 : errno;
}

}  // namespace

std::vector<std::string> temporary_directories() {
  std::vector<std::string> all;
  if (const char* named = std::getenv("TMPDIR"); named != nullptr && *named == '/') all.emplace_back(named);
  for (const char* usual : {"/tmp", "/var/tmp", "/dev/shm"}) all.emplace_back(usual);
  return all;
}

Result<ReportFile> ReportFile::create() {
  const std::string here = name_here();
  for (const std::string& place : temporary_directories()) {
    remove_left_behind(place, here);
    std::string path = text("{}/{}{}-XXXXXX", place, here.empty() ? "rondo-report-" : here, ::getpid());
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd < 0) continue;
    if (take_room(fd) == 0) return ReportFile(path, fd, true);
    ::close(fd);
    ::unlink(path.c_str());
  }
  // Other processes of this user open it by this process's table of descriptors.
  const int fd = ::memfd_create("rondo-report", MFD_CLOEXEC);
  if (fd >= 0) return ReportFile(text("/proc/{}/fd/{}", ::getpid(), fd), fd, false);
  return fail(Status::failed,
              text("no temporary file can be made, neither in a directory nor in memory ({}): set TMPDIR "
                   "to a writable directory that has room",
                   std::strerror(errno)));
}

ReportFile::~ReportFile() {
  if (has_name_) ::unlink(path_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

Report ReportFile::read() const {
  std::string content;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::pread(fd_, buffer, sizeof buffer, static_cast<off_t>(content.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return parse_report(content);
    content.append(buffer, static_cast<std::size_t>(n));
  }
}

std::string shown_path(const std::string& path) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  return !error && path.starts_with(here) ? path.substr(here.size()) : path;
}

}  // namespace rondo::analyzers
