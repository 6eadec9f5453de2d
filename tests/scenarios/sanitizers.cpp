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
    text += read_file(reports().file(name));
    std::filesystem::remove(reports().file(name));
  }
  return text;
}

}  // namespace scenario
