// SPDX-License-Identifier: Apache-2.0
// The places of rondo extract --at, and where the file of a step goes.
#include <gtest/gtest.h>

#include <filesystem>

#include "analyzers/commands/extract_place.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

TEST(ExtractPlace, IsAFrameASubmitOrADraw) {
  const auto draw = parse_extract_place("draw:7:12");
  ASSERT_TRUE(draw && draw->draw);
  EXPECT_EQ(draw->draw->submit, 7u);
  EXPECT_EQ(draw->draw->draw, 12u);
  EXPECT_EQ(draw->text(), "just after draw 12 of submit 7");
  const auto frame = parse_extract_place("frame:3");
  ASSERT_TRUE(frame && !frame->draw);
  EXPECT_EQ(frame->text(), "behind frame 3");
  EXPECT_EQ(parse_extract_place(std::nullopt)->text(), "behind the last submit or present");
}

TEST(ExtractPlace, SaysWhatItCouldBe) {
  for (const char* wrong : {"", "draw", "draw:", "draw:1", "draw:1:", "draw::1", "draw:1:2:3", "draw:1:-2", "draw:1 :2",
                            "draw:1:18446744073709551615", "Draw:1:2", "frame:x"}) {
    const auto place = parse_extract_place(wrong);
    ASSERT_FALSE(place) << wrong;
    EXPECT_EQ(place.error().status, Status::usage);
    EXPECT_EQ(place.error().message, "--at: '" + std::string(wrong) +
                                         "' is neither frame:K nor submit:K nor draw:S:N (draw N of submit S), with "
                                         "numbers from 0");
  }
}

// Its directory must be there: nothing is made before the place is known to be there.
TEST(ExtractPlace, HasAStepWhereADirectoryIs) {
  const test::TemporaryFile some("some");
  const std::string root = some.directory();
  EXPECT_EQ(step_path_for(root), root + "/draws");
  EXPECT_EQ(step_path_for(root + "/"), root + "/draws");
  EXPECT_EQ(step_path_for(root + "/a"), root + "/a");
  EXPECT_EQ(step_path_for(root + "/a/"), root + "/a");
  EXPECT_EQ(step_path_for(root + "/a/b/../c"), root + "/a");
  EXPECT_EQ(step_path_for("not-there"), "not-there");
  EXPECT_EQ(step_path_for("not-there/a/b"), "not-there");
}

}  // namespace
}  // namespace rondo::analyzers
