// SPDX-License-Identifier: Apache-2.0
// Guarded pages and the program's own handler of SIGSEGV.
#include <gtest/gtest.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

#include "layer/memory/guard.h"
#include "layer/memory/kernel.h"
#include "layer/memory/tracker.h"

namespace rondo::memory {
namespace {

constexpr std::size_t page = page_bytes;
constexpr std::size_t pages = 64;

struct Mapping {
  std::byte* start;
  explicit Mapping(std::size_t count = pages, int protection = PROT_READ | PROT_WRITE)
      : start(static_cast<std::byte*>(mmap(nullptr, count * page, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        count_(count) {}
  ~Mapping() { munmap(start, count_ * page); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  std::size_t count_;
};

void touch(std::byte* at) { *const_cast<volatile std::byte*>(at) = std::byte{1}; }

std::vector<std::size_t> written(Guard& guard, bool rearm = true, std::size_t count = pages) {
  PageSet set(count);
  EXPECT_TRUE(guard.scan(0, count, rearm, set));
  std::vector<std::size_t> list;
  for (std::size_t i = set.next(0, count); i < count; i = set.next(i + 1, count)) list.push_back(i);
  return list;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// What runs in a process of its own: handlers are the process's. A sanitizer's handler
// is there before all, and ends the process with a status.
template <class Body>
void alone(Body body, int status = 0) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(20);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int ended = 0;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  if (kSanitized && status != 0)
    EXPECT_NE(ended, 0);
  else
    EXPECT_EQ(ended, status);
}

volatile sig_atomic_t g_seen = 0;
volatile sig_atomic_t g_blocked = 0;
void* volatile g_address = nullptr;
sigjmp_buf g_back;

void note(int, siginfo_t* info, void*) {
  g_seen = g_seen + 1;
  g_address = info->si_addr;
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  g_blocked = sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGSEGV) == 1;
  siglongjmp(g_back, 1);
}

void note_plainly(int) {
  g_seen = g_seen + 1;
  siglongjmp(g_back, 1);
}

void install() {
  struct sigaction action {};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR1);
  ASSERT_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
}

// A read that no protection of ours forbids, caught by the program's handler.
void fault_and_come_back(const Mapping& none) {
  if (sigsetjmp(g_back, 1) == 0) static_cast<void>(*const_cast<volatile std::byte*>(none.start + 5));
}

TEST(MemoryGuard, Works) { EXPECT_TRUE(Guard::works()); }

TEST(MemoryGuard, WritesGoThroughAndAreFoundOnce) {
  const Mapping memory;
  const auto guard = Guard::create(memory.start, pages);
  ASSERT_NE(guard, nullptr);
  ASSERT_TRUE(guard->arm());
  EXPECT_TRUE(written(*guard).empty());
  for (const std::size_t i : {0u, 7u, 8u, 63u}) touch(memory.start + i * page);
  EXPECT_EQ(written(*guard, false), (std::vector<std::size_t>{0, 7, 8, 63}));
  EXPECT_EQ(written(*guard), (std::vector<std::size_t>{0, 7, 8, 63}));
  EXPECT_TRUE(written(*guard).empty());
  touch(memory.start + 7 * page);
  EXPECT_EQ(written(*guard), (std::vector<std::size_t>{7}));
}

TEST(MemoryGuard, WhatIsLetGoCanBeWritten) {
  const Mapping memory;
  auto guard = Guard::create(memory.start, pages);
  ASSERT_TRUE(guard->arm());
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::size_t i = 0; !stop; ++i) touch(memory.start + i % pages * page);
  });
  for (int i = 0; i < 200; ++i) {
    guard = nullptr;
    guard = Guard::create(memory.start, pages);
    ASSERT_TRUE(guard->arm());
  }
  guard = nullptr;
  stop = true;
  writer.join();
}

TEST(MemoryGuard, AHandlerFromBeforeGetsWhatIsTheProgramsOwn) {
  alone([] {
    install();
    const Mapping memory, none(1, PROT_NONE);
    const auto guard = Guard::create(memory.start, pages);
    ASSERT_TRUE(guard->arm());
    touch(memory.start);
    EXPECT_EQ(g_seen, 0);
    fault_and_come_back(none);
    EXPECT_EQ(g_seen, 1);
    EXPECT_EQ(g_address, none.start + 5);
    EXPECT_EQ(g_blocked, 1);
    touch(memory.start + page);
    EXPECT_EQ(written(*guard), (std::vector<std::size_t>{0, 1}));
  });
}

TEST(MemoryGuard, AHandlerFromLaterIsFoundByTheNextScan) {
  alone([] {
    const Mapping memory, none(1, PROT_NONE);
    const auto guard = Guard::create(memory.start, pages);
    ASSERT_TRUE(guard->arm());
    install();  // from this object, whose calls are not led to us
    written(*guard);
    touch(memory.start + 3 * page);
    EXPECT_EQ(g_seen, 0);
    fault_and_come_back(none);
    EXPECT_EQ(g_seen, 1);
    EXPECT_EQ(written(*guard), (std::vector<std::size_t>{3}));
  });
}

TEST(MemoryGuard, APlainHandlerThatResetsItselfRunsOnce) {
  alone(
      [] {
        struct sigaction action {};
        action.sa_handler = note_plainly;
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(SIGSEGV, &action, nullptr);
        const Mapping memory, none(1, PROT_NONE);
        const auto guard = Guard::create(memory.start, pages);
        ASSERT_TRUE(guard->arm());
        fault_and_come_back(none);
        if (g_seen != 1) _exit(3);
        fault_and_come_back(none);
        _exit(4);
      },
      SIGSEGV);
}

TEST(MemoryGuard, WithoutAHandlerTheProgramDiesOfItsFaults) {
  alone(
      [] {
        const Mapping memory, none(1, PROT_NONE);
        const auto guard = Guard::create(memory.start, pages);
        ASSERT_TRUE(guard->arm());
        static_cast<void>(*const_cast<volatile std::byte*>(none.start));
      },
      SIGSEGV);
  alone(
      [] {
        const Mapping memory;
        const auto guard = Guard::create(memory.start, pages);
        ASSERT_TRUE(guard->arm());
        raise(SIGSEGV);
        pause();
      },
      SIGSEGV);
}

TEST(MemoryGuard, BeginsOnAThreadThatBlocksEverySignal) {
  alone([] {
    sigset_t everything;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, nullptr);
    EXPECT_TRUE(Guard::works());
    const auto tracker = Tracker::create("guard");
    const auto memory = tracker->allocate(pages * page, page);
    const auto tracked = tracker->track(*memory, Initial::zeros);
    EXPECT_EQ(tracked->mechanism(), Mechanism::guard);
  });
}

