// SPDX-License-Identifier: Apache-2.0
#include "player/user_directory.h"

#include <cstdlib>
#include <filesystem>

namespace rondo::player {

std::string user_directory(const char* variable, const char* below_home) {
  const char* named = std::getenv(variable);
  if (named != nullptr && *named == '/') return named;
  const char* home = std::getenv("HOME");
  std::error_code error;
  if (home == nullptr || *home != '/' || !std::filesystem::is_directory(home, error)) return {};
  return std::string(home) + "/" + below_home;
}

}  // namespace rondo::player
