// SPDX-License-Identifier: Apache-2.0
// Pages that the program mapped and gave to a device: whatever they are, their contents and what
// is written to them are found, and they are the program's again afterwards.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "layer/memory/own_pages.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

constexpr std::size_t bytes = 16 * page;

class Mapping {
 public:
  Mapping(int rights, int flags, int file = -1)
      : at_(static_cast<std::byte*>(mmap(nullptr, bytes, rights, flags, file, 0))) {}
  ~Mapping() { munmap(at_, bytes); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::byte* get() const { return at_; }
  std::byte& operator[](std::size_t at) const { return at_[at]; }

 private:
  std::byte* at_;
};

constexpr int kReadWrite = PROT_READ | PROT_WRITE;
constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;

// A file of zeros, but for a 7 at its byte 5000.
class File {
 public:
  File() : number_(memfd_create("own_pages", MFD_CLOEXEC)) {
    const char seven = 7;
    if (ftruncate(number_, bytes) != 0 || pwrite(number_, &seven, 1, 5000) != 1) std::abort();
  }
  ~File() { close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

class OwnPages : public testing::TestWithParam<Mechanism> {
 protected:
  std::unique_ptr<Tracker> tracker = Tracker::create(name(GetParam()));
  std::unique_ptr<Tracked> track(void* pages, bool may_protect = true) {
    return tracker->track_own_pages(pages, bytes, may_protect);
  }
  bool protects() const { return GetParam() != Mechanism::scan && Facilities::probe().pagemap; }
  static Spans found(Tracked& tracked) { return spans_of(tracked.collect(0, whole, Device::idle)); }
};

INSTANTIATE_TEST_SUITE_P(Mechanisms, OwnPages,
                         testing::Values(Mechanism::alias, Mechanism::pagemap, Mechanism::guard, Mechanism::scan),
                         [](const auto& one) { return std::string(name(one.param)); });

TEST_P(OwnPages, WhatTheyHoldIsGivenOnceAndThenWhatIsWritten) {
  const Mapping pages(kReadWrite, kAnonymous);
  pages[10] = std::byte{1};
  std::memset(&pages[3 * page], 2, page);
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(tracked->mechanism(), protects() ? Mechanism::pagemap : Mechanism::scan);
  pages[11] = std::byte{1};
  EXPECT_EQ(found(*tracked), (Spans{{10, 2}, {3 * page, page}}));
  EXPECT_EQ(found(*tracked), Spans{});
  pages[3 * page + 7] = std::byte{3};
  pages[15 * page] = std::byte{4};
  EXPECT_TRUE(tracker->scan().size() == 1 && tracked->anything_differs());
  EXPECT_EQ(found(*tracked), (Spans{{3 * page + 7, 1}, {15 * page, 1}}));
}

TEST_P(OwnPages, OnHardwareNothingIsProtected) {
  const Mapping pages(kReadWrite, kAnonymous);
  const auto tracked = track(pages.get(), false);
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(tracked->mechanism(), Mechanism::scan);
  pages[1] = std::byte{1};
  EXPECT_EQ(found(*tracked), (Spans{{1, 1}}));
}

TEST_P(OwnPages, OfAFilePrivately) {
  const File file;
  const Mapping pages(kReadWrite, MAP_PRIVATE, file.get());
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(found(*tracked), (Spans{{5000, 1}}));
  pages[5001] = std::byte{8};
  pages[2 * page] = std::byte{8};
  EXPECT_EQ(found(*tracked), (Spans{{5001, 1}, {2 * page, 1}}));
  char there = 1;
  EXPECT_TRUE(pread(file.get(), &there, 1, 5001) == 1 && there == 0);
}

TEST_P(OwnPages, ThatMayOnlyBeRead) {
  const File file;
  const Mapping pages(PROT_READ, MAP_PRIVATE, file.get());
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(tracked->mechanism(), Mechanism::scan);
  EXPECT_EQ(found(*tracked), (Spans{{5000, 1}}));
}

TEST_P(OwnPages, OfAFileThatOthersWrite) {
  const File file;
  const Mapping pages(kReadWrite, MAP_SHARED, file.get()), others(kReadWrite, MAP_SHARED, file.get());
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(found(*tracked), (Spans{{5000, 1}}));
  others[1] = std::byte{1};
  const char nine = 9;
  ASSERT_EQ(pwrite(file.get(), &nine, 1, 3 * page), 1);
  EXPECT_EQ(found(*tracked), (Spans{{1, 1}, {3 * page, 1}}));
}

// To protect pages again for one of them would hide a write from the other.
TEST_P(OwnPages, GivenTwiceAreFoundTwice) {
  const Mapping pages(kReadWrite, kAnonymous);
  const auto first = track(pages.get());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(found(*first), Spans{});
  pages[1] = std::byte{1};
  const auto part = tracker->track_own_pages(&pages[2 * page], 2 * page, true);
  ASSERT_NE(part, nullptr);
  for (int round = 2; round < 4; ++round) {
    pages[2 * page + 5] = static_cast<std::byte>(round);
    EXPECT_EQ(found(*part), (Spans{{5, 1}}));
    const Spans of_all = round == 2 ? Spans{{1, 1}, {2 * page + 5, 1}} : Spans{{2 * page + 5, 1}};
    EXPECT_EQ(found(*first), of_all);
  }
}

TEST_P(OwnPages, OfWhatAnotherAllocationHasMapped) {
  if (!tracker->can_place()) GTEST_SKIP() << tracker->message();
  const auto memory = tracker->allocate(bytes, page);
  ASSERT_NE(memory, nullptr);
  const auto owner = tracker->track(*memory, Initial::zeros);
  const auto tracked = track(memory->program_side());
  ASSERT_TRUE(owner != nullptr && tracked != nullptr);
  for (int round = 1; round < 3; ++round) {
    memory->program_side()[9] = static_cast<std::byte>(round);
    EXPECT_EQ(found(*tracked), (Spans{{9, 1}}));
    EXPECT_EQ(found(*owner), (Spans{{9, 1}}));
  }
}

TEST_P(OwnPages, ThatCannotBeReadForAWhileAreLeftForLater) {
  const Mapping pages(kReadWrite, kAnonymous);
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(found(*tracked), Spans{});
  for (const std::size_t at : {2 * page, 3 * page, 4 * page}) pages[at] = std::byte{1};
  ASSERT_EQ(mprotect(&pages[3 * page], page, PROT_NONE), 0);
  EXPECT_EQ(found(*tracked), (Spans{{2 * page, 1}, {4 * page, 1}}));
  tracked->refresh(0, whole, Refresh::finished);
  ASSERT_EQ(mprotect(&pages[3 * page], page, kReadWrite), 0);
  pages[5 * page] = std::byte{1};
  const Spans later = found(*tracked);
  EXPECT_FALSE(later.empty() || later.front().first > 3 * page || later.back().first != 5 * page);
}

TEST_P(OwnPages, BehindTheEndOfTheirFileAreNotRead) {
  const File file;
  const Mapping pages(kReadWrite, MAP_SHARED, file.get());
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(found(*tracked), (Spans{{5000, 1}}));
  pages[5000] = std::byte{8};
  ASSERT_EQ(ftruncate(file.get(), 4 * page), 0);
  EXPECT_EQ(found(*tracked), (Spans{{5000, 1}}));
}

TEST_P(OwnPages, ThatAreUnmappedAreNotRead) {
  const Mapping pages(kReadWrite, kAnonymous);
  const auto tracked = track(pages.get());
  ASSERT_NE(tracked, nullptr);
  pages[1] = std::byte{1};
  ASSERT_EQ(munmap(&pages[8 * page], 8 * page), 0);
  EXPECT_EQ(found(*tracked), (Spans{{1, 1}}));
  pages[2] = std::byte{1};
  EXPECT_EQ(found(*tracked), (Spans{{2, 1}}));
}

// Another userfaultfd could not have what ours still had.
TEST_P(OwnPages, AreTheProgramsAgainAfterwards) {
  if (!protects()) GTEST_SKIP() << "nothing is protected";
  const Mapping pages(kReadWrite, kAnonymous);
  ASSERT_NE(track(pages.get()), nullptr);
  const auto other = Tracker::create("pagemap");
  const auto tracked = other->track_own_pages(pages.get(), bytes, true);
  ASSERT_NE(tracked, nullptr);
  EXPECT_EQ(tracked->mechanism(), Mechanism::pagemap);
  // … and what somebody else watches is compared.
  const auto late = track(pages.get());
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(late->mechanism(), Mechanism::scan);
}

// What the kernel shows of its clocks is mapped as a device's memory is; some of it may be behind
// the end of what there is.
TEST(OwnPagesOf, ADeviceAreReadableWhereAProgramCanReadThem) {
  std::ifstream maps("/proc/self/maps");
  std::size_t tried = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("[vvar") == std::string::npos) continue;
    std::uintptr_t from = 0, to = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &from, &to), 2);
    for (; from < to; from += page, ++tried) {
      const auto* const at = reinterpret_cast<const std::byte*>(from);
      const pid_t child = fork();
      if (child == 0) {
        std::signal(SIGBUS, SIG_DFL);
        std::signal(SIGSEGV, SIG_DFL);
        static_cast<void>(*static_cast<const volatile std::byte*>(at));
        _exit(0);
      }
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(readable(at, page), WIFEXITED(status)) << line << " at " << at;
    }
  }
  if (tried == 0) GTEST_SKIP() << "this kernel maps no such page";
}

TEST(OwnPagesOf, NoRightsAreNotReadable) {
  const Mapping pages(PROT_NONE, kAnonymous);
  EXPECT_FALSE(readable(pages.get(), page));
}

TEST(OwnPagesOf, AStackOrAHoleAreNotWatched) {
  auto* const here = static_cast<std::byte*>(__builtin_frame_address(0));
  std::byte* const stack = here - reinterpret_cast<std::uintptr_t>(here) % page;
  EXPECT_FALSE(can_watch_own_pages(stack, page));
  const Mapping pages(kReadWrite, kAnonymous);
  EXPECT_TRUE(can_watch_own_pages(pages.get(), bytes));
  ASSERT_EQ(munmap(&pages[4 * page], page), 0);
  EXPECT_FALSE(can_watch_own_pages(pages.get(), bytes));
  EXPECT_FALSE(readable(pages.get(), bytes));
  EXPECT_TRUE(readable(pages.get(), 4 * page));
}

}  // namespace
}  // namespace rondo::memory
