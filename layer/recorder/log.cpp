// SPDX-License-Identifier: Apache-2.0
#include "layer/recorder/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <span>

#include "format/printable.h"
#include "format/write_signals.h"

namespace rondo::layer {

namespace {
std::atomic<LogLevel> g_level{LogLevel::warn};
}

void set_log_level(LogLevel level) { g_level.store(level, std::memory_order_relaxed); }
bool log_enabled(LogLevel level) { return level <= g_level.load(std::memory_order_relaxed); }

void log(LogLevel level, std::string_view text) {
  if (!log_enabled(level)) return;
  // No stdio: the program may be inside its own, or have closed it.
  char line[1024];
  static constexpr std::string_view prefix = "rondo: ";
  std::memcpy(line, prefix.data(), prefix.size());
  const std::size_t body =
      printable_into(std::span(line).subspan(prefix.size(), sizeof line - prefix.size() - 1), text);
  line[prefix.size() + body] = '\n';
  const WriteSignalBlock block;
  if (::write(STDERR_FILENO, line, prefix.size() + body + 1) < 0) block.take(errno);
}

}  // namespace rondo::layer
