// SPDX-License-Identifier: Apache-2.0
// Programs that have very much of one thing: they run as without Rondo, and what they
// did is the same in a replay.
#include <algorithm>
#include <catch2/catch.hpp>
#include <regex>

#include "fixture.h"
#include "replays.h"
#include "skip.h"

using namespace scenario;

namespace {

#if defined(RONDO_SANITIZER_RUNTIME) || defined(RONDO_COVERAGE)
constexpr int kMany = 20;  // a part of the amount: these builds are slow
#else
constexpr int kMany = 1;
#endif

Words only(const std::string& option, long amount) {
  Words words{program("quantities")};
  for (const std::string name : {"--objects", "--allocations", "--mebibytes"})
    words.insert(words.end(), {name, std::to_string(name == option ? amount : 0)});
  return words;
}

Outcome alone(const Words& words) {
  Command command;
  command.arguments = words;
  use_driver(command.environment, lavapipe);
  return run_on(lavapipe, command);
}

// The same output and status as without Rondo, and a replay that verifies.
void is_recorded(const Words& words, const std::string& checkpoints) {
  const Outcome native = alone(words);
  const Recording& capture = captured(words, {.checkpoints = checkpoints});
  INFO(native.both() << capture.run.both());
  REQUIRE(native.status == 0);
  REQUIRE(capture.run.status == 0);
  CHECK(capture.run.out == native.out);
  Words arguments{capture.path};
  if (checkpoints != "none") arguments.push_back("--verify");
  const Outcome outcome = player(arguments);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  if (checkpoints == "none") return;
  const Compared result = compared(outcome, "memory ranges");
  CHECK(result.equal > 0);
  CHECK(result.equal == result.all);
}

long growth_kib(const Outcome& outcome) {
  std::smatch match;
  REQUIRE(std::regex_search(outcome.err, match, std::regex("grew by (-?[0-9]+) KiB")));
  return std::stol(match[1]);
}

}  // namespace

SCENARIO("objects, allocations and mapped memory, a little of each, replay bit for bit", "[quantities]") {
  replays_bit_for_bit({program("quantities")}, {.submits = 6});
}

SCENARIO("ten thousand allocations at once replay bit for bit", "[quantities]") {
  is_recorded(only("--allocations", 10000 / kMany), no_readback().empty() ? "readback" : "none");
}

SCENARIO("four gibibytes that stay mapped are recorded, and play", "[quantities]") {
  is_recorded(only("--mebibytes", 4096 / kMany), "none");
}

SCENARIO("a million objects come and go in a captured program whose memory stays flat", "[quantities]") {
  const Words words = only("--objects", 1000000 / kMany);
  const Outcome native = alone(words);
  const Recording& capture = captured(words);
  INFO(native.both() << capture.run.both());
  REQUIRE(native.status == 0);
  REQUIRE(capture.run.status == 0);
  CHECK(capture.run.out == native.out);
  // A sanitizer keeps what is freed, also of the program alone. Twenty bytes an object would be more.
  CHECK(growth_kib(capture.run) < std::max(growth_kib(native), 0L) + 16 * 1024);
  const Outcome outcome = player({capture.path});
  INFO(outcome.both());
  CHECK(outcome.status == 0);
}

SCENARIO("of a capture of very many calls the launcher looks at the first, and says so", "[quantities]") {
  const auto said = [](const char* calls) {
    const Recording& capture = captured({program("draws"), "--repeat", "1", "--calls", calls});
    INFO(capture.run.both());
    REQUIRE(capture.run.status == 0);
    return capture.run.err;
  };
  const char* const line =
      "only its first 500,000 records were held against what can be replayed: rondo info looks at all";
  CHECK(said("1000").find("records were held") == std::string::npos);
  CHECK(said("170000").find(line) != std::string::npos);  // of each of three commands
}

SCENARIO("objects that go before what was made of them replay bit for bit", "[quantities]") {
  replays_bit_for_bit({program("wrong_order")}, {.submits = 8});
}

SCENARIO("a program that writes noise again and again replays bit for bit", "[quantities]") {
  replays_bit_for_bit({program("uploads")}, {.submits = 4});
}

SCENARIO("what the host wrote is played in less memory than it fills", "[quantities]") {
  if (!no_readback().empty()) SKIP_SCENARIO(no_readback());
  const Recording& capture = captured({program("uploads"), "--mebibytes", "100"}, {.checkpoints = "readback"});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  const std::string ranges = "memory ranges";
  for (const Words& more :
       {Words{}, {"--loop", "3"}, {"--loop", "2", "--fresh"}, {"--submits", "70:90", "--loop", "2"}}) {
    Words words{"--memory-budget", "32", "--verify", capture.path};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = player(words);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    const Compared all = compared(outcome, ranges);
    CHECK(all.equal > 0);
    CHECK(all.equal == all.all);
  }
}