TEST(MemoryGuard, AForkedChildIsNotHeldUpByHandlersOfItsParent) {
  const Mapping memory;
  const auto guard = Guard::create(memory.start, pages);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::size_t i = 0; !stop; ++i) touch(memory.start + i % pages * page);
  });
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(guard->arm());
    alone([&] {
      for (std::size_t k = 0; k < pages; ++k) touch(memory.start + k * page);
    });
  }
  stop = true;
  writer.join();
}

TEST(MemoryGuard, AForkedChildWritesAsItLikes) {
  const Mapping memory;
  const auto guard = Guard::create(memory.start, pages);
  ASSERT_TRUE(guard->arm());
  alone([&] { touch(memory.start + 5 * page); });
  EXPECT_TRUE(written(*guard).empty());
}

TEST(MemoryGuard, SystemCallsFail) {
  const Mapping memory;
  const auto guard = Guard::create(memory.start, pages);
  ASSERT_TRUE(guard->arm());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_EQ(read(ends[0], memory.start, 1), -1);
  EXPECT_EQ(errno, EFAULT);
  touch(memory.start);
  EXPECT_EQ(read(ends[0], memory.start, 1), 1);
  for (const int end : ends) close(end);
}

// Each page that is protected apart is a mapping; the kernel allows 65,530.
TEST(MemoryGuard, EveryOtherPageOfVeryMuchIsMoreThanTheKernelAllows) {
  alone([] {
    constexpr std::size_t many = 200'000;
    const Mapping memory(many);
    const auto guard = Guard::create(memory.start, many);
    ASSERT_TRUE(guard->arm());
    for (std::size_t i = 0; i < many; i += 2) touch(memory.start + i * page);
    const auto found = written(*guard, false, many);
    std::vector<bool> has(many);
    for (const std::size_t i : found) has[i] = true;
    for (std::size_t i = 0; i < many; i += 2) ASSERT_TRUE(has[i]) << i;
  });
}

}  // namespace
}  // namespace rondo::memory
