// SPDX-License-Identifier: Apache-2.0
// Pages that the program writes all the time: left unprotected, and nothing is lost.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layer/memory/hot_blocks.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

constexpr std::size_t pages = 256;
constexpr int kRounds = 12;  // more than make a block hot, or cold again

long faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

class MemoryHot : public testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    tracker = Tracker::create(name(GetParam()));
    ASSERT_NE(tracker, nullptr);
    if (tracker->mechanism() != GetParam()) GTEST_SKIP() << tracker->message();
    if (GetParam() == Mechanism::alias) {
      alias = tracker->allocate(pages * page, page);
      ASSERT_NE(alias, nullptr);
      host = alias->program_side();
      tracked = tracker->track(*alias, Initial::zeros);
    } else {
      mapping = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(mapping, MAP_FAILED);
      host = static_cast<std::byte*>(mapping);
      tracked = tracker->track(host, pages * page, Initial::zeros);
    }
    ASSERT_NE(tracked, nullptr);
    std::memset(host, 1, pages * page);
    tracked->collect(0, whole, Device::idle);
    tracked->adapt(true);
  }
  void TearDown() override {
    tracked.reset();
    alias.reset();
    tracker.reset();
    if (mapping != nullptr) munmap(mapping, pages * page);
  }

  // Writes the first byte of each of `count` pages from `first` on; the faults that took.
  long write(std::size_t first, std::size_t count) {
    ++value;
    const long before = faults();
    for (std::size_t i = first; i < first + count; ++i)
      *reinterpret_cast<volatile unsigned char*>(host + i * page) = value;
    return faults() - before;
  }
  Spans found() {
    Spans spans;
    for (Tracked* t : tracker->scan())
      for (const Range& r : t->changes(Device::idle)) {
        spans.emplace_back(r.offset, r.size);
        EXPECT_EQ(std::memcmp(r.bytes, host + r.offset, r.size), 0);
      }
    return spans;
  }
  static Spans first_bytes(std::size_t first, std::size_t count) {
    Spans spans;
    for (std::size_t i = first; i < first + count; ++i) spans.emplace_back(i * page, 1);
    return spans;
  }
  void heat(std::size_t first, std::size_t count) {
    for (int i = 0; i < kRounds; ++i) {
      write(first, count);
      ASSERT_EQ(found(), first_bytes(first, count));
    }
  }

  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<AliasMemory> alias;
  std::unique_ptr<Tracked> tracked;
  void* mapping = nullptr;
  std::byte* host = nullptr;
  unsigned char value = 1;
};

