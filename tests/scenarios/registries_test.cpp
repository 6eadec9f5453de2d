// SPDX-License-Identifier: Apache-2.0
// What builds with older registries captured, this build plays: the kept captures of tests/captures.
#include <algorithm>
#include <catch2/catch.hpp>
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

constexpr int kDeviceLacks = 4;

// Bit for bit on the device and driver of the capture. Another one may round otherwise, or lack something.
Outcome play(const std::string& path, const std::string& driver) {
  const Outcome verified = player({"--verify", path}, driver);
  if (verified.status == 0 || verified.both().find("the captured device and driver") != std::string::npos)
    return verified;
  return player({path}, driver);
}

void all_play(const std::string& folder, const std::string& driver) {
  const std::vector<std::string> paths = captures_of(folder);
  int played = 0;
  for (const std::string& path : paths) {
    const Outcome outcome = play(path, driver);
    INFO(path << ": " << outcome.both());
    CHECK((outcome.status == 0 || outcome.status == kDeviceLacks));
    played += outcome.status == 0 ? 1 : 0;
  }
  CHECK(played > 50);
}

}  // namespace

SCENARIO("what a build with Vulkan 1.3.239 captured plays", "[registries]") { all_play("vulkan-1.3.239", lavapipe); }

SCENARIO("what a build with Vulkan 1.4.309 captured plays", "[registries]") {
  if (const std::string lacking = no_driver(lavapipe25); !lacking.empty()) SKIP_SCENARIO(lacking);
  all_play("vulkan-1.4.309", lavapipe25);
}
