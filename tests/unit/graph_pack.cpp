// SPDX-License-Identifier: Apache-2.0
// Packings, held against a verifier that shares no code with the packer: it goes through the times one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analyzers/analysis/graph/pack.h"

namespace rondo::graph {
namespace {

using Items = std::vector<PackItem>;

struct Random {
  std::mt19937 engine;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine()); }
};

// What is wrong with a packing; empty: nothing. At each time the items that are live then must lie apart, each at a
// multiple of its alignment, and in the block. Images with optimal tiling share no page with what is none.
std::string fault_of(const Items& items, const Packing& packing, std::uint64_t granularity = 1) {
  std::uint32_t last = 0;
  for (const PackItem& item : items)
    for (const LiveRange& range : item.live) last = std::max(last, range.to);
  std::uint64_t most = 0;
  for (std::uint32_t time = 0; time <= last; ++time) {
    std::vector<std::size_t> live;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (std::any_of(items[i].live.begin(), items[i].live.end(),
                      [&](const LiveRange& range) { return range.from <= time && time <= range.to; })) {
        live.push_back(i);
        sum += items[i].size;
      }
    most = std::max(most, sum);
    std::sort(live.begin(), live.end(),
              [&](std::size_t a, std::size_t b) { return packing.offsets[a] < packing.offsets[b]; });
    for (std::size_t n = 0; n < live.size(); ++n) {
      const PackItem& item = items[live[n]];
      const std::uint64_t begin = packing.offsets[live[n]], end = begin + item.size;
      if (begin % item.alignment != 0) return "item " + std::to_string(live[n]) + " is not aligned";
      if (end > packing.bytes) return "item " + std::to_string(live[n]) + " ends after the block";
      if (n + 1 == live.size()) continue;
      const std::uint64_t next = packing.offsets[live[n + 1]];
      if (end > next) return "items overlap at time " + std::to_string(time);
      if (item.is_optimal != items[live[n + 1]].is_optimal && (end - 1) / granularity == next / granularity)
        return "items share a page at time " + std::to_string(time);
    }
  }
  if (packing.bytes < most) return "the block is smaller than what is live";
  if (packing.lower_bound < most) return "the lower bound is too low";
  if (packing.bytes < packing.lower_bound) return "the block is smaller than the lower bound";
  return {};
}

PackItem item(std::uint64_t size, std::uint64_t alignment, std::vector<LiveRange> live, bool is_optimal = false) {
  return {size, alignment, is_optimal, std::move(live)};
}

TEST(Packing, putsSlicesOf64BytesIntoThree) {
  const Items items{item(40, 64, {{0, 2}}), item(4, 64, {{1, 2}}), item(40, 64, {{2, 4}}), item(4, 64, {{3, 4}})};
  const Packing packing = pack(items, 1);
  EXPECT_EQ(packing.offsets, (std::vector<std::uint64_t>{0, 64, 128, 0}));
  EXPECT_EQ(packing.bytes, 192u);
  EXPECT_EQ(packing.lower_bound, 192u);
  EXPECT_EQ(packing.fullest, 2u);
}

TEST(Packing, countsBothEndsOfARange) {
  EXPECT_EQ(pack(Items{item(64, 64, {{0, 1}}), item(64, 64, {{1, 2}})}, 1).bytes, 128u);
  EXPECT_EQ(pack(Items{item(64, 64, {{0, 1}}), item(64, 64, {{2, 3}})}, 1).bytes, 64u);
}

TEST(Packing, keepsAnItemInOnePlaceForAllItsRanges) {
  const Items items{item(64, 64, {{0, 0}, {4, 4}}), item(64, 64, {{2, 2}}), item(64, 64, {{4, 5}})};
  const Packing packing = pack(items, 1);
  EXPECT_EQ(fault_of(items, packing), "");
  EXPECT_EQ(packing.bytes, 128u);
  EXPECT_EQ(packing.offsets[1], 0u);
}

