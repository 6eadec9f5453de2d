// SPDX-License-Identifier: Apache-2.0
// Memory of ours in the place of pages that a driver in this process allocated.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

constexpr std::size_t bytes = 8 * page;

// What a driver allocated, with other things of its own on both sides.
class Driver {
 public:
  explicit Driver(bool shared) {
    const int file = shared ? memfd_create("driver", MFD_CLOEXEC) : -1;
    if (shared && (file < 0 || ftruncate(file, kAll) != 0)) std::abort();
    all_ = static_cast<std::byte*>(
        mmap(nullptr, kAll, PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file, 0));
    if (file >= 0) close(file);
    std::memset(all_, 7, kAll);
  }
  ~Driver() { munmap(all_, kAll); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  std::byte* pages() const { return all_ + page; }
  bool others_are_whole() const {
    for (std::size_t i = 0; i < page; ++i)
      if (all_[i] != std::byte{7} || all_[page + bytes + i] != std::byte{7}) return false;
    return true;
  }

 private:
  static constexpr std::size_t kAll = bytes + 2 * page;
  std::byte* all_;
};

class Cover : public testing::TestWithParam<bool> {
 protected:
  const std::unique_ptr<Tracker> tracker = Tracker::create("alias");
  const std::unique_ptr<AliasMemory> memory = tracker->allocate(bytes, page);
  const Driver driver{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Pages, Cover, testing::Bool(),
                         [](const auto& one) { return std::string(one.param ? "Shared" : "Private"); });

TEST_P(Cover, ShowsTheProgramWhatTheDeviceWritesAndTheOtherWayAround) {
  ASSERT_NE(memory, nullptr);
  ASSERT_TRUE(memory->cover(driver.pages()));
  EXPECT_TRUE(memory->covers());
  EXPECT_EQ(memory->device_side(), driver.pages());
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(memory->program_side()[i], std::byte{0}) << i;
  driver.pages()[5000] = std::byte{1};
  memory->program_side()[bytes - 1] = std::byte{2};
  EXPECT_EQ(memory->program_side()[5000], std::byte{1});
  EXPECT_EQ(driver.pages()[bytes - 1], std::byte{2});
  EXPECT_TRUE(driver.others_are_whole());
}

TEST_P(Cover, LeavesTheDriverPagesOfItsOwn) {
  ASSERT_TRUE(memory->cover(driver.pages()));
  memory->uncover();
  EXPECT_FALSE(memory->covers());
  if (GetParam()) return;  // the driver's mapping has been its own all the time
  EXPECT_EQ(driver.pages()[0], std::byte{0});
  driver.pages()[0] = std::byte{3};
  EXPECT_EQ(memory->program_side()[0], std::byte{0});
  EXPECT_TRUE(driver.others_are_whole());
}

TEST_P(Cover, TellsTheHostsWritesFromTheDevices) {
  if (!Facilities::probe().alias) GTEST_SKIP() << Facilities::probe().reason;
  ASSERT_TRUE(memory->cover(driver.pages()));
  auto tracked = tracker->track(*memory, Initial::zeros);
  ASSERT_NE(tracked, nullptr);
  tracked->watch_device(true);
  EXPECT_TRUE(tracked->tells_devices_apart());
  memory->program_side()[10] = std::byte{1};
  driver.pages()[2 * page] = std::byte{2};
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), (Spans{{10, 1}}));
  EXPECT_EQ(spans_of(tracked->refresh(0, whole, Refresh::everything)), (Spans{{2 * page, 1}}));
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), Spans{});
  tracked.reset();
  memory->uncover();
}

TEST(CoverOf, PagesThatAreNotTheDriversAloneIsRefused) {
  const auto tracker = Tracker::create("alias");
  const auto memory = tracker->allocate(bytes, page);
  ASSERT_NE(memory, nullptr);
  const int file = memfd_create("program", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, bytes + page), 0);
  auto* const pages =
      static_cast<std::byte*>(mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0));
  close(file);
  std::memset(pages, 7, bytes + page);
  EXPECT_FALSE(memory->cover(pages));       // of a file
  EXPECT_FALSE(memory->cover(pages + 64));  // no whole pages
  EXPECT_EQ(mprotect(pages + page, page, PROT_READ), 0);
  EXPECT_FALSE(memory->cover(pages));
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(pages[i], std::byte{7}) << i;
  munmap(pages, bytes + page);
}

}  // namespace
}  // namespace rondo::memory
