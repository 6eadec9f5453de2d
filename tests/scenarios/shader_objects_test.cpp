// SPDX-License-Identifier: Apache-2.0
// Shaders without pipelines, on a driver that has them.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {
const Words kWords{program("shader_objects")};
std::string cannot() { return cannot_run(kWords, lavapipe25); }
}  // namespace

SCENARIO("shaders without pipelines replay bit for bit", "[shader-objects]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit(
      {program("shader_objects")},
      {.submits = 6, .driver = lavapipe25, .not_validated_because = "the validation layer here does not know them"});
}

SCENARIO("a device without shader objects is refused, with what it lacks", "[shader-objects]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(kWords, {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, lavapipe);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("VK_EXT_shader_object") != std::string::npos);
}
