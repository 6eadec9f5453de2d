// SPDX-License-Identifier: Apache-2.0
// What programs do to a library that lives in their process: writing from many
// threads, closing descriptors, forking, unmapping what is not theirs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/tracker.h"
#include "tests/unit/forbid_userfaultfd.h"

namespace rondo::memory {
namespace {

constexpr std::size_t page = page_bytes;
constexpr std::size_t bytes = 64 * page;

struct Aliased {
  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<AliasMemory> memory;
  std::unique_ptr<Tracked> tracked;
  bool works;

  explicit Aliased(std::size_t size = bytes, Mechanism mechanism = Mechanism::alias)
      : tracker(Tracker::create(name(mechanism))), works(tracker->mechanism() == mechanism) {
    if (!works) return;
    memory = tracker->allocate(size, page);
    tracked = tracker->track(*memory, Initial::zeros);
  }
  std::byte* host() const { return memory->program_side(); }
  std::byte* device() const { return memory->device_side(); }
};

// What a replay would hold: every reported range applied to zeros.
void apply(std::vector<std::byte>& replayed, std::span<const Range> ranges) {
  for (const Range& r : ranges)
    if (r.bytes != nullptr) std::memcpy(replayed.data() + r.offset, r.bytes, r.size);
}

// RONDO_LONG_TESTS: as many scans as the mechanism was once proved with.
unsigned scan_count() { return std::getenv("RONDO_LONG_TESTS") != nullptr ? 100'000 : 5'000; }

// Rounds in which every writer writes one cell of its own in every page once,
// so that a write that is lost is missed: nothing comes after it. After each
// round what was reported must be what the memory holds.
void write_while_scanning(Tracked& tracked, std::byte* host, std::byte* device) {
  const std::size_t pages = tracked.size() / page;
  const unsigned writers = device == nullptr ? 2 : 3;
  constexpr unsigned device_writer = 2;
  const auto cell = [](std::size_t in_page, unsigned writer) { return in_page * page + 512 + writer * 256; };
  std::atomic<std::uint64_t> round{0};
  std::atomic<unsigned> busy{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (unsigned w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      std::byte* const mine = w == device_writer ? device : host;
      for (std::uint64_t seen = 0;;) {
        while (round.load(std::memory_order_acquire) == seen) {
          if (stop.load(std::memory_order_relaxed)) return;
          std::this_thread::yield();
        }
        ++seen;
        // odd, and pages a power of two: each page once
        const std::size_t stride = 2 * (seen * 7919 % pages) + 1;
        for (std::size_t i = 0; i < pages; ++i)
          __atomic_store_n(reinterpret_cast<std::uint64_t*>(mine + cell(i * stride % pages, w)), seen,
                           __ATOMIC_RELAXED);
        busy.fetch_sub(1, std::memory_order_release);
      }
    });
  }
  std::vector<std::byte> recorded(tracked.size());  // as host writes
  std::vector<std::byte> all(tracked.size());       // the device's as well
  const auto collect = [&] {
    const auto ranges = tracked.collect(0, whole, Device::active);
    apply(recorded, ranges);
    apply(all, ranges);
  };
  const auto refresh = [&] { apply(all, tracked.refresh(0, whole, Refresh::everything)); };
  unsigned scans = 0;
  while (scans < scan_count() && !testing::Test::HasFailure()) {
    busy = writers;
    round.fetch_add(1, std::memory_order_release);
    for (; busy.load(std::memory_order_acquire) != 0; ++scans) {
      collect();
      if (device != nullptr) refresh();
    }
    collect();
    if (device != nullptr) refresh();
    std::size_t lost = 0;
    for (std::size_t i = 0; i < pages; ++i)
      for (unsigned w = 0; w < 2; ++w)
        lost += std::memcmp(recorded.data() + cell(i, w), host + cell(i, w), sizeof(std::uint64_t)) != 0 ? 1 : 0;
    EXPECT_EQ(lost, 0u) << "host writes of round " << round << ", scan " << scans;
    EXPECT_EQ(std::memcmp(all.data(), host, tracked.size()), 0) << "round " << round << ", scan " << scans;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(tracked.collect(0, whole, Device::idle).empty());
}

constexpr std::size_t thread_test_bytes = 512 * page;

TEST(MemoryThreads, NoWriteIsLostBetweenScans) {
  const Aliased a(thread_test_bytes);
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  write_while_scanning(*a.tracked, a.host(), nullptr);
}

TEST(MemoryThreads, NoHostWriteIsTakenForTheDevicesOrLost) {
  const Aliased a(thread_test_bytes);
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  write_while_scanning(*a.tracked, a.host(), a.device());
}

TEST(MemoryThreads, NoWriteOfAWatchedDeviceIsLost) {
  const Aliased a(thread_test_bytes);
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  a.tracked->watch_device(true);
  write_while_scanning(*a.tracked, a.host(), a.device());
}

TEST(MemoryThreads, NoWriteIsLostWherePagesAreLeftUnprotected) {
  const Aliased a(thread_test_bytes);
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  a.tracked->adapt(true);
  write_while_scanning(*a.tracked, a.host(), nullptr);
}

TEST(MemoryThreads, NoGuardedWriteIsLostOrTakenForTheDevices) {
  const Aliased a(thread_test_bytes, Mechanism::guard);
  ASSERT_TRUE(a.works) << a.tracker->message();
  write_while_scanning(*a.tracked, a.host(), a.device());
}

TEST(MemoryThreads, NoWriteIsLostOnADriversPointer) {
  const auto tracker = Tracker::create("pagemap");
  if (tracker->mechanism() != Mechanism::pagemap) GTEST_SKIP() << tracker->message();
  void* const mapping = mmap(nullptr, thread_test_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto tracked = tracker->track(mapping, thread_test_bytes, Initial::zeros);
  ASSERT_EQ(tracked->mechanism(), Mechanism::pagemap);
  write_while_scanning(*tracked, static_cast<std::byte*>(mapping), nullptr);
  tracked.reset();
  munmap(mapping, thread_test_bytes);
}

// Everything this process has open from 3 up.
void close_all_descriptors() {
  for (int number = 3; number < 4096; ++number) close(number);
}

TEST(MemoryHostile, ClosedDescriptorsAreOpenedAgainAndNothingIsLost) {
  const Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  a.host()[5 * page] = std::byte{1};
  close_all_descriptors();
  const auto first = a.tracker->scan();
  ASSERT_EQ(first.size(), 1u);
  const auto ranges = first[0]->changes(Device::idle);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].offset, 5 * page);
  EXPECT_EQ(a.tracked->mechanism(), Mechanism::alias) << "it works again";
  EXPECT_TRUE(a.tracker->scan().empty());
  a.device()[6 * page] = std::byte{1};
  EXPECT_TRUE(a.tracker->scan().empty());
  a.host()[7 * page] = std::byte{1};
  ASSERT_EQ(a.tracker->scan().size(), 1u);
  EXPECT_EQ(a.tracked->changes(Device::idle)[0].offset, 7 * page);
  EXPECT_NE(a.tracker->allocate(page, page), nullptr);
}

TEST(MemoryHostile, DescriptorsThatBecameOtherFilesAreLeftAlone) {
  const Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  // The program closes ours and puts files of its own in their places, again and again.
  for (int round = 0; round < 8; ++round) {
    close_all_descriptors();
    std::vector<int> others;
    for (int number = 3; number < 1000; ++number) {
      const int opened = open("/dev/null", O_RDWR | O_CLOEXEC);
      if (opened < 0) break;
      others.push_back(opened);
    }
    a.host()[static_cast<std::size_t>(round) * page] = std::byte{1};
    std::vector<std::byte> seen(bytes);
    apply(seen, a.tracked->collect(0, whole, Device::idle));
    EXPECT_EQ(seen[static_cast<std::size_t>(round) * page], std::byte{1}) << "round " << round;
    for (const int number : others) EXPECT_EQ(write(number, "x", 1), 1) << "still the program's";
  }
  close_all_descriptors();
}

TEST(MemoryHostile, AForkedChildFindsNothingAndHarmsNothing) {
  Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto foreign = a.tracker->track(mapping, bytes, Initial::zeros);
  a.host()[page] = std::byte{1};
  static_cast<std::byte*>(mapping)[page] = std::byte{1};
  const pid_t child = fork();
  if (child == 0) {
    const bool quiet = a.tracker->scan().empty() && a.tracked->collect(0, whole, Device::idle).empty() &&
                       a.tracked->refresh(0, whole, Refresh::everything).empty() &&
                       a.tracker->allocate(page, page) == nullptr &&
                       a.tracker->track(mapping, bytes, Initial::zeros) == nullptr;
    foreign.reset();
    a.tracked.reset();
    a.memory.reset();
    a.tracker.reset();
    _exit(quiet ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(a.tracker->scan().size(), 2u);
  EXPECT_EQ(a.tracked->changes(Device::idle).size(), 1u);
  EXPECT_EQ(foreign->changes(Device::idle).size(), 1u);
  EXPECT_TRUE(a.tracker->scan().empty());
  a.host()[2 * page] = std::byte{1};
  EXPECT_EQ(a.tracker->scan().size(), 1u);
  foreign.reset();
  munmap(mapping, bytes);
}

TEST(MemoryHostile, TheProgramUnmapsOrReplacesItsMapping) {
  Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  const auto other = a.tracker->allocate(bytes, page);
  const auto other_tracked = a.tracker->track(*other, Initial::zeros);
  a.host()[page] = std::byte{1};
  // Something that cannot be scanned takes a page's place: scans of all fail from now on.
  ASSERT_NE(mmap(a.host() + 8 * page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), MAP_FAILED);
  other->program_side()[3 * page] = std::byte{1};
  std::vector<std::byte> seen(bytes), seen_other(bytes);
  a.tracker->scan();
  apply(seen, a.tracked->changes(Device::idle));
  apply(seen_other, other_tracked->changes(Device::idle));
  EXPECT_EQ(seen[page], std::byte{1});
  EXPECT_EQ(seen_other[3 * page], std::byte{1});
  munmap(a.host(), bytes);
  other->program_side()[4 * page] = std::byte{1};
  a.tracker->scan();
  a.tracked->changes(Device::idle);
  apply(seen_other, other_tracked->changes(Device::idle));
  EXPECT_EQ(seen_other[4 * page], std::byte{1});
  a.tracked->refresh(0, whole, Refresh::everything);
}

// The program's half moves: what is left behind is a hole, and what was written before it moved is found.
TEST(MemoryHostile, TheProgramMovesItsMapping) {
  Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  const auto other = a.tracker->allocate(bytes, page);
  const auto other_tracked = a.tracker->track(*other, Initial::zeros);
  std::vector<std::byte> seen(bytes), seen_other(bytes);
  const auto scan = [&] {
    a.tracker->scan();
    apply(seen, a.tracked->changes(Device::idle));
    apply(seen_other, other_tracked->changes(Device::idle));
  };
  a.host()[9 * page] = std::byte{1};
  void* const elsewhere = mmap(nullptr, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(elsewhere, MAP_FAILED);
  void* const moved = mremap(a.host() + 8 * page, 4 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere);
  ASSERT_EQ(moved, elsewhere);
  a.host()[20 * page] = std::byte{2};
  other->program_side()[3 * page] = std::byte{3};
  scan();
  EXPECT_EQ(seen[9 * page], std::byte{1});
  EXPECT_EQ(seen[20 * page], std::byte{2});
  EXPECT_EQ(seen_other[3 * page], std::byte{3});
  // What is left is compared from now on: then what is written there is found wherever it is.
  static_cast<std::byte*>(moved)[page] = std::byte{4};
  a.host()[21 * page] = std::byte{5};
  other->program_side()[4 * page] = std::byte{6};
  scan();
  EXPECT_EQ(seen[9 * page], std::byte{4});
  EXPECT_EQ(seen[21 * page], std::byte{5});
  EXPECT_EQ(seen_other[4 * page], std::byte{6});
  EXPECT_EQ(a.tracked->mechanism(), Mechanism::scan);
  EXPECT_EQ(other_tracked->mechanism(), Mechanism::alias) << "the others are watched as before";
  EXPECT_EQ(a.tracker->scan().size(), 1u) << "and are not taken for written";
  munmap(moved, 4 * page);
}

TEST(MemoryHostile, TheProgramUnmapsTheStartOfItsMapping) {
  Aliased a;
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  std::vector<std::byte> seen(bytes);
  a.host()[2 * page] = std::byte{1};
  ASSERT_EQ(munmap(a.host(), 4 * page), 0);
  a.host()[20 * page] = std::byte{2};
  a.tracker->scan();
  apply(seen, a.tracked->changes(Device::idle));
  EXPECT_EQ(seen[2 * page], std::byte{1});
  EXPECT_EQ(seen[20 * page], std::byte{2});
}

// /proc/self/pagemap cannot be opened any more then: the one that was opened early goes on.
TEST(MemoryHostile, AProgramThatMadeItselfUndumpableIsWatchedAsBefore) {
  if (Tracker::create("alias")->mechanism() != Mechanism::alias) GTEST_SKIP() << "no asynchronous write-protect";
  EXPECT_EXIT(
      {
        const Aliased a;
        if (!a.works || (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) || prctl(PR_SET_DUMPABLE, 0) != 0)
          _exit(1);
        if (open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) >= 0) _exit(2);
        a.device()[2 * page] = std::byte{1};
        a.host()[5 * page] = std::byte{1};
        const auto found = a.tracker->scan();
        if (found.size() != 1 || a.tracked->mechanism() != Mechanism::alias) _exit(3);
        const auto ranges = found[0]->changes(Device::idle);
        _exit(ranges.size() == 1 && ranges[0].offset == 5 * page ? 0 : 4);
      },
      testing::ExitedWithCode(0), "");
}

// Two megabytes are one page to the kernel then, written as a whole: the bytes are found all the same.
TEST(MemoryHostile, HugeSharedPagesAreComparedByBytes) {
#ifndef MADV_COLLAPSE
  constexpr int MADV_COLLAPSE = 25;
#endif
  constexpr std::size_t huge = std::size_t{2} << 20;
  const Aliased a(2 * huge);
  if (!a.works) GTEST_SKIP() << a.tracker->message();
  std::memset(a.host(), 1, 2 * huge);
  std::vector<std::byte> seen(2 * huge);
  apply(seen, a.tracked->collect(0, whole, Device::idle));
  const auto up = (reinterpret_cast<std::uintptr_t>(a.device()) + huge - 1) / huge * huge;
  auto* const collapsed = reinterpret_cast<std::byte*>(up);
  if (madvise(collapsed, huge, MADV_COLLAPSE) != 0)
    GTEST_SKIP() << "the kernel makes no huge page of a memfd: " << std::strerror(errno);
  const auto offset = static_cast<std::size_t>(collapsed - a.device());
  a.host()[offset + 100] = std::byte{2};
  a.host()[offset + 300 * page] = std::byte{3};
  a.device()[offset + 200 * page] = std::byte{4};
  apply(seen, a.tracked->collect(0, whole, Device::active));
  EXPECT_EQ(seen[offset + 100], std::byte{2});
  EXPECT_EQ(seen[offset + 300 * page], std::byte{3});
  a.host()[offset + 101] = std::byte{5};
  const auto ranges = a.tracked->collect(0, whole, Device::idle);
  std::uint64_t told = 0;
  for (const Range& range : ranges) told += range.size;
  EXPECT_LE(told, 2u) << "bytes, not pages";
  apply(seen, ranges);
  EXPECT_EQ(seen[offset + 101], std::byte{5});
}

TEST(MemoryHostile, AFileSizeLimitDoesNotKillTheProgram) {
  EXPECT_EXIT(
      {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = 1 << 20;
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto tracker = Tracker::create("auto");
        const bool refused = tracker->allocate(2 << 20, page) == nullptr;
        _exit(refused ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(MemoryHostile, AnAddressSpaceLimitIsLeftToTheProgram) {
  EXPECT_EXIT(
      {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        constexpr std::size_t giga = std::size_t{1} << 30;
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = pages * page + 6 * giga;
        setrlimit(RLIMIT_AS, &limit);
        const auto tracker = Tracker::create("auto");
        void* const got = mmap(nullptr, 4 * giga, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        _exit(tracker != nullptr && got != MAP_FAILED ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(MemoryChoice, EveryWordHasAnAnswer) {
  EXPECT_EQ(Tracker::create("scan")->mechanism(), Mechanism::scan);
  EXPECT_FALSE(Tracker::create("scan")->can_allocate());
  EXPECT_TRUE(Tracker::create("scan")->message().empty());
  EXPECT_FALSE(Tracker::create("pagemap")->can_allocate());
  const auto best = Tracker::create(nullptr)->mechanism();
  EXPECT_EQ(Tracker::create("guard")->mechanism(), Mechanism::guard);
  EXPECT_TRUE(Tracker::create("guard")->can_allocate());
  EXPECT_EQ(Tracker::create("shadow")->mechanism(), Mechanism::shadow);
  EXPECT_FALSE(Tracker::create("shadow")->can_allocate());
  EXPECT_TRUE(Tracker::create("shadow")->can_place()) << "device addresses want places all the same";
  EXPECT_NE(Tracker::create("alis")->message().find("not one of"), std::string::npos);
  EXPECT_EQ(Tracker::create("alis")->mechanism(), best);
}

TEST(MemoryChoice, TheProbeAgreesWithTheTracker) {
  const Facilities facilities = Facilities::probe();
  EXPECT_EQ(facilities.reason.empty(), facilities.alias && facilities.pagemap);
  if (facilities.alias && facilities.pagemap) {
    EXPECT_EQ(Tracker::create("alias")->mechanism(), Mechanism::alias);
    EXPECT_EQ(Tracker::create("pagemap")->mechanism(), Mechanism::pagemap);
  }
}

// Memory is still placed, and compared.
TEST(MemoryChoice, WithoutWriteProtectMemoryIsPlacedAndCompared) {
  EXPECT_EXIT(
      {
        if (!forbid_userfaultfd()) _exit(77);
        const auto tracker = Tracker::create("auto");
        const auto memory = tracker->allocate(bytes, page);
        if (tracker->mechanism() != Mechanism::scan || memory == nullptr) _exit(1);
        if (tracker->message().find("userfaultfd") == std::string::npos) _exit(2);
        const auto tracked = tracker->track(*memory, Initial::zeros);
        if (!tracker->scan().empty()) _exit(3);
        memory->program_side()[3 * page + 5] = std::byte{1};
        if (tracker->scan().size() != 1) _exit(4);
        const auto ranges = tracked->changes(Device::idle);
        if (ranges.size() != 1 || ranges[0].offset != 3 * page + 5 || ranges[0].size != 1) _exit(5);
        memory->device_side()[4 * page] = std::byte{1};
        const auto seen = tracked->refresh(0, whole, Refresh::everything);
        if (seen.size() != 1 || !seen[0].ambiguous) _exit(6);
        tracker->scan();
        _exit(tracked->changes(Device::idle).size() == 1 ? 0 : 7);
      },
      testing::ExitedWithCode(0), "");
}

// Two trackers cannot both have the reserved addresses: the second goes without.
TEST(MemoryChoice, ATakenAddressRangeIsSaid) {
  const auto first = Tracker::create("auto");
  if (!first->can_allocate()) GTEST_SKIP() << first->message();
  const auto second = Tracker::create("alias");
  EXPECT_FALSE(second->can_allocate());
  EXPECT_NE(second->mechanism(), Mechanism::alias);
  EXPECT_NE(second->message().find("0x7e8000000000"), std::string::npos) << second->message();
}

}  // namespace
}  // namespace rondo::memory
