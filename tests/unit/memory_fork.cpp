// SPDX-License-Identifier: Apache-2.0
// What a child of fork has of memory that stands for private pages of a driver.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>

#include "layer/memory/tracker.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

// Whether all of these bytes are `value`.
bool all_are(const std::byte* bytes, std::size_t size, int value) {
  return std::all_of(bytes, bytes + size, [&](std::byte b) { return b == static_cast<std::byte>(value); });
}

// The child's status: 0 where it saw what it should.
int in_child(Tracker& tracker, const std::function<bool()>& sees, const std::function<void()>& meanwhile) {
  int turn[2];
  if (pipe(turn) != 0) return -1;
  tracker.before_fork();
  const pid_t child = fork();
  tracker.after_fork(child == 0);
  if (child == 0) {
    char byte = 0;
    _exit(read(turn[0], &byte, 1) == 1 && sees() ? 0 : 1);
  }
  meanwhile();
  int status = -1;
  if (write(turn[1], "", 1) != 1 || waitpid(child, &status, 0) != child) return -1;
  close(turn[0]);
  close(turn[1]);
  return status;
}

struct Fork : testing::Test {
  std::unique_ptr<Tracker> tracker = Tracker::create("auto");
  std::unique_ptr<AliasMemory> one, other;

  void SetUp() override {
    if (!tracker->can_allocate()) GTEST_SKIP() << tracker->message();
    one = tracker->allocate(20 * page, page);
    other = tracker->allocate(3 * page, page);
    for (AliasMemory* memory : {one.get(), other.get()}) {
      memory->stands_for_private();
      std::memset(memory->program_side(), 1, memory->size());
    }
  }
};

TEST_F(Fork, AChildHasCopiesOnBothSides) {
  const auto sees = [&] {
    const bool right = all_are(one->program_side(), one->size(), 1) && all_are(one->device_side(), one->size(), 1) &&
                       all_are(other->program_side(), other->size(), 1);
    std::memset(one->program_side(), 3, one->size());
    return right && all_are(one->device_side(), one->size(), 3);
  };
  EXPECT_EQ(in_child(*tracker, sees,
                     [&] {
                       std::memset(one->program_side(), 2, one->size());
                       std::memset(other->device_side(), 2, other->size());
                     }),
            0);
  EXPECT_EQ(tracker->left_shared(), 0u);
  EXPECT_TRUE(all_are(one->program_side(), one->size(), 2)) << "what the child wrote is its own";
}

TEST_F(Fork, AGrandchildHasCopiesOfItsParents) {
  const auto sees = [&] {
    std::memset(other->program_side(), 3, other->size());
    return in_child(
               *tracker,
               [&] {
                 return all_are(other->program_side(), other->size(), 3) &&
                        all_are(one->program_side(), one->size(), 1);
               },
               [&] {
                 std::memset(one->program_side(), 4, one->size());
                 std::memset(other->program_side(), 4, other->size());
               }) == 0;
  };
  EXPECT_EQ(in_child(*tracker, sees, [] {}), 0);
}

TEST_F(Fork, WhatTheProgramMovedOrUnmappedIsLeftSo) {
  std::byte* const moved =
      static_cast<std::byte*>(mremap(one->program_side(), 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED,
                                     mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)));
  ASSERT_NE(moved, MAP_FAILED);
  void* const hole = one->program_side();
  ASSERT_EQ(mmap(hole, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), hole);
  std::memset(hole, 9, 4 * page);
  const auto sees = [&] {
    return all_are(moved, 4 * page, 1) && all_are(one->program_side(), 4 * page, 9) &&
           all_are(one->program_side() + 4 * page, 16 * page, 1);
  };
  EXPECT_EQ(in_child(*tracker, sees,
                     [&] {
                       std::memset(moved, 2, 4 * page);
                       std::memset(one->program_side(), 2, one->size());
                     }),
            0);
  munmap(moved, 4 * page);
}

TEST_F(Fork, WhatIsSharedByNatureStaysShared) {
  const auto shared = tracker->allocate(2 * page, page);
  std::memset(shared->program_side(), 1, shared->size());
  EXPECT_EQ(in_child(
                *tracker, [&] { return all_are(shared->program_side(), shared->size(), 2); },
                [&] { std::memset(shared->program_side(), 2, shared->size()); }),
            0);
}

TEST_F(Fork, WhatIsTooMuchStaysSharedAndIsCounted) {
  const AliasMemory* const both[] = {one.get(), other.get()};
  ForkCopies copies;
  copies.make(both, 10 * page);
  EXPECT_EQ(copies.left_shared(), 20 * page);
  copies.make(both, 20 * page);
  EXPECT_EQ(copies.left_shared(), 3 * page);
  copies.make(both);
  EXPECT_EQ(copies.left_shared(), 0u);
}

TEST_F(Fork, PagesThatAreGivenBackAreZerosAndFound) {
  const auto tracked = tracker->track(*one, Initial::zeros);
  std::memset(one->program_side(), 1, one->size());
  tracker->scan();
  static_cast<void>(tracked->changes(Device::idle));
  ASSERT_TRUE(tracker->give_back(one->program_side() + 2 * page, 3 * page));
  EXPECT_TRUE(all_are(one->device_side() + 2 * page, 3 * page, 0));
  EXPECT_TRUE(all_are(one->device_side() + 5 * page, 15 * page, 1));
  tracker->scan();
  EXPECT_EQ(spans_of(tracked->changes(Device::idle)), (Spans{{2 * page, 3 * page}}));
  EXPECT_FALSE(tracker->give_back(one->program_side() + 18 * page, 3 * page)) << "it ends behind the memory";
}

}  // namespace
}  // namespace rondo::memory
