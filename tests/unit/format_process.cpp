// SPDX-License-Identifier: Apache-2.0
// What a recorder may live through: kill -9, forks, programs that close and take its descriptors.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "format_support.h"

namespace rondo::test {
namespace {

// Counters that a killed child leaves behind.
template <class T>
class Shared {
 public:
  Shared() : value_(new (::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) T()) {}
  ~Shared() { ::munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T* operator->() { return value_; }
  T& operator*() { return *value_; }

 private:
  T* value_;
};

constexpr int kWriters = 3;  // at most
struct Progress {
  std::atomic<std::uint64_t> committed[kWriters];  // the last number that commit() returned for
  std::atomic<std::uint64_t> blobs;
};

std::vector<std::byte> blob_of(std::uint64_t i) { return noise(i % 5 == 0 ? 70'000 + i : 100 + i % 1000, i); }

// A child that records on some threads until it is killed after `records`.
void record_and_die(const std::string& path, int writers, std::uint64_t records, Progress& progress) {
  const int status = in_child([&] {
    WriterOptions options = options_for(path, 16 * 1024);
    options.compression = Compression::none;
    auto writer = create(options);
    writer->add_session("{\"a\":1}");
    std::vector<std::thread> threads;
    for (int t = 0; t < writers; ++t) {
      threads.emplace_back([&, t] {
        ThreadStream* stream = writer->open_stream();
        for (;;) {
          if (t == 0) {
            const std::uint64_t n = progress.blobs.load();
            if (n < 200) {
              const auto blob = blob_of(n);
              writer->add_blob(*stream, digest_of(blob), blob);
              progress.blobs.store(n + 1);
            }
          }
          const std::uint64_t sequence = writer->take_sequence();
          std::memset(stream->begin(kDraw, kRecordCall, sequence, 200), 'a' + t, 200);
          stream->commit();
          progress.committed[t].store(sequence);
          if (sequence >= records) ::kill(::getpid(), SIGKILL);
        }
      });
    }
    for (std::thread& t : threads) t.join();
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Killed, LosesNothingThatWasCommitted) {
  TemporaryDirectory dir;
  struct Case {
    int writers;
    std::uint64_t records;
  };
  for (const auto& [writers, records] :
       {Case{1, 1}, Case{1, 50}, Case{1, 1000}, Case{1, 40'000}, Case{3, 1000}, Case{3, 60'000}}) {
    const std::string path = dir.file(std::to_string(writers) + "-" + std::to_string(records) + ".rondo");
    Shared<Progress> progress;
    record_and_die(path, writers, records, *progress);
    const Contents cut = read_all(path);
    EXPECT_FALSE(cut.complete);
    EXPECT_EQ(cut.error, "");
    EXPECT_EQ(cut.sessions.size(), 1u);
    // The other threads may have died between taking a number and committing
    // its record; no other number is missing.
    EXPECT_LE(cut.gaps, static_cast<std::uint64_t>(writers - 1));
    if (writers == 1) {
      EXPECT_EQ(cut.records.size(), records);
    }

    auto reader = open(path);
    EXPECT_EQ(reader->dictionary().size(), 5u);
    for (std::uint64_t i = 0; i < progress->blobs.load(); ++i) {
      auto blob = reader->blob(digest_of(blob_of(i)));
      ASSERT_TRUE(blob) << blob.error().message;
      EXPECT_TRUE(**blob == blob_of(i));
    }

    auto finished = finish_capture(path, SIGKILL);
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_TRUE(*finished);
    const Contents closed = read_all(path);
    EXPECT_TRUE(closed.complete) << closed.cut_reason;
    EXPECT_TRUE(closed.records == cut.records);
    EXPECT_EQ(closed.gaps, cut.gaps);
    EXPECT_TRUE(closed.sessions == cut.sessions);
    reader = open(path);
    EXPECT_EQ(reader->footer()->exit_signal, SIGKILL);
    EXPECT_EQ(reader->footer()->ending, static_cast<std::uint32_t>(Ending::finished));
    for (std::uint64_t i = 0; i < progress->blobs.load(); ++i) {
      auto blob = reader->blob(digest_of(blob_of(i)));
      ASSERT_TRUE(blob) << blob.error().message;
    }
    const auto bytes = slurp(path);
    ASSERT_TRUE(finish_capture(path, SIGKILL));
    EXPECT_TRUE(slurp(path) == bytes);
  }
}

TEST(Killed, AlsoWithTheDataRegionBeyondAnIdleThread) {
  TemporaryDirectory dir;
  const std::string path = dir.file("a.rondo");
  constexpr std::uint64_t kRecords = 2001;
  const int status = in_child([&] {
    WriterOptions options = options_for(path);
    options.compression = Compression::none;
    auto writer = create(options);
    ThreadStream* idle = writer->open_stream();
    write_call(*writer, *idle, "idle");
    ThreadStream* busy = writer->open_stream();
    const auto bytes = noise(50'000, 1);
    for (std::uint64_t i = 1; i < kRecords; ++i)
      write_call(*writer, *busy, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const Contents cut = read_all(path);
  EXPECT_EQ(cut.error, "");
  EXPECT_EQ(cut.gaps, 0u);
  ASSERT_EQ(cut.records.size(), kRecords) << cut.cut_reason;
  EXPECT_EQ(cut.records.front().payload, "idle");
  ASSERT_TRUE(finish_capture(path, SIGKILL).value());
  const Contents closed = read_all(path);
  EXPECT_TRUE(closed.complete) << closed.cut_reason;
  EXPECT_TRUE(closed.records == cut.records);
}

TEST(Killed, AFinisherThatDiesCanBeFollowedByAnother) {
  TemporaryDirectory dir;
  Shared<Progress> progress;
  record_and_die(dir.file("a.rondo"), kWriters, 20'000, *progress);
  const Contents cut = read_all(dir.file("a.rondo"));
  int interrupted = 0;
  for (int attempt = 0; attempt < 12; ++attempt) {
    const std::string copy = dir.file("copy.rondo");
    ASSERT_EQ(::system(("cp --sparse=always " + dir.file("a.rondo") + " " + copy).c_str()), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      static_cast<void>(finish_capture(copy, 9));
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(attempt) * 700);
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) ++interrupted;
    const Contents between = read_all(copy);
    EXPECT_TRUE(between.records == cut.records) << between.error << between.cut_reason;
    auto finished = finish_capture(copy, 9);
    ASSERT_TRUE(finished) << finished.error().message;
    const Contents closed = read_all(copy);
    EXPECT_TRUE(closed.complete);
    EXPECT_TRUE(closed.records == cut.records);
  }
  EXPECT_GT(interrupted, 0);
}

TEST(Recording, IsNotFinishedByAnother) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  write_call(*writer, *writer->open_stream(), "x");
  auto finished = finish_capture(dir.file("a.rondo"), 0);
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("still being recorded"), std::string::npos);
  EXPECT_NE(open(dir.file("a.rondo"))->cut_reason().find("still being recorded"), std::string::npos);
  EXPECT_TRUE(writer->finish(Ending::exited));
}

TEST(Recording, HasASessionObjectSoonThatAnotherThreadWrites) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  writer->add_session(R"({"a":1})");
  writer->add_session_later(R"({"b":2})");
  writer->add_session_later("");
  write_call(*writer, *writer->open_stream(), "x");
  const auto sessions = [&] { return open(dir.file("a.rondo"))->sessions(); };
  for (int i = 0; i < 1000 && sessions().size() < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(sessions().size(), 2u) << "while it is recorded";
  writer->add_session_later(R"({"c":3})");
  ASSERT_TRUE(writer->finish(Ending::exited));
  writer->add_session_later(R"({"d":4})");
  EXPECT_EQ(sessions(), (std::vector<std::string>{R"({"a":1})", R"({"b":2})", R"({"c":3})"}));
}

// A call whose second part comes from another thread, while finish() waits for it or does not.
void finish_within_a_call(unsigned calls_ms, bool hurries, bool returns) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* const stream = writer->open_stream();
  for (int i = 0; i < 20'000; ++i)  // several segments of whole calls
    write_result(*stream, write_call(*writer, *stream, "before", kSubmit, kRecordTwoPart), 0, 1, 2);
  const std::uint64_t number = write_call(*writer, *stream, "x", kSubmit, kRecordTwoPart);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (hurries) writer->hurry();
    if (returns) write_result(*stream, number, 7, 10, 20);
  });
  const auto before = std::chrono::steady_clock::now();
  const auto summary = writer->finish(Ending::exited, calls_ms);
  const auto took = std::chrono::steady_clock::now() - before;
  other.join();
  ASSERT_TRUE(summary);
  EXPECT_LT(took, std::chrono::seconds(20));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.gaps, 0u);
  ASSERT_EQ(read.records.size(), 20'001u);
  EXPECT_TRUE(read.records.front().has_return);
  EXPECT_EQ(read.records.back().has_return, calls_ms != 0 && returns);
}

TEST(Recording, EndsWithTheCallsThatThreadsAreInWhereItWaitsForThem) { finish_within_a_call(60'000, false, true); }
TEST(Recording, EndsWithinACallWhereItDoesNotWait) { finish_within_a_call(0, false, true); }
TEST(Recording, EndsWithinACallWhenItIsHurried) { finish_within_a_call(60'000, true, false); }

TEST(Recording, SurvivesAForkedChildThatGoesOnWriting) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  write_call(*writer, *stream, "before");
  const int status = in_child([&] {
    writer->abandon();
    for (int i = 0; i < 20'000; ++i) write_call(*writer, *stream, "of the child");
    const auto blob = bytes_of("blob");
    writer->add_blob(*stream, digest_of(blob), blob);
    writer->add_session("{}");
    ThreadStream* other = writer->open_stream();
    write_call(*writer, *other, "of the child");
    writer->close_stream(other);
    if (writer->finish(Ending::exited)) ::_exit(1);
    writer.reset();
  });
  EXPECT_EQ(status, 0);
  write_call(*writer, *stream, "after");
  ASSERT_TRUE(writer->finish(Ending::exited));
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_TRUE(read.complete);
  ASSERT_EQ(read.records.size(), 2u);
  EXPECT_EQ(read.records[1].payload, "after");
}

TEST(Recording, AForkedChildDoesNotKeepTheLock) {
  TemporaryDirectory dir;
  const std::string path = dir.file("a.rondo");
  int ready[2], release[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(release), 0);
  const int status = in_child([&] {
    auto writer = create(options_for(path));
    write_call(*writer, *writer->open_stream(), "x");
    if (::fork() == 0) {
      writer->abandon();
      ::close(release[1]);
      char byte = 0;
      static_cast<void>(::write(ready[1], "r", 1));
      static_cast<void>(::read(release[0], &byte, 1));  // outlives its parent
      ::_exit(0);
    }
    char byte = 0;
    static_cast<void>(::read(ready[0], &byte, 1));
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  auto finished = finish_capture(path, SIGKILL);
  EXPECT_TRUE(finished) << finished.error().message;
  ::close(release[1]);
  EXPECT_EQ(read_all(path).records.size(), 1u);
  for (const int fd : {ready[0], ready[1], release[0]}) ::close(fd);
}

TEST(Recording, StaysOutOfTheProgramsWay) {
  TemporaryDirectory dir;
  const int next = ::open("/dev/null", O_RDONLY);
  auto writer = create(options_for(dir.file("a.rondo")));
  const int same = ::open("/dev/null", O_RDONLY);
  EXPECT_EQ(same, next + 1);  // no small descriptor was taken
  ::close(same);
  ::close(next);
  EXPECT_TRUE(writer->finish(Ending::exited));
}

// What daemons do: every descriptor is closed, and the numbers are other files' then.
// Exits with 0 if the capture could be finished all the same. By system calls: to
// ThreadSanitizer a descriptor that another thread uses is a race, and it is one of
// the program's.
void record_and_close_all(const TemporaryDirectory& dir, const std::function<void()>& before) {
  auto writer = create(options_for(dir.file("a.rondo")));
  ThreadStream* stream = writer->open_stream();
  write_call(*writer, *stream, "x");
  before();
  const int other = ::open(dir.file("other").c_str(), O_CREAT | O_RDWR, 0600);
  for (int fd = 3; fd < 2000; ++fd)
    if (fd != other) ::syscall(SYS_close, fd);
  for (int fd = 500; fd < 600; ++fd) ::syscall(SYS_dup3, other, fd, 0);
  for (int i = 0; i < 20'000; ++i) write_call(*writer, *stream, "y");
  if (finish_capture(dir.file("a.rondo"), 0)) ::_exit(2);  // it is still being recorded
  ::_exit(writer->finish(Ending::exited).has_value() ? 0 : 1);
}

TEST(Recording, GoesOnWhereTheProgramClosesItsDescriptor) {
  TemporaryDirectory dir;
  EXPECT_EQ(in_child([&] { record_and_close_all(dir, [] {}); }), 0);
  EXPECT_TRUE(slurp(dir.file("other")).empty());
  EXPECT_EQ(read_all(dir.file("a.rondo")).records.size(), 20'001u);
}

// Its number is another file's from one moment on, while the background thread writes: often, to meet the
// moment between a look at the descriptor and its use.
TEST(Recording, IsNotLedAstrayByAProgramThatTakesItsNumber) {
  TemporaryDirectory dir;
  const auto bytes = noise(1000, 1);
  for (int run = 0; run < 150; ++run) {
    const int status = in_child([&] {
      auto writer = create(options_for(dir.file(std::to_string(run) + ".rondo")));
      ThreadStream* stream = writer->open_stream();
      const int other = ::open(dir.file("other").c_str(), O_CREAT | O_RDWR, 0600);
      for (int i = 0; i < 2000; ++i) {
        if (i == 500 + run)
          for (int number = 512; number < 520; ++number) ::syscall(SYS_dup3, other, number, 0);
        write_call(*writer, *stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
      ::_exit(writer->finish(Ending::exited).has_value() ? 0 : 1);
    });
    ASSERT_EQ(status, 0) << run;
    ASSERT_TRUE(slurp(dir.file("other")).empty()) << run;
  }
}

TEST(Recording, NeverWritesIntoAFileThatGotItsDescriptorOrItsName) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    record_and_close_all(dir, [&] {
      ::rename(dir.file("a.rondo").c_str(), dir.file("b.rondo").c_str());
      ::close(::open(dir.file("a.rondo").c_str(), O_CREAT | O_RDWR, 0600));
    });
  });
  EXPECT_EQ(status, 1 << 8);  // exit(1)
  EXPECT_TRUE(slurp(dir.file("other")).empty());
  EXPECT_TRUE(slurp(dir.file("a.rondo")).empty());
  EXPECT_GE(read_all(dir.file("b.rondo")).records.size(), 1u);
}

}  // namespace
}  // namespace rondo::test
