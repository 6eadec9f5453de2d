// SPDX-License-Identifier: Apache-2.0
#include "sanitizers.h"

#include <cstdlib>
#include <filesystem>

#include "process.h"

namespace scenario {

namespace {

const TemporaryDirectory& reports() {
  static const TemporaryDirectory directory;
  return directory;
}

// A frame of the C library, which stands for whoever called it.
bool is_of_libc(const std::string& frame) {
  for (const char* place : {" nptl/", " sysdeps/", " string/", " ../sysdeps/", "/libc.so"})
    if (frame.find(place) != std::string::npos) return true;
  return false;
}

// A driver that died in its own code, which is not instrumented: that the process ended so
// says its status, which every scenario looks at.
bool is_death_of_driver(const std::string& report) {
  if (report.find("Sanitizer: SEGV") == std::string::npos || report.find("WARNING:") != std::string::npos) return false;
  for (int number = 0;; ++number) {
    const std::size_t at = report.find("#" + std::to_string(number) + " ");
    if (at == std::string::npos) return false;
    const std::string frame = report.substr(at, report.find('\n', at) - at);
    if (is_of_libc(frame)) continue;
    return frame.find("libvulkan_lvp.so") != std::string::npos ||
           frame.find("libvk_swiftshader.so") != std::string::npos;
  }
}

}  // namespace

void collect_sanitizer_reports() {
  // Each runtime opens its file by itself: no two may have the same name.
  for (const std::string sanitizer : {"ASAN", "UBSAN", "TSAN"}) {
    const std::string variable = sanitizer + "_OPTIONS";
    const char* given = std::getenv(variable.c_str());
    const std::string options = given == nullptr ? "" : std::string(given) + ":";
    ::setenv(variable.c_str(), (options + "log_path=" + reports().file(sanitizer)).c_str(), 1);
  }
}

std::string take_sanitizer_reports() {
  std::string text;
  for (const std::string& name : files_in(reports().path())) {
    const std::string report = read_file(reports().file(name));
    if (!is_death_of_driver(report)) text += report;
    std::filesystem::remove(reports().file(name));
  }
  return text;
}

}  // namespace scenario
