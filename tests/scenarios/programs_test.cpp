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

SCENARIO("a read-back that comes out the same again replays bit for bit", "[programs]") {
  replays_bit_for_bit({program("rewrite")}, {.submits = 3});
}

// What they print is what there is, and some of that is hidden from captured programs.
SCENARIO("programs that only ask what there is replay", "[programs]") {
  const std::string name = GENERATE("extensions", "surface");
  replays_bit_for_bit({program(name)}, {.submits = 0,
                                        .prints_the_same = false,
                                        .no_checkpoints = "nothing is read back",
                                        .allocates_nothing_because = "it makes nothing but a device"});
}

SCENARIO("ten thousand recorded draws replay", "[programs]") {
  const Words words{program("draws"), "--calls", "5000", "--repeat", "2"};
  replays_bit_for_bit(words, {.submits = 1,
                              .prints_the_same = false,  // times
                              .no_checkpoints = "nothing is read back"});
  GIVEN("the capture, without checkpoints") {
    const Recording& capture = captured(words);
    REQUIRE(capture.run.status == 0);
    THEN("every draw is in it") {
      const Outcome dump = rondo({"dump", "--format=jsonl", "--grep", "vkCmdDraw", capture.path});
      REQUIRE(dump.status == 0);
      CHECK(count(dump.out, "\"vkCmdDraw\"") == 10001);
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
