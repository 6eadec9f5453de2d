// SPDX-License-Identifier: Apache-2.0
// What the tracker reports: exact ranges, host writes apart from device writes,
// by every mechanism that this kernel has.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "layer/memory/compare.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

std::size_t ambiguous_in(std::span<const Range> ranges) {
  std::size_t count = 0;
  for (const Range& r : ranges) count += r.ambiguous ? 1 : 0;
  return count;
}

// One page of 0x77 past the page cache. False: this file system cannot.
bool read_directly(std::byte* to) {
  char path[] = "./direct-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return false;
  const std::vector<char> contents(page, 0x77);
  const bool written = write(file, contents.data(), page) == static_cast<ssize_t>(page) && fsync(file) == 0;
  close(file);
  const int direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
  unlink(path);
  const bool done = written && direct >= 0 && read(direct, to, page) == static_cast<ssize_t>(page);
  if (direct >= 0) close(direct);
  return done;
}

// A tracker with one memory, by one mechanism: "alias" through AliasMemory, the
// others on a private mapping, as a driver's pointer would be.
class MemoryTracker : public testing::TestWithParam<Mechanism> {
 protected:
  static constexpr std::size_t bytes = 64 * page;

  void SetUp() override { begin(Initial::zeros); }

  void begin(Initial initial, std::byte fill = std::byte{0}) {
    end();
    tracker = Tracker::create(name(GetParam()));
    ASSERT_NE(tracker, nullptr);
    if (tracker->mechanism() != GetParam()) GTEST_SKIP() << tracker->message();
    if (GetParam() == Mechanism::alias) {
      alias = tracker->allocate(bytes, page);
      ASSERT_NE(alias, nullptr);
      host = alias->program_side();
      device = alias->device_side();
      if (fill != std::byte{0}) std::memset(device, static_cast<int>(fill), bytes);
      tracked = tracker->track(*alias, initial);
    } else {
      mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(mapping, MAP_FAILED);
      host = device = static_cast<std::byte*>(mapping);
      if (fill != std::byte{0}) std::memset(device, static_cast<int>(fill), bytes);
      tracked = tracker->track(host, bytes, initial, GetParam() != Mechanism::shadow);
      if (tracked != nullptr) host = tracked->program_side();
    }
    ASSERT_NE(tracked, nullptr);
    ASSERT_EQ(tracked->mechanism(), GetParam());
  }
  void end() {
    tracked.reset();
    alias.reset();
    tracker.reset();
    if (mapping != nullptr) munmap(mapping, bytes);
    mapping = nullptr;
  }
  void TearDown() override { end(); }

  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<AliasMemory> alias;
  std::unique_ptr<Tracked> tracked;
  void* mapping = nullptr;
  std::byte* host = nullptr;
  std::byte* device = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Each, MemoryTracker,
                         testing::Values(Mechanism::alias, Mechanism::pagemap, Mechanism::scan, Mechanism::guard,
                                         Mechanism::shadow),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(MemoryTracker, NothingWrittenIsNothingFound) {
  EXPECT_TRUE(spans_of(tracked->collect(0, whole, Device::idle)).empty());
  EXPECT_TRUE(spans_of(tracked->collect(0, whole, Device::idle)).empty());
}

TEST_P(MemoryTracker, OneByteIsOneByte) {
  host[3 * page + 17] = std::byte{0xab};
  const auto ranges = tracked->collect(0, whole, Device::idle);
  ASSERT_EQ(spans_of(ranges), (Spans{{3 * page + 17, 1}}));
  EXPECT_EQ(ranges[0].bytes[0], std::byte{0xab});
  EXPECT_FALSE(ranges[0].ambiguous);
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
}

TEST_P(MemoryTracker, RangesAreExactAndNearOnesAreOne) {
  std::memset(host + 5, 1, 3);
  std::memset(host + 8 + merge_gap, 2, 1);       // merge_gap bytes after the first
  std::memset(host + 10 + 2 * merge_gap, 3, 7);  // one more than that
  std::memset(host + 2 * page - 9, 4, 18);       // across a page boundary
  std::memset(host + bytes - 1, 5, 1);           // the last byte
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)),
            (Spans{{5, 4 + merge_gap}, {10 + 2 * merge_gap, 7}, {2 * page - 9, 18}, {bytes - 1, 1}}));
}

TEST_P(MemoryTracker, EveryOffsetAndLengthAroundWordsAndBlocks) {
  for (std::size_t begin = 0; begin < 140; begin += 3) {
    for (std::size_t size = 1; size < 150; size += 7) {
      for (std::size_t i = 0; i < size; ++i)
        host[begin + i] = static_cast<std::byte>(~std::to_integer<int>(host[begin + i]));
      const auto ranges = tracked->collect(0, whole, Device::idle);
      ASSERT_EQ(spans_of(ranges), (Spans{{begin, size}}));
      ASSERT_EQ(std::memcmp(ranges[0].bytes, host + begin, size), 0);
    }
  }
}

TEST_P(MemoryTracker, WritingWhatIsThereIsNoChange) {
  std::memset(host, 7, 100);
  EXPECT_EQ(tracked->collect(0, whole, Device::idle).size(), 1u);
  std::memset(host, 7, 100);
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
}

