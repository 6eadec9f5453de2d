// SPDX-License-Identifier: Apache-2.0
// What a second replay says of a difference: whether the replay differs from the capture, or the device from
// itself.
#include <gtest/gtest.h>

#include "player/verify/observer.h"

namespace rondo::player {
namespace {

constexpr Digest kCaptured{1, 1}, kOther{2, 2}, kThird{3, 3};

class AgainTest : public ::testing::Test {
 protected:
  static void compare(Observer& observer, std::uint64_t record, const Digest& replayed,
                      const std::string& what = "it") {
    observer.first_to_differ(observer.verification.contents, {record, what, kCaptured}, replayed);
  }
  Observer first, second;
};

TEST_F(AgainTest, TellsWhatIsStableFromWhatIsNot) {
  compare(first, 1, kCaptured);
  compare(first, 2, kOther);
  compare(first, 2, kOther);
  compare(first, 3, kCaptured);
  second.hold_against(first.seen());
  compare(second, 1, kCaptured, "a");
  compare(second, 2, kOther, "b");
  compare(second, 2, kThird, "c");
  compare(second, 3, kOther, "d");  // equal to the capture in the first replay only
  const Again& again = second.again();
  EXPECT_EQ(again.compared, 4u);
  EXPECT_EQ(again.unstable, 2u);
  EXPECT_EQ(again.first_unstable, "c");
  EXPECT_EQ(again.stable_different, 1u);
  EXPECT_EQ(again.first_stable_difference, "b");
}

TEST_F(AgainTest, TimesOfTheDeviceAndWhatIsAlikeAreStable) {
  const std::string what = "it";
  first.wanted_psnr = second.wanted_psnr = 40;
  for (Observer* one : {&first, &second}) {
    if (one == &second) second.hold_against(first.seen());
    one->apart_from_times(one->verification.contents, {1, what, kCaptured});
    EXPECT_TRUE(one->alike(one->verification.images, {2, what, kCaptured}, 45));
  }
  EXPECT_EQ(second.again().compared, 2u);
  EXPECT_EQ(second.again().unstable, 0u);
}

TEST_F(AgainTest, WhatOnlyALaterIterationFoundIsNotSaidToBeStable) {
  compare(first, 1, kCaptured);
  compare(first, 1, kOther);
  second.hold_against(first.seen());
  compare(second, 1, kCaptured);
  EXPECT_EQ(second.again().text(), "a second replay, of one iteration, found all 1 equal to the capture");
}

// One replay could read what the other could not: what comes after that cannot be held against it.
TEST_F(AgainTest, EndsWhereTheReplaysDoNotCompareTheSame) {
  compare(first, 1, kOther);
  compare(first, 2, kOther);
  compare(first, 3, kOther);
  second.hold_against(first.seen());
  compare(second, 1, kOther);
  compare(second, 3, kThird);
  compare(second, 3, kThird);
  EXPECT_EQ(second.again().compared, 1u);
  EXPECT_EQ(second.again().unstable, 0u);
  EXPECT_EQ(second.again().text(), "a second replay found all 1 as the first did: the replay is stable there");
}

TEST_F(AgainTest, SaysThatNothingCouldBeHeldAgainstIt) {
  second.hold_against(first.seen());
  compare(second, 1, kOther);
  EXPECT_EQ(second.again().text(), "a second replay could not compare what the first did");
}

}  // namespace
}  // namespace rondo::player
