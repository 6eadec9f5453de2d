// SPDX-License-Identifier: Apache-2.0
// Memory that the program works on a copy of: both sides come together, byte by byte.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {
namespace {

constexpr std::size_t page = page_bytes;

class MemoryShadow : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 16 * page;

  void SetUp() override {
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    device = static_cast<std::byte*>(mapped);
    tracker = Tracker::create("shadow");
    ASSERT_NE(tracker, nullptr);
  }
  void begin(Initial initial, std::size_t from = 0) {
    tracked = tracker->track(device + from, bytes - from, initial, false);
    ASSERT_NE(tracked, nullptr);
    ASSERT_TRUE(tracked->is_shadow());
    host = tracked->program_side();
  }
  void TearDown() override {
    tracked.reset();
    tracker.reset();
    munmap(device, bytes);
  }

  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<Tracked> tracked;
  std::byte* device = nullptr;
  std::byte* host = nullptr;
};

TEST_F(MemoryShadow, WhatTheProgramWritesIsTheDevicesBehindASubmit) {
  begin(Initial::zeros);
  EXPECT_NE(host, device);
  std::memset(host + 3 * page - 5, 7, 10);
  EXPECT_EQ(device[3 * page], std::byte{0});
  EXPECT_EQ(tracked->collect(0, whole, Device::idle).size(), 1u);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
}

TEST_F(MemoryShadow, WhatTheDeviceWritesIsTheProgramsBehindAWait) {
  begin(Initial::zeros);
  device[40] = std::byte{1};
  device[9 * page + 1] = std::byte{2};
  EXPECT_EQ(host[40], std::byte{0});
  const auto found = tracked->refresh(0, whole, Refresh::finished);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].offset, 9 * page + 1);
  EXPECT_FALSE(found[1].ambiguous);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
  EXPECT_TRUE(tracked->collect(0, whole, Device::active).empty()) << "it is no write of the program's";
}

TEST_F(MemoryShadow, BytesOfBothOnOnePageStayApart) {
  begin(Initial::zeros);
  for (std::size_t i = 0; i < 256; ++i) (i % 3 == 0 ? host : device)[i] = static_cast<std::byte>(i + 1);
  const auto written = tracked->collect(0, whole, Device::active);
  for (const Range& range : written) EXPECT_FALSE(range.ambiguous);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(device[i], static_cast<std::byte>(i + 1)) << "byte " << i << " of the device's side";
  tracked->refresh(0, whole, Refresh::finished);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(host[i], static_cast<std::byte>(i + 1)) << "byte " << i << " of the program's side";
  // From now on the page is known to be the device's, too.
  for (std::size_t i = 0; i < 256; i += 3) host[i] = std::byte{0xff};
  const auto again = tracked->collect(0, whole, Device::active);
  EXPECT_EQ(again.size(), 86u);
  for (const Range& range : again) EXPECT_EQ(range.size, 1u);
}

TEST_F(MemoryShadow, AWriteOfTheProgramOutlivesAWait) {
  begin(Initial::zeros);
  device[5] = std::byte{1};
  host[5] = std::byte{2};  // both: anybody's, and the program's is the later submit
  host[9] = std::byte{3};
  device[10] = std::byte{4};
  tracked->refresh(0, whole, Refresh::known);
  EXPECT_EQ(host[5], std::byte{2});
  EXPECT_EQ(host[9], std::byte{3});
  EXPECT_EQ(host[10], std::byte{4});
  tracked->collect(0, whole, Device::active);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
  EXPECT_EQ(device[5], std::byte{2});
}

TEST_F(MemoryShadow, BeginsWithWhatIsThere) {
  std::memset(device, 0x5a, bytes);
  begin(Initial::current);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
}

TEST_F(MemoryShadow, OfUnknownContentsIsReportedByPagesAndGivenByBytes) {
  if (!Facilities::probe().pagemap) GTEST_SKIP() << "every page is looked at";
  std::memset(device, 0x5a, bytes);
  begin(Initial::unknown);
  host[page + 1] = std::byte{1};
  device[page + 2] = std::byte{2};
  const auto found = tracked->collect(0, whole, Device::active);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size, page);
  EXPECT_EQ(device[page + 1], std::byte{1});
  EXPECT_EQ(device[page + 2], std::byte{2}) << "what the device wrote is not undone";
}