TEST_P(MemoryTracker, AFlushTakesItsRangeAndLeavesTheRest) {
  std::memset(host + 100, 1, 300);
  std::memset(host + 5 * page, 1, 10);
  EXPECT_EQ(spans_of(tracked->collect(200, 50, Device::idle)), (Spans{{200, 50}}));
  EXPECT_EQ(spans_of(tracked->changes(Device::idle)), (Spans{{100, 100}, {250, 150}}));
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), (Spans{{5 * page, 10}}));
  EXPECT_TRUE(tracked->collect(bytes, whole, Device::idle).empty());
}

TEST_P(MemoryTracker, AScanOfAllNamesWhatChanged) {
  std::memset(host + 9 * page, 1, 10);
  tracked->user = this;
  const auto found = tracker->scan();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]->user, this);
  EXPECT_EQ(spans_of(found[0]->changes(Device::idle)), (Spans{{9 * page, 10}}));
  const bool compared = GetParam() == Mechanism::shadow && !Facilities::probe().pagemap;
  if (GetParam() != Mechanism::scan && !compared) {
    EXPECT_TRUE(tracker->scan().empty());
  }
}

TEST_P(MemoryTracker, CurrentContentsAreNotChanges) {
  begin(Initial::current, std::byte{0x5a});
  EXPECT_TRUE(tracked->collect(0, whole, Device::idle).empty());
  host[page + 1] = std::byte{1};
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::idle)), (Spans{{page + 1, 1}}));
}

TEST_P(MemoryTracker, UnknownContentsAreReportedByWholePages) {
  begin(Initial::unknown, std::byte{0x5a});
  host[page + 1] = std::byte{0x5a};  // what happens to be there already
  EXPECT_EQ(spans_of(tracked->collect(page, 8, Device::idle)), (Spans{{page, page}}));
  host[page + 2] = std::byte{1};
  EXPECT_EQ(spans_of(tracked->collect(page, page, Device::idle)), (Spans{{page + 2, 1}}));
}

