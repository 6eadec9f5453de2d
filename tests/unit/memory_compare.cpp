// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "layer/memory/compare.h"
#include "layer/memory/page_set.h"

namespace rondo::memory {
namespace {

using Runs = std::vector<std::pair<std::size_t, std::size_t>>;

Runs runs_of(const std::byte* live, std::byte* base, std::size_t bytes, Store store, std::size_t gap) {
  Runs runs;
  differences(
      live, base, bytes, gap, store,
      [](void* context, std::size_t begin, std::size_t end) { static_cast<Runs*>(context)->emplace_back(begin, end); },
      &runs);
  return runs;
}

// The definition, a byte at a time.
Runs expected_runs(const std::byte* live, const std::byte* base, std::size_t bytes, std::size_t gap) {
  Runs runs;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (live[i] == base[i]) continue;
    if (!runs.empty() && i - runs.back().second <= gap)
      runs.back().second = i + 1;
    else
      runs.emplace_back(i, i + 1);
  }
  return runs;
}

TEST(MemoryCompare, AgreesWithAByteAtATimeAtEveryAlignment) {
  std::mt19937 random(1);
  alignas(64) std::byte live[1100];
  alignas(64) std::byte base[1100];
  for (int round = 0; round < 4000; ++round) {
    const std::size_t live_start = random() % 16;
    const std::size_t base_start = round % 4 == 0 ? random() % 16 : live_start;
    const std::size_t bytes = random() % 1000;
    const std::size_t gap = round % 2 == 0 ? merge_gap : no_gap;
    for (std::size_t i = 0; i < sizeof live; ++i) live[i] = static_cast<std::byte>(random());
    std::memcpy(base + base_start, live + live_start, bytes);
    // Every eighth round, so many that most words have equal bytes and others, and some have none.
    for (auto changes = random() % (round % 8 < 2 ? 1500 : 20); bytes != 0 && changes > 0; --changes)
      live[live_start + random() % bytes] ^= std::byte{0x80};
    std::byte* const from = live + live_start;
    std::byte* const known = base + base_start;
    const Runs expected = expected_runs(from, known, bytes, gap);
    EXPECT_EQ(differs(from, known, bytes), !expected.empty());
    EXPECT_EQ(runs_of(from, known, bytes, Store::no, gap), expected);
    ASSERT_EQ(runs_of(from, known, bytes, Store::yes, gap), expected) << "round " << round;
    ASSERT_EQ(std::memcmp(from, known, bytes), 0);
  }
}

// If memory were read again for storing, base could hold what no run tells.
TEST(MemoryCompare, WhatIsStoredIsWhatIsTold) {
  alignas(64) std::byte live[64] = {};
  alignas(64) std::byte base[64] = {};
  std::byte replayed[64] = {};
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t count = 0; !stop.load(std::memory_order_relaxed); ++count)
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(live), std::uint64_t{1} << (count * 8 % 64), __ATOMIC_RELAXED);
  });
  for (int i = 0; i < 200'000 && !HasFailure(); ++i) {
    for (const auto& [begin, end] : runs_of(live, base, sizeof live, Store::yes, merge_gap))
      std::memcpy(replayed + begin, base + begin, end - begin);
    EXPECT_EQ(std::memcmp(replayed, base, sizeof base), 0);
  }
  stop = true;
  writer.join();
}

TEST(MemoryPageSet, FindsMembersAndGapsAcrossWords) {
  PageSet set(200);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.next(0, 200), 200u);
  set.add(60, 130);
  EXPECT_EQ(set.next(0, 200), 60u);
  EXPECT_EQ(set.next(129, 200), 129u);
  EXPECT_EQ(set.next(130, 200), 200u);
  EXPECT_EQ(set.next(0, 50), 50u);
  set.remove(64, 128);
  EXPECT_EQ(set.next(64, 200), 128u);
  set.add(0, 200);
  set.remove(199, 200);
  EXPECT_TRUE(set.has(198));
  EXPECT_FALSE(set.has(199));
  set.remove(0, 200);
  EXPECT_TRUE(set.empty());
}

}  // namespace
}  // namespace rondo::memory
