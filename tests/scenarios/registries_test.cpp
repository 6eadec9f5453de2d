// SPDX-License-Identifier: Apache-2.0
// What builds with older registries captured, this build plays: the kept captures of tests/captures.
#include <catch2/catch.hpp>
#include <algorithm>
#include <filesystem>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

std::vector<std::string> captures_of(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(RONDO_SCENARIOS "/../captures/" + folder))
    if (entry.path().extension() == ".rondo") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Bit for bit on the device and driver of the capture; elsewhere it is played, as far as the device can.
std::string play(const std::string& path, const std::string& driver) {
  const Outcome verified = player({"--verify", path}, driver);
  if (verified.status == 0) return "";
  if (verified.both().find("the captured device and driver") != std::string::npos) return verified.both();
  const Outcome played = player({path}, driver);
  const bool refused = is_one_line(played, "player") && played.both().find("encoding") == std::string::npos;
  return played.status == 0 || refused ? "" : played.both();
}

void all_play(const std::string& folder, const std::string& driver) {
  const std::vector<std::string> paths = captures_of(folder);
  CHECK(paths.size() > 50);
  for (const std::string& path : paths) {
    INFO(path);
    CHECK(play(path, driver) == "");
  }
}

}  // namespace

SCENARIO("what a build with Vulkan 1.3.239 captured plays", "[registries]") {
  all_play("vulkan-1.3.239", lavapipe);
}

SCENARIO("what a build with Vulkan 1.4.309 captured plays", "[registries]") {
  if (const std::string lacking = no_driver(lavapipe25); !lacking.empty()) SKIP_SCENARIO(lacking);
  all_play("vulkan-1.4.309", lavapipe25);
}