TEST_P(MemoryTracker, SystemCallsWriteIntoTrackedMemory) {
  std::vector<char> data(3 * page);
  std::iota(data.begin(), data.end(), 1);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  ASSERT_EQ(write(pipe_ends[1], data.data(), data.size()), static_cast<ssize_t>(data.size()));
  if (GetParam() == Mechanism::guard) {
    EXPECT_EQ(read(pipe_ends[0], host + 100, data.size()), -1);
    EXPECT_EQ(errno, EFAULT);  // what is known of it (docs/memory.md)
    std::memset(host, 0, bytes);
  }
  ASSERT_EQ(read(pipe_ends[0], host + 100, data.size()), static_cast<ssize_t>(data.size()));
  int sockets[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  ASSERT_EQ(send(sockets[0], "received", 8, 0), 8);
  ASSERT_EQ(recv(sockets[1], host + 20 * page, 8, 0), 8);
  for (const int end : {pipe_ends[0], pipe_ends[1], sockets[0], sockets[1]}) close(end);
  // Another process's hand, and a disk's.
  char poked[] = "poked";
  const iovec from{poked, 5}, to{host + 30 * page, 5};
  ASSERT_EQ(process_vm_writev(getpid(), &from, 1, &to, 1, 0), 5) << std::strerror(errno);
  const bool from_disk = read_directly(host + 40 * page);
  std::vector<std::byte> seen(bytes);
  for (const Range& r : tracked->collect(0, whole, Device::idle)) std::memcpy(seen.data() + r.offset, r.bytes, r.size);
  EXPECT_EQ(std::memcmp(seen.data() + 100, data.data(), data.size()), 0);
  EXPECT_EQ(std::memcmp(seen.data() + 20 * page, "received", 8), 0);
  EXPECT_EQ(std::memcmp(seen.data() + 30 * page, "poked", 5), 0);
  if (from_disk) {
    EXPECT_EQ(std::to_integer<int>(seen[40 * page + 9]), 0x77);
  }
}

TEST_P(MemoryTracker, NoDeviceNoAmbiguityADeviceAtWorkIsAmbiguous) {
  host[0] = std::byte{1};
  EXPECT_EQ(ambiguous_in(tracked->collect(0, whole, Device::idle)), 0u);
  host[0] = std::byte{2};
  EXPECT_EQ(ambiguous_in(tracked->collect(0, whole, Device::active)), GetParam() == Mechanism::shadow ? 0u : 1u);
}

TEST_P(MemoryTracker, AfterAWaitTheDevicesWritesAreTold) {
  std::memset(host, 1, 16);
  std::memset(host + 10 * page, 1, page);
  tracked->collect(0, whole, Device::idle);
  device[40] = std::byte{9};
  device[30 * page] = std::byte{9};
  const auto ranges = tracked->refresh(0, whole, Refresh::everything);
  ASSERT_EQ(spans_of(ranges), (Spans{{40, 1}, {30 * page, 1}}));
  if (GetParam() == Mechanism::alias || GetParam() == Mechanism::shadow) {
    EXPECT_EQ(ambiguous_in(ranges), 0u);
    EXPECT_EQ(ranges[0].bytes[0], std::byte{9});
    host[3] = std::byte{7};
    const auto next = tracked->collect(0, whole, Device::idle);
    EXPECT_EQ(spans_of(next), (Spans{{3, 1}})) << "the device's byte on the same page is no host write";
    EXPECT_EQ(ambiguous_in(next), 0u);
  } else {
    EXPECT_EQ(ambiguous_in(ranges), 2u);
    EXPECT_EQ(ranges[0].bytes, nullptr);
    const auto next = tracked->collect(0, whole, Device::idle);
    EXPECT_EQ(spans_of(next), (Spans{{40, 1}, {30 * page, 1}})) << "nothing that may be the host's is lost";
    EXPECT_EQ(ambiguous_in(next), 2u);
  }
  host[3] = std::byte{8};
  EXPECT_EQ(ambiguous_in(tracked->collect(0, whole, Device::idle)), 0u) << "no device work since";
}

TEST_P(MemoryTracker, WritesThatWereUndoneAreNotedByTheirPage) {
  const auto undone = [&] {
    Spans spans;
    tracked->each_undone([&](std::uint64_t from, std::uint64_t to) { spans.emplace_back(from, to); });
    return spans;
  };
  const auto toggle = [&](std::size_t at) {
    for (const int value : {1, 0})
      *reinterpret_cast<volatile unsigned char*>(host + at) = static_cast<unsigned char>(value);
  };
  toggle(3 * page);
  tracked->collect(0, whole, Device::idle);
  EXPECT_TRUE(undone().empty()) << "nobody asked";
  tracked->note_undone(true);
  if (GetParam() == Mechanism::scan) {
    tracked->collect(0, whole, Device::idle);
    EXPECT_EQ(undone().size(), bytes / page) << "it cannot know";
    return;
  }
  toggle(3 * page);
  toggle(4 * page + 100);
  host[5 * page] = std::byte{1};
  const auto ranges = tracked->collect(0, whole, Device::idle);
  EXPECT_EQ(spans_of(ranges), (Spans{{5 * page, 1}}));
  EXPECT_EQ(undone(), (Spans{{3 * page, 4 * page}, {4 * page, 5 * page}}));
  tracked->collect(0, whole, Device::idle);
  EXPECT_TRUE(undone().empty());
}

TEST_P(MemoryTracker, ProgramsMayUnmapPartsOfADriversMapping) {
  if (GetParam() != Mechanism::pagemap && GetParam() != Mechanism::scan) GTEST_SKIP() << "it has another mapping";
  std::memset(host, 1, bytes);
  tracked->collect(0, whole, Device::idle);
  host[2 * page] = std::byte{2};
  host[20 * page] = std::byte{3};
  ASSERT_EQ(munmap(host + 8 * page, 7 * page), 0);
  EXPECT_EQ(spans_of(tracked->collect(0, whole, Device::active)), (Spans{{2 * page, 1}, {20 * page, 1}}));
  tracked->refresh(0, whole, Refresh::everything);
  host[21 * page] = std::byte{4};
  tracked->refresh(0, whole, Refresh::known);
  tracker->scan();
  EXPECT_EQ(spans_of(tracked->changes(Device::active)), (Spans{{21 * page, 1}}));
}

TEST_P(MemoryTracker, RefreshLosesNoHostWriteOfTheSamePage) {
  if (GetParam() == Mechanism::shadow) GTEST_SKIP() << "it tells bytes apart: MemoryShadow";
  host[0] = std::byte{1};
  tracked->collect(0, whole, Device::idle);
  host[100] = std::byte{2};  // after the submit, before the wait
  device[200] = std::byte{3};
  const auto seen = tracked->refresh(0, whole, Refresh::everything);
  EXPECT_EQ(ambiguous_in(seen), seen.size());
  const auto next = tracked->collect(0, whole, Device::idle);
  EXPECT_EQ(spans_of(next), (Spans{{100, 1}, {200, 1}}));
  EXPECT_EQ(ambiguous_in(next), 2u);
}

TEST_P(MemoryTracker, CheapRefreshUpdatesOnlyWhatTheHostWrote) {
  if (GetParam() == Mechanism::shadow) GTEST_SKIP() << "it has no cheap one: the program sees what is refreshed";
  host[0] = std::byte{1};
  tracked->collect(0, whole, Device::idle);
  device[200] = std::byte{3};
  device[9 * page] = std::byte{3};
  const auto seen = tracked->refresh(0, whole, Refresh::known);
  if (GetParam() != Mechanism::alias) {
    EXPECT_TRUE(seen.empty());
    return;
  }
  EXPECT_EQ(spans_of(seen), (Spans{{200, 1}}));
  host[9 * page + 100] = std::byte{4};
  const auto next = tracked->collect(0, whole, Device::idle);
  EXPECT_EQ(spans_of(next), (Spans{{9 * page, page}})) << "a byte that the host wrote may be what base has";
  EXPECT_EQ(ambiguous_in(next), 1u) << "base was older than the device's work";
}

}  // namespace
}  // namespace rondo::memory
