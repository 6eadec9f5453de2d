// SPDX-License-Identifier: Apache-2.0
// The device's half under write-protect: only what a device wrote is compared,
// and nothing that it wrote is overlooked.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "layer/memory/device_watch.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

constexpr std::size_t pages = 200;  // the last block is not whole
constexpr int kWaits = 8;           // more than it takes until a quiet block is watched

class MemoryDeviceWatch : public testing::Test {
 protected:
  void SetUp() override {
    tracker = Tracker::create("alias");
    ASSERT_NE(tracker, nullptr);
    if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
    alias = tracker->allocate(pages * page, page);
    ASSERT_NE(alias, nullptr);
    tracked = tracker->track(*alias, Initial::zeros);
    ASSERT_NE(tracked, nullptr);
    tracked->watch_device(true);
    host = alias->program_side();
    device = alias->device_side();
    std::memset(host, 1, pages * page);
    tracked->collect(0, whole, Device::idle);
    for (int i = 0; i < kWaits; ++i) EXPECT_TRUE(wait().empty());
  }

  Spans wait(Refresh which = Refresh::finished) { return spans_of(tracked->refresh(0, whole, which)); }
  // A byte of each page, as the device; the faults that took.
  long write(std::size_t first, std::size_t count) {
    ++value;
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (std::size_t i = first; i < first + count; ++i)
      *reinterpret_cast<volatile unsigned char*>(device + i * page) = value;
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
  }
  static Spans first_bytes(std::size_t first, std::size_t count) {
    Spans spans;
    for (std::size_t i = first; i < first + count; ++i) spans.emplace_back(i * page, 1);
    return spans;
  }

  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<AliasMemory> alias;
  std::unique_ptr<Tracked> tracked;
  std::byte* host = nullptr;
  std::byte* device = nullptr;
  unsigned char value = 1;
};

TEST_F(MemoryDeviceWatch, QuietBlocksAreWatchedAndTheirWritesFound) {
  EXPECT_GE(write(20, 1), 1) << "it was not protected";
  EXPECT_EQ(wait(), first_bytes(20, 1));
  EXPECT_TRUE(wait().empty());
  EXPECT_GE(write(20, 1), 1) << "it was not protected again";
  EXPECT_GE(write(pages - 1, 1), 1);
  EXPECT_EQ(wait(), (Spans{{20 * page, 1}, {(pages - 1) * page, 1}}));
}

TEST_F(MemoryDeviceWatch, WhatIsFoundIsInBase) {
  write(20, 1);
  wait();
  host[20 * page + 100] = std::byte{7};
  const auto ranges = tracked->collect(0, whole, Device::idle);
  EXPECT_EQ(spans_of(ranges), (Spans{{20 * page + 100, 1}})) << "the device's byte is no host write";
  EXPECT_FALSE(ranges[0].ambiguous);
}

TEST_F(MemoryDeviceWatch, HostWritesBesideAnIdleDeviceAreNotAmbiguous) {
  host[20 * page] = std::byte{9};  // after the submit, before the wait
  EXPECT_TRUE(wait().empty());
  host[20 * page] = std::byte{1};
  const auto ranges = tracked->collect(0, whole, Device::idle);
  EXPECT_TRUE(ranges.empty()) << "the device wrote nothing: it is what it was";
}

TEST_F(MemoryDeviceWatch, APageThatBothWroteIsRecordedWhole) {
  write(20, 1);
  host[20 * page + 100] = std::byte{7};
  EXPECT_TRUE(wait(Refresh::known).empty());
  EXPECT_TRUE(wait(Refresh::finished).empty());
  const auto ranges = tracked->collect(0, whole, Device::idle);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page, page}}));
  EXPECT_TRUE(ranges[0].ambiguous);
}

TEST_F(MemoryDeviceWatch, BesideWorkInFlightNoByteBetweenIsTheHosts) {
  const auto write_two = [&](int number) { host[20 * page] = host[20 * page + 8] = std::byte(number); };
  const Spans apart{{20 * page, 1}, {20 * page + 8, 1}}, one{{20 * page, 9}};
  write_two(8);
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::active)), one) << "nobody else's page so far";
  write(20, 1);
  wait();
  write_two(9);
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::active)), apart)
      << "the work may write what lies between after this";
  wait();
  write_two(10);
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), one);
}