TEST(Packing, keepsImagesApartFromBuffersByPages) {
  const Items items{item(100, 4, {{0, 1}}), item(100, 4, {{0, 1}}, true)};
  EXPECT_EQ(fault_of(items, pack(items, 1024), 1024), "");
  EXPECT_EQ(pack(items, 1024).bytes, 1124u);
  EXPECT_EQ(pack(items, 1).bytes, 200u);
  // Without buffers there is nothing to keep apart from.
  EXPECT_EQ(pack(Items{items[1], items[1]}, 1024).bytes, 200u);
}

TEST(Packing, needsNoPlaceForWhatIsNeverLive) {
  const Packing packing = pack(Items{item(100, 4, {}), item(0, 4, {{0, 1}})}, 1);
  EXPECT_EQ(packing.bytes, 0u);
  EXPECT_EQ(packing.lower_bound, 0u);
  EXPECT_EQ(pack({}, 1).bytes, 0u);
}

TEST(Packing, isStillRightBeyondItsLimit) {
  Random random{std::mt19937(7)};
  Items items;
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t from = random() % 50;
    items.push_back(item(1 + random() % 1000, 16, {{from, from + random() % 20}}));
  }
  const Packing packing = pack(items, 1, {.steps = 300, .tries = 4});
  EXPECT_TRUE(packing.is_rough);
  EXPECT_EQ(fault_of(items, packing), "");
  EXPECT_FALSE(pack(items, 1).is_rough);
}

// Shapes of programs: a few sizes with a power of two each, any sizes, pages; short lives and long ones. `repeats`:
// some items live several times.
Items random_items(Random& random, bool repeats) {
  const std::size_t count = 1 + random() % 40;
  const std::uint32_t times = 1 + random() % 60, sizes = random() % 3;
  const bool has_images = random() % 2 != 0;
  Items items;
  for (std::size_t i = 0; i < count; ++i) {
    PackItem one;
    one.size = sizes == 0   ? 1 + random() % 1000
               : sizes == 1 ? std::uint64_t{256} << random() % 8
                            : (1 + random() % 64) * 4096;
    one.alignment = std::uint64_t{1} << (sizes == 0 ? random() % 9 : 8);
    one.is_optimal = has_images && random() % 2 != 0;
    for (std::uint32_t n = repeats ? 1 + random() % 3 : 1; n > 0; --n) {
      const std::uint32_t from = random() % times, length = random() % (1 + (random() % 2 != 0 ? times / 4 : 5));
      one.live.push_back({from, std::min(times, from + length)});
    }
    items.push_back(std::move(one));
  }
  return items;
}

TEST(Packing, overlapsNothingAndIsNearTheLowerBoundInRandomSetsOfVersions) {
  Random random{std::mt19937(20261129)};
  constexpr int kSets = 10'000;
  int near = 0;
  for (int set = 0; set < kSets; ++set) {
    const Items items = random_items(random, false);
    const std::uint64_t granularity = random() % 8 == 0 ? 256 : 1;
    const Packing packing = pack(items, granularity);
    ASSERT_EQ(fault_of(items, packing, granularity), "") << "set " << set;
    near += packing.bytes * 100 <= packing.lower_bound * 105 ? 1 : 0;
  }
  EXPECT_GE(near, kSets * 95 / 100);
}

// No bound is known that is near: where each item meets the others at several times, even the best packing is larger
// than what is live at one time.
TEST(Packing, overlapsNothingWhereItemsLiveSeveralTimes) {
  Random random{std::mt19937(20261128)};
  for (int set = 0; set < 1'000; ++set) {
    const Items items = random_items(random, true);
    const std::uint64_t granularity = random() % 8 == 0 ? 256 : 1;
    ASSERT_EQ(fault_of(items, pack(items, granularity), granularity), "") << "set " << set;
  }
}

}  // namespace
}  // namespace rondo::graph
