// SPDX-License-Identifier: Apache-2.0
// Host writes without a wait: those after the end of the work that uses the bytes come after it in a replay,
// those before it (late latching) and beside it (double buffering) cost a replay no wait.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "oracle.h"
#include "replays.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

struct Case {
  int work_ms = 0;                                               // how long the work takes
  int after_ms = 0;                                              // when the host writes, from the submit on
  std::string what = "0", map = "0", fence = "0", rounds = "1";  // of the program
  std::string prints = "";
  std::string memory = "alias", alias = "0";
  bool lazy = false;  // the queues work only while somebody waits or asks

  Words words() const {
    return {program("late_write"),
            "--after",
            std::to_string(after_ms),
            "--what",
            what,
            "--map",
            map,
            "--fence",
            fence,
            "--alias",
            alias,
            "--rounds",
            rounds};
  }
  std::string settings() const { return "delay-us=" + std::to_string(work_ms * 1000) + (lazy ? ",lazy=1" : ""); }
};

// Captured without checkpoints on the fake driver: its memory is the same in a replay. Returns the capture.
const Recording& leaves_the_same(const Case& one) {
  const Recording& capture =
      captured(one.words(), {.memory = one.memory, .driver = fake, .settings = one.settings(), .oracle = true});
  INFO(one.memory << ", work of " << one.work_ms << " ms, --map " << one.map << " --fence " << one.fence << " --what "
                  << one.what << capture.run.both());
  CHECK(capture.run.status == 0);
  CHECK(capture.run.out.find("late_write: " + one.prints + "\n") != std::string::npos);
  const OracleRun replay = replay_under_oracle(capture, fake, one.settings(), "", 2);
  INFO(replay.outcome.both() << replay.result.text());
  CHECK(replay.outcome.status == 0);
  CHECK(replay.result.equal > 0);
  CHECK(replay.result.differences.empty());
  return capture;
}

bool has_record(const Recording& capture, const std::string& text) {
  return rondo({"dump", capture.path}).out.find(text) != std::string::npos;
}

constexpr int kAtTheEnd = 1;  // waits of the player's own, before it destroys the device

// How often the player called that of the fake driver.
int calls_in_replay(const Recording& capture, const std::string& settings, const std::string& command) {
  const TemporaryDirectory directory;
  const std::string log = directory.file("calls");
  const Outcome outcome = player({capture.path}, fake, settings + ",log=" + log);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  int calls = 0;
  for (const std::string& line : lines(read_file(log))) calls += line == command ? 1 : 0;
  return calls;
}

}  // namespace

SCENARIO("what the host writes after the end of work comes after it in a replay", "[late-writes]") {
  for (const int work_ms : {0, 20, 300, 2000})
    for (const char* what : {"0", "1"})
      for (const char* map : {"0", "1"}) {
        if (work_ms == 2000 && what[0] != map[0]) continue;  // they take long
        Case one{.work_ms = work_ms, .after_ms = work_ms + 300, .what = what, .map = map};
        one.fence = what[0] == map[0] ? "1" : "0";
        one.prints = what[0] == '0' ? "1 0" : "100 0";
        const Recording& capture = leaves_the_same(one);
        CHECK(has_record(capture, "rondoWorkEnded"));
        CHECK(!has_record(capture, "unsure=true"));
      }
}

SCENARIO("what the host writes after the end of work is found by every means", "[late-writes]") {
  for (const char* memory : {"shadow", "pagemap", "scan", "guard"})
    leaves_the_same({.work_ms = 300, .after_ms = 700, .prints = "1 0", .memory = memory});
}

SCENARIO("what the host writes after the end of work is found through other buffers on its memory", "[late-writes]") {
  for (const char* what : {"0", "1"})
    leaves_the_same(
        {.work_ms = 20, .after_ms = 320, .what = what, .prints = what[0] == '0' ? "1 0" : "100 0", .alias = "1"});
}

