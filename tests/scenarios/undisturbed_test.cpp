// SPDX-License-Identifier: Apache-2.0
// What a program does with pages that a device works on means the same with a recorder: it forks, it gives
// pages back.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "oracle.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

Outcome alone(const Words& words, const std::string& driver) {
  Command command;
  command.arguments = words;
  use_driver(command.environment, driver);
  return run_on(driver, command);
}

// However host writes are found.
void prints_the_same(const Words& words, const std::string& driver) {
  if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
  const Outcome native = alone(words, driver);
  INFO("alone: " << native.both());
  REQUIRE(native.status == 0);
  for (const char* memory : {"auto", "pagemap", "guard", "shadow", "scan"}) {
    const Recording& capture = captured(words, {.memory = memory, .driver = driver});
    INFO(memory << ": " << capture.run.both());
    CHECK(capture.run.status == 0);
    CHECK(capture.run.out == native.out);
  }
}

}  // namespace

SCENARIO("a forked child and its parent see what they see without a recorder", "[undisturbed]") {
  prints_the_same({program("parted"), "--grand", "1"}, lavapipe);
}

SCENARIO("a forked child and its parent see what they see without a recorder on a newer lavapipe", "[undisturbed]") {
  prints_the_same({program("parted"), "--grand", "1"}, lavapipe25);
}

SCENARIO("a forked child and its parent see what they see without a recorder on SwiftShader", "[undisturbed]") {
  prints_the_same({program("parted"), "--grand", "1"}, swiftshader);
}

SCENARIO("checkpoints change nothing of what a forked child and its parent see", "[undisturbed]") {
  const Words words{program("parted")};
  const std::string native = alone(words, lavapipe).out;
  for (const char* checkpoints : {"readback", "submit"}) {
    const Recording& capture = captured(words, {.checkpoints = checkpoints});
    INFO(checkpoints << ": " << capture.run.both());
    CHECK(capture.run.out == native);
    const Outcome replay = player({"--verify", capture.path});
    INFO(replay.both());
    CHECK(replay.status == 0);
  }
}

SCENARIO("that a child shares what it has a copy of without a recorder is said", "[undisturbed]") {
  const Recording& capture = captured({program("parted"), "--limited", "1"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(count(capture.run.err, "a child of fork shares 3 MiB of device memory with its parent") == 1);
  const Outcome dump = rondo({"dump", capture.path});
  CHECK(dump.out.find("a child of fork shares 3 MiB of device memory with its parent") != std::string::npos);
}

SCENARIO("pages that a program gives back are what they are without a recorder", "[undisturbed]") {
  prints_the_same({program("given_back")}, lavapipe);
}

SCENARIO("pages that a program gives back are what they are without a recorder on a newer lavapipe", "[undisturbed]") {
  prints_the_same({program("given_back")}, lavapipe25);
}

// Its memory begins within a page: the kernel takes none of it back, which the program would see.
SCENARIO("pages of its own that a program gives back are what they are without a recorder on SwiftShader",
         "[undisturbed]") {
  prints_the_same({program("given_back"), "--own", "1"}, swiftshader);
}

SCENARIO("advice that private pages refuse is refused with a recorder, too", "[undisturbed]") {
  constexpr const char* free_later = "8";
  constexpr const char* remove = "9";
  for (const std::string& driver : {lavapipe, lavapipe25}) {
    if (!no_driver(driver).empty()) SKIP_SCENARIO(no_driver(driver));
    for (const char* advice : {free_later, remove}) {
      const Words words{program("given_back"), "--advice", advice};
      const Outcome native = alone(words, driver);
      const Outcome& run = captured(words, {.driver = driver}).run;
      INFO(driver << " " << advice << "\n" << native.both() << run.both());
      // What of pages that may be taken later is left is the kernel's business.
      for (const std::string& line : lines(native.out))
        if (line.find("madvise") != std::string::npos || advice == remove)
          CHECK(run.out.find(line) != std::string::npos);
    }
  }
}

SCENARIO("a replay gives back what the program gave back", "[undisturbed]") {
  for (const char* memory : {"auto", "pagemap", "guard", "shadow", "scan"}) {
    const Recording& capture = captured({program("given_back")}, {.memory = memory, .oracle = true});
    INFO(memory << ": " << capture.run.both());
    const OracleRun replay = replay_under_oracle(capture, lavapipe, "", "", 2);
    INFO(replay.outcome.both() << replay.result.text());
    CHECK(replay.outcome.status == 0);
    CHECK(replay.result.equal > 0);
    CHECK(replay.result.differences.empty());
  }
}

SCENARIO("a program whose forked child goes on replays bit for bit", "[undisturbed]") {
  replays_bit_for_bit({program("parted")});
}

SCENARIO("a program that gives mapped pages back replays bit for bit", "[undisturbed]") {
  replays_bit_for_bit({program("given_back")});
}
