// SPDX-License-Identifier: Apache-2.0
// Several memories at once, at places of ours or a driver's: which are scanned, where they lie, what they
// cost.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "layer/memory/space.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

TEST(MemoryAlias, DeviceWritesAreNotHostWrites) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
  const auto memory = tracker->allocate(16 * page, page);
  const auto tracked = tracker->track(*memory, Initial::zeros);
  std::memset(memory->device_side(), 0xff, memory->size());
  EXPECT_TRUE(tracker->scan().empty());
  EXPECT_TRUE(tracked->collect(0, whole, Device::active).empty());
}

TEST(MemoryAlias, AddressesAreTheSameForTheSameCalls) {
  std::vector<std::vector<const std::byte*>> runs;
  for (int run = 0; run < 2; ++run) {
    const auto tracker = Tracker::create("auto");
    if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
    auto& seen = runs.emplace_back();
    std::vector<std::unique_ptr<AliasMemory>> held;
    const auto allocate = [&](std::uint64_t size, std::uint64_t granule) {
      held.push_back(tracker->allocate(size, granule));
      ASSERT_NE(held.back(), nullptr);
      seen.push_back(held.back()->device_side());
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held.back()->device_side()) % std::max(granule, place_alignment), 0u);
      EXPECT_EQ(held.back()->size() % granule, 0u);
    };
    allocate(100, page);
    allocate(70'000, page);
    allocate(1, 1 << 20);
    held[1].reset();
    allocate(65'536, page);  // into the freed place
    allocate(65'537, page);  // does not fit there
    EXPECT_EQ(seen[0], reinterpret_cast<const std::byte*>(reserved_base));
    EXPECT_EQ(seen[1], seen[0] + place_alignment);
    EXPECT_EQ(seen[3], seen[1]);
    EXPECT_NE(seen[4], seen[1]);
    EXPECT_EQ(held[3]->program_side()[0], std::byte{0}) << "reused places are zeros again";
    held.clear();
  }
  EXPECT_EQ(runs[0], runs[1]);
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

// A process may have about 65,000 mappings. Programs, their drivers and allocators need some.
TEST(MemoryAlias, SmallMemoriesLeaveMappingsToOthers) {
  const auto tracker = Tracker::create("alias");
  if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
  const std::size_t before = mappings();
  std::vector<std::unique_ptr<AliasMemory>> memories;
  std::vector<std::unique_ptr<Tracked>> tracked;
  for (int i = 0; i < 200; ++i) {
    memories.push_back(tracker->allocate(page, page));
    ASSERT_NE(memories.back(), nullptr);
    tracked.push_back(tracker->track(*memories.back(), Initial::zeros));
    ASSERT_NE(tracked.back(), nullptr);
  }
  // Those that an allocator (a sanitizer's) makes meanwhile are counted, too.
  EXPECT_LT(mappings() - before, 3 * 200u) << "one for each side, and none for what lies between";
  std::size_t limit = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> limit;
  while (memories.back() != nullptr && memories.size() < limit) memories.push_back(tracker->allocate(page, page));
  EXPECT_EQ(memories.back(), nullptr) << "there is an end to it";
  EXPECT_LT(mappings(), limit / 2);
  if (limit >= 65530) {
    EXPECT_GT(memories.size(), 10000u) << "which is beyond what programs do";
  }
  memories.pop_back();
  memories.pop_back();
  EXPECT_NE(tracker->allocate(page, page), nullptr) << "what is freed is had again";
  tracked.clear();
}

TEST(MemoryAlias, WhatCannotBeIsANormalAnswer) {
  const auto tracker = Tracker::create("auto");
  if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
  EXPECT_EQ(tracker->allocate(0, page), nullptr);
  EXPECT_EQ(tracker->allocate(~std::uint64_t{0}, page), nullptr);
  EXPECT_EQ(tracker->allocate(std::uint64_t{1} << 45, page), nullptr);
  EXPECT_EQ(tracker->allocate(page, page + 1), nullptr);
  EXPECT_NE(tracker->allocate(page, page), nullptr);
}

// Several memories, with holes between them, in one scan.
TEST(MemoryAlias, OneScanFindsTheRightOnesOfMany) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
  std::vector<std::unique_ptr<AliasMemory>> memory;
  std::vector<std::unique_ptr<Tracked>> tracked;
  for (std::size_t i = 0; i < 300; ++i) {
    memory.push_back(tracker->allocate((i % 5 + 1) * 5 * page, page));
    ASSERT_NE(memory.back(), nullptr);
    tracked.push_back(i % 7 == 3 ? nullptr : tracker->track(*memory.back(), Initial::zeros));
    if (tracked.back()) tracked.back()->user = memory.back().get();
  }
  for (std::size_t i = 0; i < 300; i += 11) {
    tracked[i].reset();
    memory[i].reset();
  }
  std::vector<void*> expected;
  for (std::size_t i = 0; i < 300; ++i) {
    if (!memory[i] || i % 3 != 0) continue;
    memory[i]->program_side()[memory[i]->size() - 1] = std::byte{1};
    if (tracked[i]) expected.push_back(memory[i].get());
  }
  std::vector<void*> seen;
  for (Tracked* t : tracker->scan()) {
    EXPECT_EQ(spans_of(t->changes(Device::idle)), (Spans{{t->size() - 1, 1}}));
    seen.push_back(t->user);
  }
  EXPECT_EQ(seen, expected);
  EXPECT_TRUE(tracker->scan().empty());
}

TEST(MemoryAlias, WhatIsAtRestIsLeftOutAndFoundAfterwards) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
  constexpr std::size_t large = 4u << 20;
  std::vector<std::unique_ptr<AliasMemory>> memories;
  std::vector<std::unique_ptr<Tracked>> tracked(4);
  for (int i = 0; i < 4; ++i) memories.push_back(tracker->allocate(large, page));
  for (const std::size_t i : {0u, 1u, 3u}) tracked[i] = tracker->track(*memories[i], Initial::zeros);
  const auto write = [&](std::size_t i, unsigned char value) {
    memories[i]->program_side()[7 * page] = std::byte{value};
  };
  const auto found = [&] {
    std::string all;
    for (const Tracked* one : tracker->scan())
      for (std::size_t i = 0; i < 4; ++i)
        if (one == tracked[i].get()) all += std::to_string(i);
    for (const auto& one : tracked)
      if (one != nullptr) one->changes(Device::idle);
    return all;
  };
  for (const std::size_t i : {0u, 1u, 3u}) write(i, 1);
  EXPECT_EQ(found(), "013");
  tracked[1]->rest(true);
  for (const std::size_t i : {0u, 1u, 3u}) write(i, 2);
  EXPECT_EQ(found(), "03");
  tracked[1]->rest(false);
  EXPECT_EQ(found(), "1");  // what it got all the same
  // One that comes between two that rest, and one in the place of one that rested.
  tracked[1]->rest(true);
  tracked[3]->rest(true);
  EXPECT_EQ(found(), "");
  tracked[2] = tracker->track(*memories[2], Initial::zeros);
  write(2, 1);
  EXPECT_EQ(found(), "2");
  tracked[1].reset();
  memories[1].reset();
  memories[1] = tracker->allocate(large, page);
  tracked[1] = tracker->track(*memories[1], Initial::zeros);
  write(1, 1);
  EXPECT_EQ(found(), "1");
}