TEST_F(MemoryShadow, AMappingNeedNotBeginWithAPage) {
  begin(Initial::zeros, 192);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host) % page, 192u);
  host[0] = host[bytes - 193] = std::byte{1};
  EXPECT_EQ(tracked->collect(0, whole, Device::idle).size(), 2u);
  EXPECT_EQ(device[192], std::byte{1});
  EXPECT_EQ(device[bytes - 1], std::byte{1});
}

TEST_F(MemoryShadow, AFlushGivesItsRangeAlone) {
  begin(Initial::zeros);
  std::memset(host, 1, 4 * page);
  tracked->collect(page, page, Device::idle);
  EXPECT_EQ(device[page - 1], std::byte{0});
  EXPECT_EQ(device[page], std::byte{1});
  EXPECT_EQ(device[2 * page], std::byte{0});
  tracked->collect(0, whole, Device::idle);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
}

TEST_F(MemoryShadow, NothingIsLostWhileBothWrite) {
  begin(Initial::zeros);
  // Words in turns: the program's, the device's. Each grows by one a round.
  constexpr std::size_t words = bytes / 8;
  const auto side = [](std::byte* from) { return reinterpret_cast<std::atomic<std::uint32_t>*>(from); };
  std::atomic<bool> stop{false};
  const auto write = [&](std::byte* to, std::size_t own) {
    for (std::uint32_t round = 1; !stop; ++round)
      for (std::size_t i = 0; i < words; i += 17) side(to)[2 * i + own].store(round, std::memory_order_relaxed);
  };
  std::thread program([&] { write(host, 0); }), gpu([&] { write(device, 1); });
  for (int i = 0; i < 300; ++i) {
    tracked->collect(0, whole, Device::active);
    tracked->refresh(0, whole, Refresh::known);
  }
  stop = true;
  program.join();
  gpu.join();
  tracked->collect(0, whole, Device::active);
  tracked->refresh(0, whole, Refresh::finished);
  EXPECT_EQ(std::memcmp(host, device, bytes), 0);
}

TEST(MemoryShadowChoice, CachedMemoryIsWatchedWhereItIs) {
  const auto tracker = Tracker::create("shadow");
  std::vector<std::byte> memory(8 * page);
  const auto tracked = tracker->track(memory.data(), memory.size(), Initial::zeros, true);
  ASSERT_NE(tracked, nullptr);
  EXPECT_FALSE(tracked->is_shadow()) << "a program may poll it";
  EXPECT_EQ(tracked->program_side(), memory.data());
}

// Memory of a device cannot be watched; nor can pages that the kernel may drop (Linux 6.11).
TEST(MemoryShadowChoice, WhatCannotBeWatchedGetsAShadowUnasked) {
  const auto tracker = Tracker::create("auto");
  if (tracker->mechanism() == Mechanism::scan) GTEST_SKIP() << tracker->message();
  constexpr int droppable = 0x08;  // MAP_DROPPABLE
  void* const mapped = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | droppable, -1, 0);
  if (mapped == MAP_FAILED) GTEST_SKIP() << "this kernel has no mapping that cannot be watched";
  {
    auto cached = tracker->track(mapped, 4 * page, Initial::zeros, true);
    ASSERT_NE(cached, nullptr);
    EXPECT_EQ(cached->mechanism(), Mechanism::scan);
    cached.reset();
    const auto tracked = tracker->track(mapped, 4 * page, Initial::zeros, false);
    ASSERT_NE(tracked, nullptr);
    EXPECT_TRUE(tracked->is_shadow());
    tracked->program_side()[page] = std::byte{1};
    EXPECT_EQ(tracked->collect(0, whole, Device::idle).size(), 1u);
    EXPECT_EQ(static_cast<std::byte*>(mapped)[page], std::byte{1});
  }
  munmap(mapped, 4 * page);
}

}  // namespace
}  // namespace rondo::memory
