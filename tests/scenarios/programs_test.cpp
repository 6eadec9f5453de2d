// SPDX-License-Identifier: Apache-2.0
// Whole captures and replays of tests/programs.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "replays.h"

using namespace scenario;

SCENARIO("many submits over one persistently mapped buffer replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("compute")}, {.submits = 64});
}

SCENARIO("an offscreen triangle with readback replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("triangle"), "--frames", "5"}, {.submits = 5});
}

SCENARIO("two threads that write one page and submit replay bit for bit", "[programs]") {
  replays_bit_for_bit({program("twoqueues_threads")}, {.submits = 128});
}

SCENARIO("a program that destroys nothing replays and leaves cleanly", "[programs]") {
  replays_bit_for_bit({program("leak")}, {.submits = 8, .frees_nothing_because = "it leaks everything"});
}

SCENARIO("a program that asks for Vulkan 1.4 is captured", "[programs]") {
  replays_bit_for_bit({program("vulkan14")}, {.submits = 1});
}

SCENARIO("ten thousand recorded draws replay bit for bit", "[programs]") {
  const Words words{program("draws"), "--calls", "5000", "--repeat", "2"};
  GIVEN("the capture, without checkpoints: nothing is read back") {
    const Recording& capture = captured(words);
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    THEN("every draw is in it") {
      const Outcome dump = rondo({"dump", "--format=jsonl", "--grep", "vkCmdDraw", capture.path});
      REQUIRE(dump.status == 0);
      CHECK(count(dump.out, "\"vkCmdDraw\"") == 10001);
    }
    THEN("it replays") {
      const Outcome outcome = player({capture.path});
      INFO(outcome.both());
      CHECK(outcome.status == 0);
    }
    THEN("verifying it is an error: there is nothing to compare") {
      const Outcome outcome = player({"--verify", capture.path});
      INFO(outcome.both());
      CHECK(outcome.status != 0);
      CHECK(is_one_line(outcome, "player"));
      CHECK(outcome.err.find("checkpoint") != std::string::npos);
    }
  }
}
