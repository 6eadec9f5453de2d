// SPDX-License-Identifier: Apache-2.0
// Cuts whose spans begin with images of several samples: the program gives every sample of every layer a
// value of its own before the span, and reads them all in it.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"

using namespace scenario;

namespace {

// Of the program's formats: those that every driver here takes bit by bit, and computes alike in the span.
constexpr const char* kAlike = "28157";  // all but R8G8B8A8_SRGB, A2B10G10R10_UNORM and D24_UNORM_S8_UINT
constexpr const char* kRounded = "514";  // the first two of these

struct Cut {
  TemporaryDirectory directory;
  std::string path = directory.path() + "/cut.rondo";
  Outcome trimmed;
};

void cut(Cut& cut, const std::string& formats, const std::string& driver, const Words& more = {}) {
  const Recording& capture =
      captured({program("samples"), "--formats", formats}, {.checkpoints = "submit", .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  Command trim;
  trim.arguments = {
      build_root() + "/analyzers/rondo", "trim", "--validate", "--submits", "1:2", capture.path, "-o", cut.path};
  trim.arguments.insert(trim.arguments.end(), more.begin(), more.end());
  use_driver(trim.environment, driver);
  cut.trimmed = run(trim);
}

void is_equal(const Outcome& outcome) {
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Compared parts = compared(outcome, "parts of buffers and images"), ranges = compared(outcome, "memory ranges");
  CHECK(parts.equal > 0);
  CHECK(ranges.equal > 0);
  CHECK(ranges.equal == ranges.all);
}

}  // namespace

SCENARIO("a cut brings every sample, and plays and loops like its source", "[sampled-contents]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  for (const char* formats : {kAlike, kRounded}) {
    Cut made;
    cut(made, formats, lavapipe);
    INFO(made.trimmed.both());
    REQUIRE(made.trimmed.status == 0);
    CHECK(made.trimmed.out.find("that cannot be copied") == std::string::npos);
    is_equal(player({"--verify", "--validate", made.path}));
    is_equal(player({"--verify", "--loop", "3", made.path}));
  }
}

SCENARIO("depth that a device does not take as it was is drawn again, or stays as the device lays it out",
         "[sampled-contents]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  Cut made;
  cut(made, "4096", lavapipe);  // D24_UNORM_S8_UINT: lavapipe rounds it each time that it is read
  INFO(made.trimmed.both());
  REQUIRE(made.trimmed.status == 0);
  CHECK(made.trimmed.out.find("1 submitting call before") != std::string::npos);
  is_equal(player({"--verify", "--validate", made.path}));
  is_equal(player({"--verify", "--loop", "3", made.path}));
  if (no_driver(lavapipe25).empty()) CHECK(player({"--validate", made.path}, lavapipe25).status == 0);
  Cut raw;
  cut(raw, "4096", lavapipe, {"--leave-out", "calls"});
  INFO(raw.trimmed.both());
  REQUIRE(raw.trimmed.status == 0);
  CHECK(raw.trimmed.out.find("1 image of several samples") != std::string::npos);
  is_equal(player({"--verify", "--validate", raw.path}));
  if (no_driver(lavapipe25).empty()) CHECK(player({raw.path}, lavapipe25).status == 4);
}

SCENARIO("samples of a cut go to other drivers", "[sampled-contents]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  for (const std::string& from : {lavapipe, lavapipe25, swiftshader}) {
    if (!no_driver(from).empty()) SKIP_SCENARIO(no_driver(from));
    Cut made;
    cut(made, kAlike, from);
    INFO(made.trimmed.both());
    REQUIRE(made.trimmed.status == 0);
    for (const std::string& to : {lavapipe, lavapipe25, swiftshader}) {
      if (!no_driver(to).empty()) continue;
      INFO(from << " to " << to);
      is_equal(player({"--verify", "--validate", made.path}, to));
    }
  }
}
