// SPDX-License-Identifier: Apache-2.0
// Memory that a program imports from host pointers (VK_EXT_external_memory_host).
#include <catch2/catch.hpp>

#include "fixture.h"
#include "oracle.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

const char* const kLacksIt = "lacks=VK_EXT_external_memory_host";

Expectations on(const std::string& driver) { return {.submits = 32, .driver = driver}; }

}  // namespace

SCENARIO("memory that is imported from host pointers replays bit for bit", "[imports]") {
  replays_bit_for_bit({program("host_pointers")}, on(lavapipe));
}

SCENARIO("memory that is imported from host pointers replays bit for bit on a newer lavapipe", "[imports]") {
  if (!no_driver(lavapipe25).empty()) SKIP_SCENARIO(no_driver(lavapipe25));
  replays_bit_for_bit({program("host_pointers")}, on(lavapipe25));
}

SCENARIO("memory that is imported from host pointers replays bit for bit on SwiftShader", "[imports]") {
  if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
  replays_bit_for_bit({program("host_pointers")}, on(swiftshader));
}

SCENARIO("imported memory is the same however host writes are found", "[imports]") {
  for (const char* way : {"alias", "pagemap", "shadow", "scan", "guard"}) {
    const Recording& capture = captured({program("host_pointers")}, {.memory = way, .oracle = true});
    INFO(way << "\n" << capture.run.both());
    REQUIRE(capture.run.status == 0);
    const OracleRun replay = replay_under_oracle(capture, lavapipe, "", "", 2);
    INFO(replay.outcome.both() << replay.result.text());
    CHECK(replay.outcome.status == 0);
    CHECK(replay.result.equal > 0);
    CHECK(replay.result.differences.empty());
    CHECK(replay.result.problems.empty());
  }
}

SCENARIO("imported memory is ordinary memory on another device", "[imports]") {
  const Recording& capture = captured({program("host_pointers"), "--twice", "0"}, {.checkpoints = "readback"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  THEN("it plays where nothing can be imported") {
    const Outcome outcome = player({capture.path}, fake, kLacksIt);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
  THEN("what is not computed is verified on another driver") {
    if (!no_driver(swiftshader).empty()) SKIP_SCENARIO(no_driver(swiftshader));
    const Outcome outcome = player({"--verify", capture.path}, swiftshader);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
}

SCENARIO("pages that were imported twice are shared in a replay, or it is refused by name", "[imports]") {
  const Recording& capture = captured({program("host_pointers")}, {.checkpoints = "readback"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  THEN("they are shared on another device") {
    const Outcome outcome = player({capture.path}, fake, "import-alignment=4096");
    INFO(outcome.both());
    CHECK(outcome.status == 0);
  }
  THEN("a device that imports larger pieces only says so") {
    const Outcome outcome = player({capture.path}, fake);
    INFO(outcome.both());
    CHECK(outcome.status == 4);
    CHECK(outcome.err.find("multiples of 65536 bytes") != std::string::npos);
  }
  THEN("a device that imports nothing is refused") {
    const Outcome outcome = player({capture.path}, fake, kLacksIt);
    INFO(outcome.both());
    CHECK(outcome.status == 4);
    CHECK(outcome.err.find("shared its pages with another import") != std::string::npos);
  }
}

// On software drivers it is where the program's pages lay.
SCENARIO("a device address of imported memory that cannot be had again is refused by name", "[imports]") {
  const Recording& capture = captured({program("host_pointers"), "--address", "1"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const Outcome outcome = player({capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 4);
  CHECK(outcome.err.find("device address") != std::string::npos);
}
