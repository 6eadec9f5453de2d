// SPDX-License-Identifier: Apache-2.0
#include "replays.h"

#include <catch2/catch.hpp>

#include "json.h"
#include "oracle.h"
#include "skip.h"

namespace scenario {

namespace {

// What the captured program said on stderr: all but the launcher's line for each
// file, which is named as seen from where it runs.
std::string said(const Recording& capture) {
  const std::string name = capture.path.substr(0, capture.path.rfind('.'));
  const std::string ours = name.substr(name.rfind('/', name.rfind('/') - 1) + 1);
  std::string text;
  for (const std::string& line : lines(capture.run.err))
    if (line.rfind("rondo: ", 0) != 0 || line.find(ours) == std::string::npos) text += line + "\n";
  return text;
}

}  // namespace

void leaves_the_same_memory(const Words& words, const Expectations& expected) {
  // Pages that the fake driver's queues write look like the program's own without aliases.
  const Recording& capture = captured(words, {.memory = expected.driver == fake ? "alias" : "auto",
                                              .driver = expected.driver,
                                              .settings = expected.settings,
                                              .oracle = true});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == expected.status);
  const OracleRun replay = replay_under_oracle(capture, expected.driver, expected.replay_settings, "", 2);
  INFO(replay.outcome.both() << replay.result.text());
  CHECK(replay.outcome.status == 0);
  INFO("freed nothing by right: " << expected.frees_nothing_because);
  INFO("allocated nothing by right: " << expected.allocates_nothing_because);
  const bool allocates = expected.allocates_nothing_because.empty();
  const bool frees = allocates && expected.frees_nothing_because.empty();
  CHECK((replay.result.equal > 0) == frees);
  if (!frees) CHECK(replay.result.leaked.empty() != allocates);
  INFO("differs by right: " << expected.memory_differs_because);
  CHECK(replay.result.differences.empty() == expected.memory_differs_because.empty());
  CHECK(replay.result.problems.empty());
}

// What each submit wrote is the same in a replay, and reading it asks nothing
// of a device that the validation layer would not.
void writes_the_same(const Words& words, const Expectations& expected) {
  const Recording& capture =
      captured(words, {.checkpoints = "submit", .driver = expected.driver, .settings = expected.settings});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == expected.status);
  Words arguments{"--verify", capture.path};
  if (expected.draws_message.empty() && expected.not_validated_because.empty()) arguments.push_back("--validate");
  const Outcome outcome = player(arguments, expected.driver, expected.replay_settings);
  INFO(outcome.both());
  CHECK(outcome.status == 0);
  const Compared result = compared(outcome, "parts of buffers and images");
  INFO("without contents by right: " << expected.no_contents_because);
  if (expected.no_contents_because.empty()) CHECK(result.equal > 0);
  if (expected.least_parts > 0) CHECK(result.equal >= expected.least_parts * result.all);
}

