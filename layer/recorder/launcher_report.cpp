// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/launcher_report.h"

#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <span>
#include <string_view>

#include "layer/recorder/environment.h"
#include "layer/recorder/log.h"

namespace rondo::layer {

LauncherReport::LauncherReport() {
  const char* path = environment_of("RONDO_REPORT_FILE");
  if (path == nullptr || *path == '\0') return;
  auto file = File::open(path, true);
  if (!file) {
    if (::access(path, F_OK) == 0 || errno != ENOENT) failure_ = file.error().message;
    return;
  }
  // Held for as long as it takes to create a capture. A process that was
  // stopped while it held it must not stop this one.
  const std::timespec pause{0, 2'000'000};
  for (int attempt = 0; attempt < 500 && !file->lock_exclusive(); ++attempt) ::nanosleep(&pause, nullptr);
  file_ = std::move(*file);
}

bool LauncherReport::has_other_than(std::int64_t pid) const {
  if (!file_) return false;
  std::string text(static_cast<std::size_t>(file_->bytes()), '\0');
  if (!file_->read(0, std::as_writable_bytes(std::span(text)))) return false;
  const std::string own = std::to_string(pid) + " ";
  for (std::string_view rest = text; rest.find('\0') != std::string_view::npos; rest.remove_prefix(rest.find('\0') + 1))
    if (!rest.starts_with(own)) return true;
  return false;
}

void LauncherReport::add(std::int64_t pid, const std::string& path) const {
  std::string why = failure_;
  if (file_) {
    const std::uint64_t end = file_->bytes();
    const std::string entry = std::to_string(pid) + " " + path + '\0';
    if (const int error = file_->write(end, std::as_bytes(std::span(entry)))) {
      why = errno_text(error);
      // What is longer by a hole needs no room.
      static_cast<void>(file_->truncate(end));
      static_cast<void>(file_->truncate(end + 1));
    }
  }
  if (why.empty() || path.empty()) return;
  log(LogLevel::warn, "cannot tell the launcher about " + path + ", which is recorded all the same: " + why);
}

}  // namespace rondo::layer
