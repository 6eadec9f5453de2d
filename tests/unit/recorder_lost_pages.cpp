// SPDX-License-Identifier: Apache-2.0
// The capture's file loses the pages that are mapped: the recording ends, the program
// does not. Bus errors that are not the recorder's stay the program's.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <thread>

#include "tests/unit/recorder_support.h"

namespace rondo::layer::testing {
namespace {

sigjmp_buf g_back;

// Reads beyond the end of a file of the program's own.
void fault(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  auto* const mapped = static_cast<const volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
  static_cast<void>(mapped[0]);
}

int signal_that_ends(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

class LostPages : public RecorderTest {};

TEST_F(LostPages, ATruncatedFileEndsTheRecordingAndNotTheProgram) {
  const std::string path = file("a.rondo");
  in_process(path, [&] {
    start();
    note("before");
    if (::truncate(path.c_str(), 0) != 0) ::_exit(1);
    const auto work = [] {
      for (int i = 0; i < 1000; ++i) note("after");
    };
    std::thread other(work);
    work();
    other.join();
    // What the recorder writes meanwhile may have made the file as long as it was: that is seen at the end.
    const auto summary = g_hot.writer->finish(Ending::exited);
    if (summary || summary.error().message.find(path) == std::string::npos) ::_exit(2);
  });
  EXPECT_FALSE(Reader::open(path).has_value());
}

// Nobody writes after it: only the end sees it.
TEST_F(LostPages, ATruncatedFileIsNotClosedAsIfItWasWhole) {
  const std::string path = file("a.rondo");
  in_process(path, [&] {
    start();
    if (::truncate(path.c_str(), 0) != 0) ::_exit(1);
    std::exit(g_hot.writer->finish(Ending::exited).has_value() ? 2 : 0);
  });
}

TEST_F(LostPages, BusErrorsOfTheProgramReachItsHandler) {
  const std::string other = file("other");  // not jumped over
  in_process(file("a.rondo"), [&] {
    struct sigaction programs {};
    programs.sa_handler = [](int) { ::siglongjmp(g_back, 1); };
    ::sigaction(SIGBUS, &programs, nullptr);
    start();
    int faults = 0;
    for (int i = 0; i < 2; ++i)
      if (sigsetjmp(g_back, 1) == 0)
        fault(other);
      else
        ++faults;
    if (faults != 2 || !recording() || g_hot.writer->failed()) ::_exit(1);
    note("goes on");
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
}

TEST_F(LostPages, BusErrorsWithoutAHandlerEndTheProgram) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has a handler of its own";
#endif
  ::setenv("RONDO_OUTPUT", file("a.rondo").c_str(), 1);
  ::setenv("RONDO_LOG", "error", 1);
  EXPECT_EQ(signal_that_ends([&] {
              start();
              fault(file("other"));
            }),
            SIGBUS);
  EXPECT_EQ(signal_that_ends([] {
              start();
              ::raise(SIGBUS);
            }),
            SIGBUS);
}

}  // namespace
}  // namespace rondo::layer::testing
