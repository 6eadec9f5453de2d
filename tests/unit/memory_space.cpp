// SPDX-License-Identifier: Apache-2.0
// What the reserved addresses cost a program that has a limit of them, from the
// beginning or later.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/space.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {
namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * page_bytes;
}

void limit_to(std::size_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(99);
}

// Until there are no more places.
std::vector<std::unique_ptr<AliasMemory>> take_all(Tracker& tracker, std::size_t bytes, std::size_t most) {
  std::vector<std::unique_ptr<AliasMemory>> all;
  while (all.size() < most)
    if (auto one = tracker.allocate(bytes, page_bytes))
      all.push_back(std::move(one));
    else
      break;
  return all;
}

TEST(MemorySpace, HoldsWhatIsUsedAndLittleMore) {
  const std::size_t before = address_space();
  const auto tracker = Tracker::create("auto");
  if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
  EXPECT_LT(address_space(), before + 64 * mega);
  auto memory = tracker->allocate(256 * mega, page_bytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_GE(address_space(), before + 512 * mega);
  EXPECT_LT(address_space(), before + 640 * mega);
  memory.reset();
  EXPECT_LT(address_space(), before + 128 * mega) << "what was given back is not held";
  tracker->hold_no_more();
  EXPECT_LT(address_space(), before + 16 * mega);
  memory = tracker->allocate(1, page_bytes);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory->device_side()), reserved_base);
}

TEST(MemorySpace, ALimitThatComesLaterIsSharedWithTheProgram) {
  EXPECT_EXIT(
      {
        const auto tracker = Tracker::create("auto");
        if (!tracker->can_allocate()) _exit(0);
        limit_to(address_space() + 1024 * mega);
        auto taken = take_all(*tracker, 8 * mega, 100);
        if (taken.empty() || taken.size() > 20) _exit(1);
        void* const got = mmap(nullptr, 700 * mega, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) _exit(2);
        taken.pop_back();
        _exit(tracker->allocate(8 * mega, page_bytes) != nullptr ? 0 : 3);
      },
      testing::ExitedWithCode(0), "");
}

// Writes are found on both sides of what was held first, by one scan.
TEST(MemorySpace, WhatIsHeldLaterIsWatchedAsWell) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) GTEST_SKIP() << tracker->message();
  // One that lies behind a hole: places of 32 MiB are multiples of it.
  const auto first = tracker->allocate(page_bytes, page_bytes);
  const auto second = tracker->allocate(page_bytes, 32 * mega);
  ASSERT_TRUE(first != nullptr && second != nullptr);
  ASSERT_GE(second->device_side() - first->device_side(), static_cast<std::ptrdiff_t>(32 * mega));
  const auto one = tracker->track(*first, Initial::zeros), two = tracker->track(*second, Initial::zeros);
  EXPECT_TRUE(tracker->scan().empty()) << "the hole between them is no error";
  second->program_side()[0] = std::byte{1};
  ASSERT_EQ(tracker->scan().size(), 1u);
  EXPECT_EQ(two->changes(Device::idle).size(), 1u);
  EXPECT_TRUE(tracker->scan().empty());
}

}  // namespace
}  // namespace rondo::memory
