// SPDX-License-Identifier: Apache-2.0
// Files, their names, and how recordings end.
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "format/check.h"
#include "generated/args.h"
#include "layer/recorder/guard.h"
#include "tests/unit/recorder_support.h"

// A child of fork may have been made while another thread of its parent held a
// lock of the sanitizer's allocator (GCC 12's does not hold them over fork): its
// search for leaks at the end would wait for that for ever.
extern "C" [[gnu::visibility("default")]] int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return rondo::layer::in_forked_child() ? 1 : 0; }

namespace rondo::layer::testing {
namespace {

using Notes = std::vector<std::pair<bool, std::string>>;

// The notes of a capture that holds nothing else: whether the recording stopped there, and the words.
Notes notes_of(const Capture& capture) {
  Notes notes;
  while (const auto record = capture.next()) {
    EXPECT_EQ(capture.ids.command(record->command), CommandId::rondoNote);
    codec::Lowered lowered;
    EXPECT_TRUE(codec::decode(lowered, capture.ids, CommandId::rondoNote, record->payload));
    args_rondoNote args;
    std::memcpy(&args, lowered.bytes.data(), sizeof args);
    const auto offset = reinterpret_cast<std::uintptr_t>(args.text);
    notes.emplace_back(args.stopped != 0, reinterpret_cast<const char*>(lowered.bytes.data()) + offset);
  }
  return notes;
}

TEST_F(RecorderTest, TheFirstInstanceMakesAFileOfThatName) {
  in_process(file("a.rondo"), [] { start(); });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::exited));
  ASSERT_FALSE(capture.reader->sessions().empty());
  EXPECT_NE(capture.reader->sessions()[0].find("\"name\":\"unit test\""), std::string::npos);
}

