// SPDX-License-Identifier: Apache-2.0
// Which submits wait for what the plan never signals.
#include <gtest/gtest.h>

#include "player/plan/plan.h"

namespace rondo::player {
namespace {

constexpr ObjectId kOnlyQueue{1}, kOther{2}, kTimeline{3}, kBinary{4};

class PlayerSync : public ::testing::Test {
 protected:
  void step(ObjectId queue, std::vector<SyncPoint> waits, std::vector<SyncPoint> signals) {
    SyncStep s;
    s.op = next_++;
    s.queue = queue;
    s.first_wait = static_cast<std::uint32_t>(plan.sync_points.size());
    s.waits = static_cast<std::uint32_t>(waits.size());
    plan.sync_points.insert(plan.sync_points.end(), waits.begin(), waits.end());
    s.first_signal = static_cast<std::uint32_t>(plan.sync_points.size());
    s.signals = static_cast<std::uint32_t>(signals.size());
    plan.sync_points.insert(plan.sync_points.end(), signals.begin(), signals.end());
    plan.sync.push_back(s);
  }
  static SyncPoint timeline(std::uint64_t value) { return {kTimeline, value, true}; }
  static SyncPoint binary() { return {kBinary, 1, false}; }

  Plan plan;

 private:
  std::uint32_t next_ = 0;
};

TEST_F(PlayerSync, WaitsBeforeTheirSignalAreAnswered) {
  step(kOnlyQueue, {timeline(1)}, {timeline(2)});
  step(ObjectId::null, {}, {timeline(1)});
  SyncModel model(plan);
  model.advance(1);
  EXPECT_TRUE(model.blocked(kOnlyQueue));
  model.advance(2);
  EXPECT_FALSE(model.blocked());
  EXPECT_TRUE(model.release().empty());
}

TEST_F(PlayerSync, TellsWhatATimelineIsGiven) {
  step(kOnlyQueue, {}, {timeline(3), binary()});
  step(kOnlyQueue, {timeline(7)}, {timeline(9)});
  SyncModel model(plan);
  EXPECT_EQ(model.given(kTimeline), 0u);
  model.advance(2);
  EXPECT_EQ(model.given(kTimeline), 3u);  // not what is blocked gives
  EXPECT_EQ(model.given(kBinary), 0u);
  EXPECT_EQ(model.given(ObjectId::null), 0u);
}

// What was submitted before the batch that waits ends by itself.
TEST_F(PlayerSync, TellsWhatABlockedBatchHoldsBack) {
  step(kOnlyQueue, {}, {timeline(1)});
  step(kOnlyQueue, {timeline(2)}, {timeline(3)});
  step(kOnlyQueue, {}, {});
  step(ObjectId::null, {}, {timeline(2)});
  SyncModel model(plan);
  model.advance(3);
  EXPECT_FALSE(model.blocked(kOnlyQueue, 0));
  EXPECT_TRUE(model.blocked(kOnlyQueue, 1));
  EXPECT_TRUE(model.blocked(kOnlyQueue, 2));
  EXPECT_TRUE(model.reaches(kTimeline, 1));
  EXPECT_FALSE(model.reaches(kTimeline, 3));
  model.advance(4);
  EXPECT_FALSE(model.blocked(kOnlyQueue, 2));
  EXPECT_TRUE(model.reaches(kTimeline, 3));
}

TEST_F(PlayerSync, ABinarySignalAnswersOneWait) {
  step(kOnlyQueue, {}, {binary()});
  step(kOther, {binary()}, {});
  step(kOther, {binary()}, {});
  SyncModel model(plan);
  model.advance(2);
  EXPECT_FALSE(model.blocked());
  model.advance(3);
  EXPECT_TRUE(model.blocked(kOther));
}

// It says the same with room as without.
TEST_F(PlayerSync, GoesBackToWhereItWasWithRoomForWhatFollows) {
  step(kOnlyQueue, {}, {timeline(1)});
  step(kOther, {binary()}, {});
  step(kOnlyQueue, {}, {binary(), timeline(2)});
  SyncModel model(plan);
  model.advance(1);
  SyncModel begin = model;
  model.advance(3);
  begin.make_room(model);
  EXPECT_EQ(begin.given(kTimeline), 1u);
  EXPECT_FALSE(begin.blocked());
  EXPECT_FALSE(begin.reaches(kBinary, 1));
  EXPECT_TRUE(begin.reaches(kBinary, 0));
  for (int i = 0; i < 2; ++i) {
    model = begin;
    EXPECT_FALSE(model.reaches(kTimeline, 2));
    model.advance(2);
    EXPECT_TRUE(model.blocked(kOther));
    model.advance(3);
    EXPECT_FALSE(model.blocked());
    EXPECT_EQ(model.given(kTimeline), 2u);
  }
}

TEST_F(PlayerSync, GivesInOrderOnlyWhatNobodySignals) {
  step(kOnlyQueue, {timeline(1)}, {timeline(2), binary()});
  step(kOther, {timeline(2), binary()}, {timeline(3)});
  step(kOnlyQueue, {timeline(5)}, {timeline(6)});
  SyncModel model(plan);
  model.advance(3);
  const auto releases = model.release();
  ASSERT_EQ(releases.size(), 2u);
  EXPECT_EQ(releases[0].point.value, 1u);
  EXPECT_EQ(releases[0].before, 0u);
  EXPECT_EQ(releases[1].point.value, 5u);
  EXPECT_EQ(releases[1].before, 3u);
  EXPECT_EQ(releases[1].op, 2u);
  EXPECT_FALSE(model.blocked());
}

}  // namespace
}  // namespace rondo::player
