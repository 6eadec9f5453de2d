// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "format/temporary_path.h"
#include "player/run/deadline.h"
#include "player/run/driver_crash.h"

namespace rondo::player {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // its runtime says where our own code crashed, and exits
#else
constexpr bool kSanitized = false;
#endif

volatile std::uintptr_t nowhere = 8;

void crash_driver(const char* how, std::uint64_t record = 0) {
  end_where_drivers_crash("player");
  void* library = ::dlopen(RONDO_CRASHING_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::_Exit(99);
  Deadline deadline(0, "so\nme.rondo");
  if (record != 0) deadline.at(record);
  reinterpret_cast<void (*)(const char*)>(::dlsym(library, "crash"))(how);
}

TEST(DriverCrash, IsOneLineAndAFailure) {
  const testing::ExitedWithCode failed(1);
  EXPECT_EXIT(crash_driver("write"), failed,
              "^player: so\\\\x0ame.rondo: the driver crashed before the first record \\(SIGSEGV in libcrashing.so\\); "
              "a debugger shows where\n$");
  EXPECT_EXIT(crash_driver("copy", 7), failed, "the driver crashed in record 7 \\(SIGSEGV in libcrashing.so\\)");
  EXPECT_EXIT(crash_driver("abort", 7), failed, "the driver crashed in record 7 \\(SIGABRT in libcrashing.so\\)");
  EXPECT_EXIT(crash_driver("null function", 7), failed,
              "the driver crashed in record 7 \\(SIGSEGV in libcrashing.so\\)");
  EXPECT_EXIT(crash_driver("generated code", 7), failed,
              "the driver crashed in record 7 \\(SIGILL in code that it generated\\)");
  EXPECT_EXIT(crash_driver("thread", 7), failed,
              "the driver crashed in a thread of its own, during record 7 \\(SIGSEGV in libcrashing.so\\)");
}

// There is no stack left for the handler but its own.
TEST(DriverCrash, IsToldWhereTheStackIsUsedUp) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's stacks are its own";
  EXPECT_EXIT(crash_driver("recursion", 7), testing::ExitedWithCode(1),
              "the driver crashed in record 7 \\(SIGSEGV in libcrashing.so\\)");
  const auto on_a_thread = [] {
    end_where_drivers_crash("player");
    std::thread([] {
      const CrashStack stack;
      crash_driver("recursion", 7);
    }).join();
  };
  EXPECT_EXIT(on_a_thread(), testing::ExitedWithCode(1),
              "the driver crashed in record 7 \\(SIGSEGV in libcrashing.so\\)");
}

TEST(DriverCrash, RemovesWhatIsHalfWritten) {
  const std::string path = testing::TempDir() + "driver-crash-" + std::to_string(::getpid());
  EXPECT_EXIT(
      {
        const TemporaryPath half = TemporaryPath::beside(path, ".part");
        std::ofstream(half.get()) << "half";
        std::fprintf(stderr, "%d ", std::filesystem::exists(half.get()));
        crash_driver("write");
      },
      testing::ExitedWithCode(1), "1 player");
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_FALSE(entry.path().string().starts_with(path)) << entry.path();
}

TEST(DriverCrash, IsNotACrashOfOurOwn) {
  const auto ours = [](void (*crash)()) {
    end_where_drivers_crash("player");
    crash();
  };
  const auto write = [] { *reinterpret_cast<volatile int*>(nowhere) = 1; };
  const auto copy = [] { std::memcpy(reinterpret_cast<void*>(nowhere), "x", static_cast<std::size_t>(nowhere) * 100); };
  const auto sent = [] { ::kill(::getpid(), SIGSEGV); };
  if (kSanitized) GTEST_SKIP() << "the sanitizer ends it with a report";
  EXPECT_EXIT(ours(write), testing::KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(ours(copy), testing::KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(ours([] { std::abort(); }), testing::KilledBySignal(SIGABRT), "^$");
  EXPECT_EXIT(ours(sent), testing::KilledBySignal(SIGSEGV), "^$");
  const auto call_nowhere = [] {
    reinterpret_cast<void (*)()>(nowhere - 8)();
    std::abort();  // no tail call, whose caller would be another
  };
  EXPECT_EXIT(ours(call_nowhere), testing::KilledBySignal(SIGSEGV), "^$");
}

}  // namespace
}  // namespace rondo::player
