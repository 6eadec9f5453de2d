// SPDX-License-Identifier: Apache-2.0
// Descriptors that programs put into buffers, on a driver that has it: they hold
// pointers of the driver's own process.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "json.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {
const Words kWords{program("descriptor_buffers")};
std::string cannot() { return cannot_run(kWords, lavapipe25); }
}  // namespace

SCENARIO("descriptors in buffers replay bit for bit", "[descriptor-buffers]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  replays_bit_for_bit({program("descriptor_buffers")},
                      {.submits = 7,
                       .driver = lavapipe25,
                       .memory_differs_because = "descriptors hold pointers of the driver's process"});
}

SCENARIO("descriptors in buffers are replaced however host writes are found", "[descriptor-buffers]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  for (const char* way : {"shadow", "scan", "guard"}) {
    const Recording& capture = captured(kWords, {.checkpoints = "submit", .memory = way, .driver = lavapipe25});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const Outcome outcome = player({"--verify", capture.path}, lavapipe25);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("a device without descriptor buffers is refused, with what it lacks", "[descriptor-buffers]") {
  if (const std::string why = cannot(); !why.empty()) SKIP_SCENARIO(why);
  const Recording& capture = captured(kWords, {.driver = lavapipe25});
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path}, lavapipe);
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("VK_EXT_descriptor_buffer") != std::string::npos);
}