TEST_F(MemoryDeviceWatch, ADevicesPageEndsARangeToo) {
  write(20, 1);
  wait();
  host[21 * page - 10] = host[21 * page + 5] = std::byte{9};
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::active)), (Spans{{21 * page - 10, 1}, {21 * page + 5, 1}}));
}

TEST_F(MemoryDeviceWatch, VeryManyRangesOfAPageAreOneAndAmbiguous) {
  write(20, 1);
  wait();
  for (std::size_t i = 0; i < page; i += 4) host[20 * page + i] = std::byte{9};
  const auto ranges = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page, page - 3}}));
  EXPECT_TRUE(ranges[0].ambiguous);
}

TEST_F(MemoryDeviceWatch, HostWritesBesideWorkOnOtherPagesAreTheHosts) {
  write(21, 1);  // now, while work is pending
  host[20 * page + 100] = std::byte{7};
  const auto ranges = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page + 100, 1}}));
  EXPECT_FALSE(ranges[0].ambiguous);
}

TEST_F(MemoryDeviceWatch, APageThatBothWroteIsKeptUntilTheWorkIsFinished) {
  write(20, 1);
  host[20 * page + 100] = host[22 * page] = std::byte{7};
  tracker->scan();
  auto ranges = tracked->changes(Device::active, Contested::keep);
  EXPECT_EQ(spans_of(ranges), (Spans{{22 * page, 1}}));
  EXPECT_TRUE(tracked->kept_contested());
  write(20, 1);  // goes on
  tracker->scan();
  ranges = tracked->changes(Device::settled);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page, page}})) << "whole: the host may have written what was there";
  EXPECT_FALSE(ranges[0].ambiguous);
  EXPECT_EQ(std::memcmp(ranges[0].bytes, host + 20 * page, page), 0);
  EXPECT_FALSE(tracked->kept_contested());
  EXPECT_TRUE(wait().empty()) << "base has the device's bytes, too";
  host[20 * page + 101] = std::byte{8};
  ranges = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page + 101, 1}}));
  EXPECT_FALSE(ranges[0].ambiguous) << "the device wrote before, not since";
}

TEST_F(MemoryDeviceWatch, APageThatBothWroteIsAmbiguousWhereNobodyCanWait) {
  write(20, 1);
  host[20 * page + 100] = host[20 * page + 2000] = host[21 * page + 1] = std::byte{7};
  host[19 * page + page - 1] = std::byte{7};
  const auto ranges = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(
      spans_of(ranges),
      (Spans{{20 * page - 1, 1}, {20 * page, 1}, {20 * page + 100, 1}, {20 * page + 2000, 1}, {21 * page + 1, 1}}));
  for (std::size_t i = 0; i < ranges.size(); ++i) EXPECT_EQ(ranges[i].ambiguous, i != 0 && i != 4) << "range " << i;
}

TEST_F(MemoryDeviceWatch, ABlockThatTheDeviceFillsIsWatchedOnceItIsContested) {
  constexpr std::size_t first = 2 * DeviceWatch::block_pages, count = DeviceWatch::block_pages;
  for (int i = 0; i < kWaits; ++i) {
    write(first, count);
    wait();
  }
  EXPECT_LE(write(first, count), 2) << "still protected";
  host[first * page + 100] = std::byte{7};
  tracker->scan();
  EXPECT_TRUE(tracked->changes(Device::active, Contested::keep).empty());
  EXPECT_TRUE(tracked->kept_contested());
  tracked->changes(Device::settled);
  for (int i = 0; i < kWaits; ++i) {
    wait();
    EXPECT_GE(write(first, count - 1), static_cast<long>(count - 1)) << "not watched any more";
  }
  wait();
  write(first, count - 1);
  host[(first + count - 1) * page + 100] = std::byte{9};
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::active)), (Spans{{(first + count - 1) * page + 100, 1}}));
}