SCENARIO("what the host writes after the end of work is found where queues are lazy", "[late-writes]") {
  for (const int work_ms : {0, 20})
    for (const char* what : {"0", "1"})
      leaves_the_same({.work_ms = work_ms,
                       .after_ms = work_ms + 300,
                       .what = what,
                       .prints = what[0] == '0' ? "1 0" : "100 0",
                       .lazy = true});
}

SCENARIO("what the host writes before the end of work stays where it is", "[late-writes]") {
  const Case one{.work_ms = 500, .after_ms = 1, .prints = "100 0"};
  const Recording& capture = leaves_the_same(one);
  CHECK(!has_record(capture, "rondoWorkEnded"));
  CHECK(calls_in_replay(capture, one.settings(), "vkWaitForFences") == kAtTheEnd);
}

SCENARIO("what the host writes beside what work uses waits for nothing in a replay", "[late-writes]") {
  const Case beside{.work_ms = 50, .after_ms = 200, .what = "2", .rounds = "4", .prints = "101 102"};
  const Recording& capture = leaves_the_same(beside);
  CHECK(has_record(capture, "rondoWorkEnded"));
  CHECK(calls_in_replay(capture, beside.settings(), "vkWaitForFences") == 3 + kAtTheEnd);  // the program's own
  const Case over{.work_ms = 50, .after_ms = 200, .rounds = "4", .prints = "102 0"};
  CHECK(calls_in_replay(leaves_the_same(over), over.settings(), "vkWaitForFences") > kAtTheEnd);
}

SCENARIO("what the host writes while work ends is counted, and a replay names it", "[late-writes]") {
  const Case one{.work_ms = 100, .after_ms = 300, .what = "3"};
  const Recording& capture = captured(one.words(), {.memory = "alias", .driver = fake, .settings = one.settings()});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK(has_record(capture, "unsure=true"));
  CHECK(capture.run.err.find("may have been made before or after the end of work that uses the bytes") !=
        std::string::npos);
  CHECK(rondo({"info", capture.path}).out.find("may have been made before or after") != std::string::npos);
  const Outcome replay = player({capture.path}, fake, one.settings());
  INFO(replay.both());
  CHECK(replay.status == 0);
  CHECK(replay.out.find("came before or after the end of work that uses the bytes") != std::string::npos);
}

SCENARIO("what the host writes beside what work uses replays bit for bit", "[late-writes]") {
  replays_bit_for_bit({program("late_write"), "--what", "2", "--rounds", "4", "--after", "20"}, {.submits = 4});
}

SCENARIO("what the host writes after the end of work is right in cuts and loops", "[late-writes]") {
  const Case one{.work_ms = 100, .after_ms = 400, .rounds = "3", .prints = "101 0"};
  const Recording& capture =
      captured(one.words(), {.checkpoints = "readback", .memory = "alias", .driver = fake, .settings = one.settings()});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  for (const Words& span : {Words{"--submits", "0:3"}, Words{"--submits", "1:3"}})
    cut_verifies(cut(capture, span, fake, one.settings()), fake, one.settings());
  const Outcome looped = player({"--verify", "--loop", "3", capture.path}, fake, one.settings());
  INFO(looped.both());
  CHECK(looped.status == 0);
}

SCENARIO("what the host writes after the end of work comes after it on lavapipe", "[late-writes]") {
  for (const char* memory : {"auto", "pagemap"}) {
    const Recording& capture =
        captured({program("late_write"), "--after", "3000", "--fills", "4"}, {.memory = memory, .oracle = true});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    CHECK(capture.run.out.find("late_write: 1 0\n") != std::string::npos);
    const OracleRun replay = replay_under_oracle(capture, lavapipe, "", "", 2);
    INFO(memory << replay.outcome.both() << replay.result.text());
    CHECK(replay.outcome.status == 0);
    CHECK(replay.result.equal > 0);
    CHECK(replay.result.differences.empty());
  }
}
