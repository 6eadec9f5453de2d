// SPDX-License-Identifier: Apache-2.0
// The player under a limit of its address space: its errors name the limit, and it reserves no more than it uses.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <new>
#include <stdexcept>
#include <system_error>

#include "format/address_space.h"
#include "format/reader.h"
#include "format/vulkan.h"
#include "player/devices/hints.h"
#include "player/plan/places.h"
#include "player/plan/workers.h"

namespace rondo::player {
namespace {

constexpr std::size_t kMebi = std::size_t{1} << 20;

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void leave(std::size_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = address_space() + bytes;
  if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(99);
}

// In a process of its own, which ends with 0 where all holds.
#define EXPECT_HOLDS_LIMITED(statement) \
  EXPECT_EXIT(                          \
      {                                 \
        statement;                      \
        ::_exit(0);                     \
      },                                \
      testing::ExitedWithCode(0), "")
#define HOLDS(condition) \
  if (!(condition)) ::_exit(__LINE__ % 90 + 1)

TEST(AddressSpace, WithoutALimitNothingIsSaidOfOne) {
  if (address_space_limit()) GTEST_SKIP() << "address space is limited here";
  EXPECT_EQ(address_space_hint(), "");
  EXPECT_EQ(memory_hint(VK_ERROR_OUT_OF_HOST_MEMORY), "");
  EXPECT_EQ(failure_text(std::bad_alloc()), "not enough memory");
  EXPECT_EQ(failure_text(std::runtime_error("its words")), "its words");
  const std::system_error refused(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_NE(failure_text(refused).find("a thread cannot be started: "), std::string::npos);
  EXPECT_NE(failure_text(refused).find("ulimit -u"), std::string::npos);
}

TEST(AddressSpace, WhatFailsForWantOfItNamesTheLimit) {
  EXPECT_HOLDS_LIMITED({
    leave(256 * kMebi);
    const std::string hint = "the address space is limited to " + std::to_string(*address_space_limit() >> 10) +
                             " KiB (ulimit -v), which may be too little: raise that limit";
    HOLDS(address_space_hint() == "; " + hint);
    HOLDS(failure_text(std::bad_alloc()) == "not enough memory; " + hint);
    const std::system_error refused(std::make_error_code(std::errc::resource_unavailable_try_again));
    HOLDS(failure_text(refused).ends_with("; " + hint));
    HOLDS(failure_text(std::runtime_error("its words")) == "its words");
    HOLDS(memory_hint(VK_ERROR_OUT_OF_HOST_MEMORY) == "; " + hint);
    HOLDS(memory_hint(VK_ERROR_OUT_OF_DEVICE_MEMORY) == "; " + hint);
    HOLDS(memory_hint(VK_ERROR_DEVICE_LOST).empty());
    HOLDS(driver_hint() == "; " + hint);
    HOLDS(machine_memory() <= *address_space_limit());
  });
}

// Of 3 GiB a reservation would take 1.5, and drivers would lack them.
TEST(AddressSpace, PlacesTakeOfALimitWhatTheyUse) {
  EXPECT_HOLDS_LIMITED({
    leave(3072 * kMebi);
    const std::size_t before = address_space();
    reserve_places();
    HOLDS(address_space() < before + 16 * kMebi);
    const std::uint64_t place = kPlacesBegin + 640 * kMebi;
    auto memory = PlacedMemory::map(place, 64 * kMebi);
    HOLDS(memory && memory->data() == reinterpret_cast<void*>(place));
    HOLDS(address_space() < before + 80 * kMebi);
    HOLDS(!PlacedMemory::map(place + kMebi, kMebi));
    HOLDS(PlacedMemory::map(kPlacesBegin + kPlacesBytes, kMebi).error().status == Status::device);
    const auto too_large = PlacedMemory::map(kPlacesBegin + 1024 * kMebi, 4096 * kMebi);
    HOLDS(!too_large && too_large.error().message.find("ulimit -v") != std::string::npos);
    *memory = PlacedMemory();
    HOLDS(address_space() < before + 16 * kMebi);
    void* const at = reinterpret_cast<void*>(place);
    HOLDS(::mmap(at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at);
    const auto taken = PlacedMemory::map(place, kMebi);
    HOLDS(!taken && taken.error().message.find("not free") != std::string::npos);
  });
}

TEST(Workers, WhatOneThrowsEndsTheWorkAndIsThrownAgain) {
  std::atomic<int> done{0};
  const auto work = [&](std::size_t i) {
    if (i == 3) throw std::bad_alloc();
    ++done;
  };
  for (const std::uint32_t threads : {1u, 4u}) EXPECT_THROW(run_on_threads(1000, threads, work), std::bad_alloc);
  EXPECT_LT(done, 2000);
}

TEST(Workers, ThreadsThatCannotBeStartedAreMissingAndNoMore) {
  EXPECT_HOLDS_LIMITED({
    leave(20 * kMebi);  // two stacks, or none
    std::atomic<int> done{0};
    run_on_threads(1000, 64, [&](std::size_t) { ++done; });
    HOLDS(done == 1000);
  });
}

}  // namespace
}  // namespace rondo::player