INSTANTIATE_TEST_SUITE_P(Each, MemoryHot, testing::Values(Mechanism::alias, Mechanism::pagemap),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(MemoryHot, WhatIsAlwaysWrittenCostsNoFaults) {
  EXPECT_GE(write(32, 64), 64);
  EXPECT_EQ(found(), first_bytes(32, 64));
  heat(32, 64);
  EXPECT_LT(write(32, 64), 8);
  EXPECT_EQ(found(), first_bytes(32, 64));
}

TEST_P(MemoryHot, FewPagesOfABlockStayWatched) {
  heat(32, 3);
  EXPECT_GE(write(32, 3), 3);
  EXPECT_EQ(found(), first_bytes(32, 3));
}

TEST_P(MemoryHot, WhatIsBesideIsFoundAsEver) {
  heat(32, 64);
  write(0, pages);
  EXPECT_EQ(found(), first_bytes(0, pages));
  host[40 * page + 77] = std::byte{99};
  host[200 * page + 5] = std::byte{99};
  EXPECT_EQ(found(), (Spans{{40 * page + 77, 1}, {200 * page + 5, 1}}));
  host[33 * page + 1] = std::byte{99};
  EXPECT_EQ(tracked->collect(33 * page, page, Device::idle).size(), 1u);
}

TEST_P(MemoryHot, WhatIsNotWrittenAnyMoreIsWatchedAgain) {
  heat(32, 64);
  for (int i = 0; i < kRounds; ++i) EXPECT_EQ(found(), Spans{});
  EXPECT_GE(write(32, 64), 64);
  EXPECT_EQ(found(), first_bytes(32, 64));
}

TEST_P(MemoryHot, ItCanBeForbidden) {
  heat(32, 64);
  tracked->adapt(false);
  EXPECT_EQ(found(), Spans{});
  EXPECT_GE(write(32, 64), 64);
  EXPECT_EQ(found(), first_bytes(32, 64));
  heat(32, 64);
  EXPECT_GE(write(32, 64), 64);
}

TEST_P(MemoryHot, ADevicesWritesThereAreAmbiguous) {
  heat(32, 64);
  (alias != nullptr ? alias->device_side() : host)[40 * page] = std::byte{77};
  tracked->refresh(0, whole, Refresh::known);
  const auto ranges = tracked->collect(0, whole, Device::idle);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_TRUE(ranges[0].ambiguous);
}

TEST_P(MemoryHot, AnotherMemoryMayBeHotToo) {
  std::unique_ptr<AliasMemory> ours;
  void* theirs = nullptr;
  std::byte* start = nullptr;
  std::unique_ptr<Tracked> other;
  if (alias != nullptr) {
    ours = tracker->allocate(pages * page, page);
    start = ours->program_side();
    other = tracker->track(*ours, Initial::zeros);
  } else {
    theirs = mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(theirs, MAP_FAILED);
    start = static_cast<std::byte*>(theirs);
    other = tracker->track(theirs, pages * page, Initial::zeros);
  }
  other->adapt(true);
  for (int i = 0; i < kRounds; ++i) {
    write(240, 16);
    std::memset(start, value, 20 * page);
    std::size_t ranges = 0;
    for (Tracked* t : tracker->scan()) ranges += t->changes(Device::idle).size();
    ASSERT_EQ(ranges, 17u);
  }
  other.reset();
  if (theirs != nullptr) munmap(theirs, pages * page);
  write(240, 16);
  EXPECT_EQ(found(), first_bytes(240, 16));
}

TEST(MemoryHotBlocks, AreTheLastBlockIfThatIsAskedFor) {
  for (const bool parts : {false, true}) {
    HotBlocks hot(18);  // a block, and two pages
    for (int scan = 0; scan < 8; ++scan) {
      hot.wrote(3, 4);
      hot.wrote(17, 18);
      hot.scanned(0, 18, parts);
    }
    EXPECT_FALSE(hot.has(3)) << "one page of a whole block is not much";
    EXPECT_EQ(hot.has(17), parts);
  }
}

// Of one page each, as uniform buffers are.
class MemoryHotSmall : public testing::Test {
 protected:
  static constexpr std::size_t count = 6;
  void SetUp() override {
    tracker = Tracker::create("alias");
    ASSERT_NE(tracker, nullptr);
    if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
    for (std::size_t i = 0; i < count; ++i) {
      memories[i] = tracker->allocate(page, page);
      ASSERT_NE(memories[i], nullptr);
      tracked[i] = tracker->track(*memories[i], Initial::zeros);
      ASSERT_NE(tracked[i], nullptr);
      tracked[i]->adapt(true);
    }
  }
  void write(std::size_t i) { *reinterpret_cast<volatile unsigned char*>(memories[i]->program_side()) = ++value; }
  // The memories that changed since the last time.
  std::vector<std::size_t> found(Device device = Device::idle) {
    std::vector<std::size_t> all;
    tracker->scan();
    for (std::size_t i = 0; i < count; ++i)
      if (const auto ranges = tracked[i]->changes(device); !ranges.empty()) {
        EXPECT_EQ(ranges.size(), 1u);
        EXPECT_EQ(ranges[0].offset, 0u);
        EXPECT_EQ(std::to_integer<unsigned char>(ranges[0].bytes[0]),
                  std::to_integer<unsigned char>(memories[i]->program_side()[0]));
        all.push_back(i);
      }
    return all;
  }

  std::unique_ptr<Tracker> tracker;
  std::array<std::unique_ptr<AliasMemory>, count> memories;
  std::array<std::unique_ptr<Tracked>, count> tracked;  // before the memories
  unsigned char value = 0;
};

TEST_F(MemoryHotSmall, IsLeftUnprotectedWhileItIsAlwaysWritten) {
  const std::vector<std::size_t> always{0, 1, 3, 4};
  for (int round = 0; round < kRounds; ++round) {
    for (const std::size_t i : always) write(i);
    EXPECT_EQ(found(), always);
  }
  const long before = faults();
  for (const std::size_t i : always) write(i);
  EXPECT_LT(faults() - before, 2);
  EXPECT_EQ(found(), always);
  for (const std::size_t i : {2u, 5u, 1u}) {
    write(i);
    EXPECT_EQ(found(), std::vector<std::size_t>{i});
  }
  for (int round = 0; round < kRounds; ++round) EXPECT_EQ(found(), std::vector<std::size_t>{});
  const long again = faults();
  for (const std::size_t i : always) write(i);
  EXPECT_GE(faults() - again, 4) << "watched again";
  EXPECT_EQ(found(), always);
}

// What it writes from then on is not the host's.
TEST_F(MemoryHotSmall, IsWatchedAgainOnceADeviceWrites) {
  for (int round = 0; round < kRounds; ++round) {
    write(2);
    EXPECT_EQ(found(), std::vector<std::size_t>{2});
  }
  memories[2]->device_side()[100] = std::byte{1};
  tracked[2]->refresh(0, whole, Refresh::finished);
  found();  // it was open until here, so it counts as written once
  for (int round = 0; round < kRounds; ++round) {
    memories[2]->device_side()[100] = std::byte(round + 2);
    tracked[2]->refresh(0, whole, Refresh::finished);
    EXPECT_EQ(found(), std::vector<std::size_t>{}) << round;
  }
}

TEST_F(MemoryHotSmall, StaysWatchedWhereADeviceWrites) {
  for (int round = 0; round < kRounds; ++round) {
    write(2);
    EXPECT_EQ(found(Device::active), std::vector<std::size_t>{2});
  }
  const long before = faults();
  write(2);
  EXPECT_GE(faults() - before, 1);
}

TEST(MemoryHotBlocks, AreRunsOfPages) {
  HotBlocks hot(100);
  for (int scan = 0; scan < 8; ++scan) {
    hot.wrote(10, 60);  // 6 of the first block, and 12 of the last
    hot.scanned(1, 100, true);
  }
  Spans runs;
  std::vector<bool> kinds;
  hot.runs(3, 97, [&](std::size_t first, std::size_t last, bool is) {
    runs.emplace_back(first, last);
    kinds.push_back(is);
  });
  EXPECT_EQ(runs, (Spans{{3, 16}, {16, 64}, {64, 97}}));  // the first block is not wholly ours
  EXPECT_EQ(kinds, (std::vector<bool>{false, true, false}));
}

}  // namespace
}  // namespace rondo::memory