void replays_bit_for_bit(const Words& words, const Expectations& expected) {
  const CaptureOptions options{.checkpoints = expected.no_checkpoints.empty() ? expected.checkpoints : "none",
                               .driver = expected.driver,
                               .settings = expected.settings};
  const std::string why_not = expected.checkpoints == "readback" ? no_readback(expected.driver) : "";
  GIVEN("its capture with checkpoints") {
    const Recording& capture = captured(words, options);
    INFO(capture.run.both());
    REQUIRE(capture.run.status == expected.status);

    THEN("the program saw what it sees without a recorder") {
      Command alone;
      alone.arguments = words;
      use_window_system(alone.environment, words);
      use_driver(alone.environment, expected.driver, expected.settings);
      const Outcome outcome = run_on(expected.driver, alone);
      REQUIRE(outcome.status == expected.status);
      if (expected.prints_the_same) {
        CHECK(capture.run.out == outcome.out);
        CHECK(said(capture) == outcome.err);
      }
    }
    THEN("its memory is the same under the oracle") { leaves_the_same_memory(words, expected); }
    WHEN("rondo info reads it") {
      const Outcome outcome = rondo({"info", "--json", capture.path});
      INFO(outcome.both());
      REQUIRE(outcome.status == 0);
      const Json info = Json::parse(outcome.out);
      THEN("it is complete, and every submit is counted") {
        CHECK(info.at("/complete") == "true");
        if (expected.submits >= 0) CHECK(info.at("/submits") == std::to_string(expected.submits));
      }
    }
    WHEN("rondo dump prints it as text and as JSON lines") {
      const Outcome text = rondo({"dump", "--format=text", capture.path});
      const Outcome jsonl = rondo({"dump", "--format=jsonl", capture.path});
      INFO(text.err << jsonl.err);
      REQUIRE(text.status == 0);
      REQUIRE(jsonl.status == 0);
      THEN("both have the same rows, each of them whole") {
        int rows = 0;
        for (const std::string& line : lines(jsonl.out)) {
          const Json row = Json::parse(line);
          REQUIRE(row.valid());
          ++rows;
        }
        CHECK(rows > 0);
        CHECK(static_cast<int>(lines(text.out).size()) == rows);
      }
      THEN("objects are numbered names and nobody sees a raw handle of a device") {
        CHECK(text.out.find("VkDevice#0") != std::string::npos);
      }
    }
    if (expected.no_checkpoints.empty()) WHEN("it is replayed and verified") {
        if (!why_not.empty()) SKIP_SCENARIO(why_not);  // the other sections still run
        const Outcome outcome = player({"--verify", capture.path}, expected.driver, expected.replay_settings);
        INFO(outcome.both());
        THEN("every checkpoint was compared and is equal") {
          CHECK(outcome.status == 0);
          const Compared result = compared(outcome, "[a-z -]+");
          CHECK(result.all > 0);
          INFO("not compared by right: " << expected.not_compared_because);
          const bool all = expected.not_compared == 0 && expected.least_compared == 0;
          REQUIRE(expected.not_compared_because.empty() == all);
          CHECK(result.equal > 0);
          if (expected.least_compared > 0)
            CHECK(result.equal >= expected.least_compared * result.all);
          else
            CHECK(result.equal + expected.not_compared >= result.all);
        }
      }
    if (expected.submits != 0) WHEN("it is captured with checkpoints of submits") {
        THEN("what each of them wrote is equal in a replay") { writes_the_same(words, expected); }
      }
    WHEN("it is replayed three times over, each compared") {
      Words arguments{"--loop", "3", capture.path};
      if (expected.no_checkpoints.empty() && why_not.empty()) arguments.push_back("--verify");
      const Outcome outcome = player(arguments, expected.driver, expected.replay_settings);
      INFO(outcome.both());
      if (expected.not_looped_because.empty()) {
        THEN("every pass succeeds") { CHECK(outcome.status == 0); }
      } else {
        THEN("it is refused by name, and succeeds from nothing") {
          CHECK(outcome.status == 1);
          CHECK(outcome.err.find("cannot be looped") != std::string::npos);
          CHECK(outcome.err.find(expected.not_looped_because) != std::string::npos);
          arguments.push_back("--fresh");
          const Outcome fresh = player(arguments, expected.driver, expected.replay_settings);
          INFO(fresh.both());
          CHECK(fresh.status == 0);
        }
      }
    }
    if (expected.not_validated_because.empty()) WHEN("it is replayed under the validation layer") {
        const Outcome outcome = player({"--validate", capture.path}, expected.driver, expected.replay_settings);
        INFO(outcome.both());
        if (expected.draws_message.empty()) {
          THEN("not a message appears") { CHECK(outcome.status == 0); }
        } else {
          THEN("it says what the program does") {
            CHECK(outcome.status == 1);
            CHECK(outcome.err.find("the validation layer says:\n  ") != std::string::npos);
            CHECK(outcome.err.find(expected.draws_message) != std::string::npos);
          }
        }
      }
  }
}

}  // namespace scenario
