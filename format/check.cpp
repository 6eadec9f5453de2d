// SPDX-License-Identifier: Apache-2.0
#include "format/check.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace rondo {

namespace {

std::atomic<CheckHandler> g_handler{nullptr};

// The file as it is named from the root of the source tree. Compilers name it from the build directory.
std::string_view from_root(std::string_view file) {
  while (file.starts_with("../")) file.remove_prefix(3);
  return file;
}

}  // namespace

CheckHandler set_check_handler(CheckHandler handler) noexcept { return g_handler.exchange(handler); }

void check_failed(const char* file, int line, const char* condition) {
  const std::string failure =
      std::string(from_root(file)) + ":" + std::to_string(line) + ": " + condition + " does not hold";
  if (const CheckHandler handler = g_handler.load(); handler != nullptr) handler(failure);
  const std::string text =
      "rondo: a mistake of Rondo's own: " + failure + "; please report this line together with the capture\n";
  // Where it cannot be written, the signal alone says that something is wrong.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  ::signal(SIGABRT, SIG_DFL);  // the player's handler of crashes would blame the driver
  std::abort();
}

}  // namespace rondo
