// SPDX-License-Identifier: Apache-2.0
// What bug reports are about: programs that were captured without a word, and replayed wrong or not at all.
// On each lavapipe they are played, looped and cut.
#include <catch2/catch.hpp>

#include "fixture.h"
#include "skip.h"
#include "trims.h"

using namespace scenario;

namespace {

struct Case {
  Words words;                 // of tests/programs, and its arguments
  int submits = 0;             // of it
  bool crashes_older = false;  // Debian's lavapipe, without a recorder too
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {{"attachment_views"}, 10},
      {{"mixed_samples"}, 3},
      {{"null_states", "--state", "0"}, 1},
      {{"null_states"}, 6, true},
      {{"polled_queries"}, 1},
      {{"preinitialized"}, 1},
      {{"taken_back"}, 5},
      {{"taken_back", "--copies", "100"}, 5},
      {{"undefined_kept"}, 5},
      {{"unused_values"}, 1},
  };
  return all;
}

std::string range(int first, int end) { return std::to_string(first) + ":" + std::to_string(end); }

Words started(const Case& one) {
  Words words = one.words;
  words[0] = program(words[0]);
  return words;
}

// Where there are checkpoints, all that each replay compares is equal.
void plays_whole_and_in_parts(const Case& one, const std::string& driver, const std::string& checkpoints) {
  const Recording& capture = captured(started(one), {.checkpoints = checkpoints, .driver = driver});
  INFO(capture.run.both());
  REQUIRE(capture.run.status == 0);
  CHECK((capture.run.both() + rondo({"info", capture.path}).out).find("cannot be replayed") == std::string::npos);
  const bool compares = checkpoints != "none";
  const auto plays = [&](const std::string& path, Words how) {
    how.push_back(path);
    if (compares) how.insert(how.begin(), "--verify");
    const Outcome outcome = player(how, driver);
    INFO(outcome.both());
    CHECK(outcome.status == 0);
    if (compares) CHECK(compared(outcome, "parts of buffers and images").equal > 0);
  };
  plays(capture.path, {});
  plays(capture.path, {"--loop", "3"});
  const int middle = one.submits / 2;
  for (const std::string& span : {range(0, 1), range(middle, one.submits)}) {
    const Cut part = cut(capture, {"--submits", span}, driver);
    INFO("cut " << span << ": " << part.run.both());
    REQUIRE(part.run.status == 0);
    plays(part.path, {});
    plays(part.path, {"--loop", "3"});
  }
}

void play_everything(const std::string& driver) {
  if (const std::string& none = no_driver(driver); !none.empty()) SKIP_SCENARIO(none);
  for (const Case& one : cases()) {
    // Some drivers lack what the program is about.
    if (one.crashes_older && driver == lavapipe) continue;
    if (!cannot_run(started(one), driver).empty()) continue;
    for (const std::string checkpoints : {"none", "submit"}) {
      INFO(one.words[0] << " " << one.words.back() << " with checkpoints " << checkpoints);
      plays_whole_and_in_parts(one, driver, checkpoints);
    }
  }
}

}  // namespace

SCENARIO("programs of bug reports are played, looped and cut as they are", "[cases]") { play_everything(lavapipe); }

SCENARIO("programs of bug reports are played, looped and cut as they are on a newer driver", "[cases]") {
  play_everything(lavapipe25);
}