TEST_F(RecorderTest, NobodyElseMayReadTheFile) {
  in_process(file("a.rondo"), [] { start(); });
  struct stat about {};
  ASSERT_EQ(::stat(file("a.rondo").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(RecorderTest, WithoutAnInstanceThereIsNoFile) {
  in_process(file("a.rondo"), [] { settings(); });
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(RecorderTest, AnExistingFileGetsANumber) {
  for (int i = 0; i < 3; ++i) in_process(file("a.rondo"), [] { start(); });
  EXPECT_TRUE(std::filesystem::exists(file("a.rondo")));
  EXPECT_TRUE(std::filesystem::exists(file("a-1.rondo")));
  EXPECT_TRUE(std::filesystem::exists(file("a-2.rondo")));
}

TEST_F(RecorderTest, TwoProcessesAtOnceRecordToTwoFiles) {
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  const pid_t first = ::fork();
  if (first == 0) {
    ::setenv("RONDO_OUTPUT", file("a.rondo").c_str(), 1);
    start();
    char byte = 0;
    ::close(go[1]);
    [[maybe_unused]] const ssize_t end = ::read(go[0], &byte, 1);  // until the second is done
    std::exit(0);
  }
  // A file is locked before the first byte is in it.
  const auto locked = [this] {
    std::error_code absent;
    const std::uintmax_t bytes = std::filesystem::file_size(file("a.rondo"), absent);
    return !absent && bytes != 0;
  };
  for (int i = 0; i < 1000 && !locked(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  in_process(file("a.rondo"), [] { start(); });
  ::close(go[0]);
  ::close(go[1]);
  int status = 0;
  ::waitpid(first, &status, 0);
  EXPECT_EQ(status, 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    ++files;
    const Capture capture(entry.path());
    ASSERT_NE(capture.reader, nullptr);
    EXPECT_TRUE(capture.reader->complete()) << entry.path();
  }
  EXPECT_EQ(files, 2u);
  EXPECT_FALSE(std::filesystem::exists(file("a-1.rondo"))) << "named by its process, not by a number";
}

TEST_F(RecorderTest, ARelativePathMeansTheDirectoryOfTheStart) {
  in_process("a.rondo", [&] {
    std::filesystem::current_path(directory_);
    start();
    std::filesystem::current_path("/");
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
}

TEST_F(RecorderTest, AForkedChildLeavesTheFileAlone) {
  in_process(file("a.rondo"), [] {
    start();
    const pid_t child = ::fork();
    if (child == 0) {
      start();
      std::exit(recording() ? 1 : 0);  // runs the destructors of the library, too
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0 || !recording()) ::_exit(1);
    note("after the child");
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
  ASSERT_TRUE(capture.next().has_value());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
}

// By the system call, which runs no fork handlers, in a namespace of process ids of its own.
pid_t first_of_a_namespace() { return static_cast<pid_t>(::syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0)); }

TEST_F(RecorderTest, AChildThatHasItsParentsNumberLeavesTheFileAlone) {
  const pid_t tried = first_of_a_namespace();
  if (tried == 0) ::_exit(0);
  if (tried < 0) GTEST_SKIP() << "no namespaces of process ids: " << std::strerror(errno);
  ::waitpid(tried, nullptr, 0);
  in_process(file("a.rondo"), [] {
    const pid_t first = first_of_a_namespace();
    int status = 0;
    if (first != 0) {
      ::waitpid(first, &status, 0);
      ::_exit(status == 0 ? 0 : 1);
    }
    start();
    const pid_t child = first_of_a_namespace();
    if (child == 0) {
      // Rather than wait for a thread that it does not have. (The first of a namespace gets no signal without a
      // handler.)
      ::signal(SIGALRM, [](int) { ::_exit(1); });
      ::alarm(10);
      std::exit(0);
    }
    ::waitpid(child, &status, 0);
    if (::getpid() != 1 || status != 0 || !recording()) ::_exit(1);
    note("after the child");
    std::exit(0);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
}

TEST_F(RecorderTest, AFailedCheckStopsTheRecordingAndTheProgramGoesOn) {
  in_process(file("a.rondo"), [] {
    start();
    int done = 0;
    guarded([&] {
      done = 1;
      RONDO_CHECK(done == 2);
      done = 3;
    });
    if (recording() || done != 1) ::_exit(1);
    if (guarded(7, [&]() -> int {
          RONDO_CHECK(done == 2);
          return 8;
        }) != 7)
      ::_exit(2);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::stopped));
  const Notes notes = notes_of(capture);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].first);
  EXPECT_TRUE(notes[0].second.starts_with("a mistake of Rondo's own: tests/unit/recorder_process.cpp:"));
  EXPECT_TRUE(notes[0].second.ends_with(": done == 2 does not hold")) << notes[0].second;
}

TEST_F(RecorderTest, StoppingSaysWhyAndTheProgramGoesOn) {
  in_process(file("a.rondo"), [] {
    start();
    note("one sentence");
    stop_recording("the reason");
    stop_recording("not this one");
    if (recording()) ::_exit(1);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(capture.reader->footer()->ending, static_cast<std::uint32_t>(Ending::stopped));
  const Notes expected = {{false, "one sentence"}, {true, "the reason"}};
  EXPECT_EQ(notes_of(capture), expected);
}

TEST_F(RecorderTest, AnUnwritableDirectoryOnlyMeansNoCapture) {
  in_process(file("no/such/directory/a.rondo"), [] {
    start();
    if (recording()) ::_exit(1);
  });
}

class ReportedProcess : public RecorderTest {
 protected:
  void SetUp() override {
    RecorderTest::SetUp();
    { const std::ofstream empty(file("report")); }
    ::setenv("RONDO_REPORT_FILE", file("report").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("RONDO_REPORT_FILE");
    RecorderTest::TearDown();
  }
  // The paths of its entries.
  std::vector<std::string> reported() const {
    std::ifstream in(file("report"), std::ios::binary);
    std::vector<std::string> paths;
    for (std::string entry; std::getline(in, entry, '\0');) paths.push_back(entry.substr(entry.find(' ') + 1));
    return paths;
  }
  std::size_t captures() const {
    const auto entries = std::distance(std::filesystem::directory_iterator(directory_), {});
    return static_cast<std::size_t>(entries) - 1;
  }
};

TEST_F(ReportedProcess, AFailureIsReportedAsAnEmptyPath) {
  in_process(file("no/such/directory/a.rondo"), [] { start(); });
  EXPECT_EQ(reported(), std::vector<std::string>{""});
}

TEST_F(ReportedProcess, LaterProcessesAreNamedByTheirNumber) {
  for (int i = 0; i < 2; ++i) in_process(file("a.rondo"), [] { start(); });
  const auto paths = reported();
  ASSERT_EQ(paths.size(), 2u);
  EXPECT_EQ(paths[0], file("a.rondo"));
  EXPECT_NE(paths[1], file("a-1.rondo"));
  EXPECT_TRUE(std::filesystem::exists(paths[1])) << paths[1];
}

TEST_F(ReportedProcess, WithoutChildrenOnlyTheFirstIsRecorded) {
  for (int i = 0; i < 2; ++i)
    in_process(file("a.rondo"), [] {
      ::setenv("RONDO_CHILDREN", "0", 1);
      start();
    });
  EXPECT_EQ(reported(), std::vector<std::string>{file("a.rondo")});
  EXPECT_EQ(captures(), 1u);
}

TEST_F(RecorderTest, AMinimalSessionNamesNothing) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_SESSION", "minimal", 1);
    start();
    record_modules();
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  for (const std::string& session : capture.reader->sessions())
    for (const char* word : {"unit test", "command_line", "environment", "/unit-layer", "/lib/"})
      EXPECT_EQ(session.find(word), std::string::npos) << word << " in " << session;
}

}  // namespace
}  // namespace rondo::layer::testing
