// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "player/run/deadline.h"

namespace rondo::player {
namespace {

// A driver that does not return.
[[noreturn]] void hang() {
  while (true) ::pause();
}

TEST(PlayerDeadline, NamesTheLastSubmitWhereTheDriverHangs) {
  Scope scope;
  scope.name = "prefill";
  ScopeOccurrence one;
  one.kind = ScopeOccurrence::Kind::host;
  one.records = {2, 6};
  one.ended = true;
  scope.occurrences.push_back(one);
  const auto played = [&](bool reports) {
    Deadline deadline(0.05, "some.rondo");
    if (reports)
      deadline.report_to({scope}, [](const std::string& message, const std::optional<LastSubmit>& last) {
        std::fprintf(stderr, "[%s] [%s]", message.c_str(), last ? last->scope.c_str() : "");
        hang();  // that takes a lock which is held, say
      });
    deadline.at(5);
    deadline.submitted(3, 1, 4);
    hang();
  };
  EXPECT_EXIT(
      played(false), testing::ExitedWithCode(7),
      "player: some.rondo: no end within 0.05 s \\(--timeout\\); record 5 was being played; the last submit was "
      "3 \\(frame 1, record 4\\)\n");
  EXPECT_EXIT(played(true), testing::ExitedWithCode(7),
              "record 5 was being played; the last submit was 3 \\(frame 1, record 4, scope \"prefill#0\"\\)\n"
              "\\[some.rondo: no end within 0.05 s \\(--timeout\\); record 5 was being played\\] \\[prefill#0\\]");
}

TEST(PlayerDeadline, SaysWhereNothingWasSubmitted) {
  EXPECT_EXIT(
      {
        Deadline deadline(0.05);
        hang();
      },
      testing::ExitedWithCode(7),
      "player: no end within 0.05 s \\(--timeout\\); no record had been played yet: loading; nothing had been "
      "submitted\n");
}

}  // namespace
}  // namespace rondo::player