TEST_F(MemoryDeviceWatch, HotPagesThatTheDeviceWritesAreHotNoMore) {
  constexpr std::size_t first = 2 * DeviceWatch::block_pages, count = DeviceWatch::block_pages;
  tracked->adapt(true);
  const auto write_all = [&] {
    ++value;
    for (std::size_t i = first; i < first + 2 * count; ++i) host[i * page + 100] = std::byte{value};
  };
  const auto is_hot = [&](std::size_t i) {  // then writes cost no faults
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    write_all();
    getrusage(RUSAGE_SELF, &after);
    tracked->collect(0, whole, Device::idle);
    return after.ru_minflt - before.ru_minflt < static_cast<long>(i);
  };
  for (int i = 0; i < kWaits; ++i) {
    write_all();
    tracked->collect(0, whole, Device::idle);
  }
  EXPECT_TRUE(is_hot(4));
  write(first, 1);
  write_all();
  tracker->scan();
  const auto kept = tracked->changes(Device::active, Contested::keep);
  EXPECT_EQ(kept.size(), 2 * count - 1) << "the host's pages";
  for (const Range& range : kept) EXPECT_FALSE(range.ambiguous) << "hot, and no device wrote it";
  EXPECT_TRUE(tracked->kept_contested());
  tracker->scan();
  EXPECT_EQ(spans_of(tracked->changes(Device::settled)), (Spans{{first * page, page}}));
  wait();
  // The device alone writes there now: a hot page would be called the host's. Other blocks may be hot.
  for (int i = 0; i < kWaits; ++i) {
    write_all();
    tracked->collect(0, whole, Device::idle);
  }
  EXPECT_TRUE(is_hot(count + 4)) << "the second block";
  EXPECT_FALSE(is_hot(count - 4)) << "the first block";
  write(first, 1);
  tracker->scan();
  EXPECT_TRUE(tracked->changes(Device::active, Contested::keep).empty());
  EXPECT_FALSE(tracked->kept_contested());
}

TEST_F(MemoryDeviceWatch, AKeptPageIsStillContestedAfterACheapRefresh) {
  write(20, 1);
  host[20 * page + 100] = std::byte{7};
  tracker->scan();
  tracked->changes(Device::active, Contested::keep);
  ASSERT_TRUE(tracked->kept_contested());
  for (int i = 0; i < kWaits; ++i) wait(Refresh::known);
  EXPECT_TRUE(spans_of(tracked->changes(Device::active, Contested::keep)).empty());
  EXPECT_TRUE(tracked->kept_contested());
  EXPECT_EQ(spans_of(tracked->changes(Device::settled)), (Spans{{20 * page, page}}));
}

TEST_F(MemoryDeviceWatch, AHostWriteThatPutsBackWhatWasThereIsContested) {
  write(20, 1);
  host[20 * page] = std::byte{1};  // as before the device wrote
  tracker->scan();
  EXPECT_TRUE(tracked->changes(Device::active, Contested::keep).empty());
  EXPECT_TRUE(tracked->kept_contested());
  EXPECT_EQ(spans_of(tracked->changes(Device::settled)), (Spans{{20 * page, page}}));
}

TEST_F(MemoryDeviceWatch, TheFirstWriteToAPageIsRecordedWholeWhereADeviceWroteBefore) {
  auto other = tracker->allocate(pages * page, page);
  ASSERT_NE(other, nullptr);
  auto fresh = tracker->track(*other, Initial::zeros);
  ASSERT_NE(fresh, nullptr);
  fresh->watch_device(true);
  other->device_side()[20 * page] = std::byte{5};
  fresh->refresh(0, whole, Refresh::finished);
  other->program_side()[20 * page] = std::byte{0};  // what base has
  other->program_side()[21 * page] = std::byte{6};
  const auto ranges = fresh->collect(0, whole, Device::idle);
  ASSERT_EQ(spans_of(ranges), (Spans{{20 * page, page}, {21 * page, 1}}));
  EXPECT_FALSE(ranges[1].ambiguous) << "no device wrote there";
}

TEST_F(MemoryDeviceWatch, WhatAPartLeavesOfSuchAPageIsRecordedWholeToo) {
  auto other = tracker->allocate(pages * page, page);
  ASSERT_NE(other, nullptr);
  auto fresh = tracker->track(*other, Initial::zeros);
  ASSERT_NE(fresh, nullptr);
  fresh->watch_device(true);
  std::memset(other->device_side() + 20 * page, 0xff, page);
  fresh->refresh(0, whole, Refresh::finished);
  std::memset(other->program_side() + 20 * page, 0, 512);
  EXPECT_EQ(spans_of(fresh->collect(20 * page, 256, Device::idle)), (Spans{{20 * page, 256}}));
  EXPECT_EQ(spans_of(fresh->collect(20 * page + 256, 256, Device::idle)), (Spans{{20 * page + 256, 256}}));
}

