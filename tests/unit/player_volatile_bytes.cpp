// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "player/plan/volatile_bytes.h"

namespace rondo::player {
namespace {

using Ranges = std::vector<std::pair<VkDeviceSize, VkDeviceSize>>;

Ranges within(const VolatileBytes& bytes, VkDeviceSize from, VkDeviceSize to) {
  Ranges ranges;
  bytes.each(from, to, [&](VkDeviceSize a, VkDeviceSize b) {
    ranges.emplace_back(a, b);
    return true;
  });
  return ranges;
}

TEST(VolatileBytes, RangesThatTouchAreOne) {
  VolatileBytes bytes;
  for (const auto& [from, to] : Ranges{{30, 40}, {10, 20}, {20, 30}, {50, 60}, {5, 5}, {55, 58}}) bytes.add(from, to);
  EXPECT_EQ(within(bytes, 0, 100), (Ranges{{10, 40}, {50, 60}}));
  EXPECT_EQ(within(bytes, 15, 55), (Ranges{{15, 40}, {50, 55}}));
  EXPECT_EQ(within(bytes, 40, 50), Ranges{});
  bytes.add(0, ~VkDeviceSize{});
  EXPECT_EQ(within(bytes, 12, 13), (Ranges{{12, 13}}));
}

TEST(VolatileBytes, TheVisitorEndsIt) {
  VolatileBytes bytes;
  for (VkDeviceSize at = 0; at < 100; at += 2) bytes.add(at, at + 1);
  int seen = 0;
  bytes.each(0, 100, [&](VkDeviceSize, VkDeviceSize) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST(VolatileBytes, AnyNumberOfRangesTakesLittleMemory) {
  VolatileBytes bytes;
  for (VkDeviceSize at = 0; at < 1'000'000; ++at) bytes.add(1000 + 10 * at, 1001 + 10 * at);
  EXPECT_LE(within(bytes, 0, ~VkDeviceSize{}).size(), 4096u);
  EXPECT_EQ(within(bytes, 1000, 1001), (Ranges{{1000, 1001}}));
  EXPECT_EQ(within(bytes, 0, 1000), Ranges{});
}

}  // namespace
}  // namespace rondo::player
