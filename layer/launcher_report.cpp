// SPDX-License-Identifier: Apache-2.0
#include "layer/launcher_report.h"

#include <ctime>
#include <span>
#include <string_view>

#include "layer/environment.h"
#include "layer/log.h"

namespace rondo::layer {

LauncherReport::LauncherReport() {
  const char* path = environment_of("RONDO_REPORT_FILE");
  if (path == nullptr || *path == '\0') return;
  auto file = File::open(path, true);
  if (!file) return;
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
  for (std::string_view rest = text; rest.find('\0') != std::string_view::npos;
       rest.remove_prefix(rest.find('\0') + 1))
    if (!rest.starts_with(own)) return true;
  return false;
}

void LauncherReport::add(std::int64_t pid, const std::string& path) const {
  if (!file_) return;
  const std::string entry = std::to_string(pid) + " " + path + '\0';
  if (file_->write(file_->bytes(), std::as_bytes(std::span(entry))) != 0)
    log(LogLevel::warn, "cannot tell the launcher about " + path);
}

}  // namespace rondo::layer
