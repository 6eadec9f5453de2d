// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "player/measure/times.h"

namespace rondo::player {
namespace {

TEST(Times, SpreadOfOneHasNoVariation) {
  const Spread s = spread_of({2});
  EXPECT_EQ(s.min, 2);
  EXPECT_EQ(s.median, 2);
  EXPECT_EQ(s.p95, 2);
  EXPECT_EQ(s.variation, 0);
}

TEST(Times, SpreadOfManyIsThatOfTheSample) {
  std::vector<double> values;
  for (int i = 20; i > 0; --i) values.push_back(i);
  const Spread s = spread_of(values);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.median, 10.5);
  EXPECT_EQ(s.p95, 19);  // 19 of 20 do not exceed it
  EXPECT_NEAR(s.variation, 5.916079783099616 / 10.5, 1e-12);
}

TEST(Times, WhatIntervalsCoverCountsOnce) {
  std::vector<Interval> intervals{{10, 20}, {-5, 3}, {15, 30}, {16, 18}, {40, 41}};
  EXPECT_EQ(covered_by(intervals), 8 + 20 + 1);
  std::vector<Interval> empty{{7, 7}};
  EXPECT_EQ(covered_by(empty), 0);
}

TEST(Times, TicksAreCountedPastTheEndOfTheCounterAndBack) {
  constexpr std::uint64_t k36Bits = (std::uint64_t{1} << 36) - 1;
  EXPECT_EQ(ticks_since(100, 130, k36Bits), 30);
  EXPECT_EQ(ticks_since(130, 100, k36Bits), -30);
  EXPECT_EQ(ticks_since(k36Bits - 4, 5, k36Bits), 10);
  EXPECT_EQ(ticks_since(UINT64_MAX, 1, UINT64_MAX), 2);
}

TEST(Times, TheTableHasARowForEachIntervalAndForTheDeviceWhereItTold) {
  std::vector<IterationTimes> iterations(2);
  IntervalTimes intervals{{"frame 3", "frame 4"}, {0.001, 0.002, 0.003, 0.004}};
  const std::string without = times_table(iterations, intervals);
  EXPECT_EQ(without.find("device"), std::string::npos);
  EXPECT_NE(without.find("\nframe 3                           1.000      2.000      3.000"), std::string::npos)
      << without;
  EXPECT_NE(without.find("\nframe 4                           2.000      3.000      4.000"), std::string::npos)
      << without;
  iterations[0].gpu = iterations[1].gpu = 0.5;
  EXPECT_NE(times_table(iterations, intervals).find("the device's work               500.000"), std::string::npos);
}

TEST(Times, OfVeryManyIntervalsTheTableSaysHowManyAreLeft) {
  IntervalTimes intervals;
  for (int i = 0; i < 60; ++i) intervals.names.push_back("submit " + std::to_string(i));
  intervals.seconds.resize(60);
  const std::string table = times_table(std::vector<IterationTimes>(1), intervals);
  EXPECT_NE(table.find("submit 49 "), std::string::npos);
  EXPECT_EQ(table.find("submit 50 "), std::string::npos);
  EXPECT_NE(table.find("10 more"), std::string::npos);
}

}  // namespace
}  // namespace rondo::player
