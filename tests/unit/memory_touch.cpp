// SPDX-License-Identifier: Apache-2.0
// Without userfaultfd, where the host's writes have to be told from the device's: by the pages that are
// touched.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "tests/unit/forbid_userfaultfd.h"
#include "tests/unit/memory_spans.h"

namespace rondo::memory {
namespace {

constexpr std::size_t pages = 32, bytes = pages * page;

// In a process of its own, which a filter stays with. The status says what was wrong; 0: nothing.
struct Without {
  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<AliasMemory> memory;
  std::unique_ptr<Tracked> tracked;
  Without() {
    if (!forbid_userfaultfd()) _exit(77);
    tracker = Tracker::create("auto", true);
    if (tracker->mechanism() != Mechanism::alias) _exit(78);
    memory = tracker->allocate(bytes, page);
    tracked = tracker->track(*memory, Initial::zeros);
    tracked->watch_device(true);
    if (!tracked->tells_devices_apart()) _exit(79);
  }
  void expect(bool holds, int status) {
    if (!holds) _exit(status);
  }
};

void tell_apart() {
  Without w;
  std::byte *const host = w.memory->program_side(), *const device = w.memory->device_side();
  host[3 * page + 5] = std::byte{1};
  w.expect(w.tracker->scan().size() == 1, 1);
  w.expect(spans_of(w.tracked->changes(Device::idle)) == Spans{{3 * page + 5, 1}}, 2);
  // Beside what the host has read, too: that page is another one.
  volatile const std::byte seen = host[31 * page];
  static_cast<void>(seen);
  device[10 * page] = std::byte{2};
  w.tracker->scan();
  w.expect(w.tracked->changes(Device::idle).empty(), 3);
  const std::span<const Range> made = w.tracked->refresh(0, whole, Refresh::everything);
  w.expect(made.size() == 1 && made[0].offset == 10 * page && !made[0].ambiguous, 4);
  host[10 * page + 1] = std::byte{3};
  w.expect(spans_of(w.tracked->collect(0, whole, Device::idle)) == Spans{{10 * page + 1, 1}}, 5);
  _exit(0);
}

// Every page is written once a round while scans take its entry away.
void lose_nothing() {
  Without w;
  std::atomic<bool> ends = false;
  std::byte last{};
  std::thread writer([&] {
    for (unsigned round = 1; !ends; ++round) {
      last = static_cast<std::byte>(round % 251 + 1);
      for (std::size_t i = 0; i < pages; ++i)
        *const_cast<volatile std::byte*>(w.memory->program_side() + i * page) = last;
    }
  });
  std::vector<std::byte> replayed(bytes);
  const auto take = [&] {
    w.tracker->scan();
    for (const Range& range : w.tracked->changes(Device::idle))
      std::memcpy(replayed.data() + range.offset, range.bytes, static_cast<std::size_t>(range.size));
  };
  for (int scans = 0; scans < 3000; ++scans) take();
  ends = true;
  writer.join();
  take();
  w.expect(std::memcmp(replayed.data(), w.memory->device_side(), bytes) == 0, 1);
  _exit(0);
}

TEST(MemoryTouch, TellsTheHostsWritesFromTheDevices) { EXPECT_EXIT(tell_apart(), testing::ExitedWithCode(0), ""); }

TEST(MemoryTouch, LosesNoWriteWhileItLooks) { EXPECT_EXIT(lose_nothing(), testing::ExitedWithCode(0), ""); }

TEST(MemoryTouch, IsNotTakenUnasked) {
  EXPECT_EXIT(
      {
        if (!forbid_userfaultfd()) _exit(77);
        _exit(Tracker::create("auto")->mechanism() == Mechanism::scan ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rondo::memory