// A driver's pointer into its heap: neighbours' bytes share the first and last page.
TEST(MemoryPagemap, PointersNeedNotBePages) {
  const auto tracker = Tracker::create("pagemap");
  if (tracker->mechanism() != Mechanism::pagemap) GTEST_SKIP() << tracker->message();
  std::vector<std::byte> heap(10 * page);
  std::byte* const pointer = heap.data() + 48;
  const std::size_t size = 8 * page + 100;
  const auto tracked = tracker->track(pointer, size, Initial::zeros);
  const auto small = tracker->track(heap.data() + 48 + size + 8, 64, Initial::zeros);
  pointer[-1] = pointer[size] = std::byte{1};  // not ours
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
  pointer[0] = pointer[5 * page] = pointer[size - 1] = std::byte{1};
  heap[48 + size + 8 + 63] = std::byte{1};
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), (Spans{{0, 1}, {5 * page, 1}, {size - 1, 1}}));
  EXPECT_EQ(small->mechanism(), Mechanism::scan) << "it has no page of its own";
  EXPECT_EQ(spans_of(small->collect(0, whole, Device::idle)), (Spans{{63, 1}}));
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
}

std::size_t proportional_kib() {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string line; std::getline(rollup, line);)
    if (line.rfind("Pss:", 0) == 0) return std::stoul(line.substr(4));
  return 0;
}

TEST(MemoryAlias, UntouchedPagesCostNothing) {
  const auto tracker = Tracker::create("auto");
  if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
  const std::size_t before = proportional_kib();
  const auto memory = tracker->allocate(std::size_t{1} << 30, page);
  ASSERT_NE(memory, nullptr);
  const auto tracked = tracker->track(*memory, Initial::zeros);
  for (std::size_t i = 0; i < 1024; ++i) memory->program_side()[i << 20] = std::byte{1};
  tracker->scan();
  EXPECT_EQ(tracked->changes(Device::idle).size(), 1024u);
  tracked->refresh(0, whole, Refresh::everything);
  // A page each of the memory and its base: 8 MiB. Without limits it would be 2 GiB.
  EXPECT_LT(proportional_kib() - before, 24u * 1024);
}

}  // namespace
}  // namespace rondo::memory
