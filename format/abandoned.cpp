// SPDX-License-Identifier: Apache-2.0
#include "format/abandoned.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

namespace rondo {

namespace {

// The process that made a temporary file of this name for `name` (empty: for any), or for a temporary file of
// it; 0: it is no such name.
pid_t maker_of(std::string_view entry, std::string_view name, std::string_view ending) {
  if (!entry.starts_with('.') || !entry.ends_with(ending) || entry.size() <= 1 + ending.size()) return 0;
  entry = entry.substr(1, entry.size() - 1 - ending.size());
  const std::size_t dot = entry.rfind('.');
  if (dot == std::string_view::npos) return 0;
  const std::string_view numbers = entry.substr(dot + 1), base = entry.substr(0, dot);
  pid_t process = 0;
  unsigned count = 0;
  const char* const last = numbers.data() + numbers.size();
  const auto [end, error] = std::from_chars(numbers.data(), last, process);
  if (error != std::errc() || process <= 0 || end == last || *end != '-') return 0;
  if (const auto [end2, error2] = std::from_chars(end + 1, last, count); error2 != std::errc() || end2 != last)
    return 0;
  // Of a long name the file has the first bytes only, some 100 of them.
  constexpr std::size_t kWhole = 97;
  const bool is_of_name = base == name || (base.size() >= kWhole && name.starts_with(base));
  return name.empty() || is_of_name || maker_of(base, name, ending) != 0 ? process : 0;
}

void remove_if_abandoned(int directory, const char* entry) {
  const int fd = ::openat(directory, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  struct stat found {};
  if (::fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
      ::flock(fd, LOCK_EX | LOCK_NB) == 0)
    ::unlinkat(directory, entry, 0);
  ::close(fd);
}

}  // namespace

void remove_abandoned(const std::string& path, std::string_view ending) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  DIR* const entries = ::opendir(directory.c_str());
  if (entries == nullptr) return;
  while (const dirent* entry = ::readdir(entries)) {
    const pid_t maker = maker_of(entry->d_name, name, ending);
    if (maker != 0 && ::kill(maker, 0) != 0 && errno == ESRCH) remove_if_abandoned(::dirfd(entries), entry->d_name);
  }
  ::closedir(entries);
}

}  // namespace rondo