TEST_F(MemoryDeviceWatch, AmbiguousPagesInARowAreOneRange) {
  write(0, pages);
  std::memset(host, 9, pages * page);
  const auto ranges = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(spans_of(ranges), (Spans{{0, pages * page}}));
  EXPECT_TRUE(ranges[0].ambiguous);
}

TEST_F(MemoryDeviceWatch, WhatTheDeviceWroteBeforeItWasWatchedIsNotTakenForClean) {
  auto other = tracker->allocate(pages * page, page);
  ASSERT_NE(other, nullptr);
  other->device_side()[20 * page] = std::byte{5};
  auto late = tracker->track(*other, Initial::zeros);
  ASSERT_NE(late, nullptr);
  late->watch_device(false);
  other->program_side()[20 * page + 100] = std::byte{6};
  tracker->scan();
  EXPECT_TRUE(late->changes(Device::active, Contested::keep).empty());
  EXPECT_TRUE(late->kept_contested());
  EXPECT_EQ(spans_of(late->changes(Device::settled)), (Spans{{20 * page, page}}));
}

TEST_F(MemoryDeviceWatch, ABlockThatTheDeviceFillsIsComparedInstead) {
  constexpr std::size_t first = 2 * DeviceWatch::block_pages, count = DeviceWatch::block_pages;
  for (int i = 0; i < 2; ++i) {  // found, and once more what that scan protected
    EXPECT_GE(write(first, count), static_cast<long>(count));
    EXPECT_EQ(wait(), first_bytes(first, count));
  }
  for (int i = 0; i < kWaits; ++i) {
    EXPECT_LE(write(first, count), 2) << "still protected";
    EXPECT_EQ(wait(), first_bytes(first, count));
  }
  for (int i = 0; i < kWaits; ++i) EXPECT_TRUE(wait().empty());
  EXPECT_GE(write(first, count), static_cast<long>(count)) << "not watched again";
  EXPECT_EQ(wait(), first_bytes(first, count));
}

TEST_F(MemoryDeviceWatch, ReadbackSeesEverything) {
  write(0, pages);
  EXPECT_EQ(wait(Refresh::everything), first_bytes(0, pages));
  EXPECT_TRUE(wait(Refresh::everything).empty());
}

TEST_F(MemoryDeviceWatch, PartsAreRefreshedAlone) {
  write(10, 20);
  EXPECT_EQ(spans_of(tracked->refresh(12 * page, 10 * page, Refresh::known)), first_bytes(12, 10));
  EXPECT_EQ(wait(), (Spans{{10 * page, 1},
                           {11 * page, 1},
                           {22 * page, 1},
                           {23 * page, 1},
                           {24 * page, 1},
                           {25 * page, 1},
                           {26 * page, 1},
                           {27 * page, 1},
                           {28 * page, 1},
                           {29 * page, 1}}));
}

TEST_F(MemoryDeviceWatch, WritesAfterTheProgramClosedOurDescriptorsAreFound) {
  for (int number = 3; number < 4096; ++number) close(number);
  write(20, 1);
  host[30 * page] = std::byte{5};
  std::vector<std::byte> seen(pages * page, std::byte{1});
  const auto apply = [&](std::span<const Range> ranges) {
    for (const Range& r : ranges)
      if (r.bytes != nullptr) std::memcpy(seen.data() + r.offset, r.bytes, r.size);
  };
  apply(tracked->refresh(0, whole, Refresh::finished));
  apply(tracked->collect(0, whole, Device::idle));
  for (int i = 0; i < kWaits; ++i) apply(tracked->refresh(0, whole, Refresh::finished));
  write(40, 1);
  apply(tracked->refresh(0, whole, Refresh::finished));
  EXPECT_EQ(std::memcmp(seen.data(), device, seen.size()), 0);
}

}  // namespace
}  // namespace rondo::memory
