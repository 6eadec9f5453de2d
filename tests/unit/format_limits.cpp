// SPDX-License-Identifier: Apache-2.0
// What a recorder is not allowed or has no room for: full disks, limits on files, system calls that a filter forbids.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <iterator>

#include "format/file_limit.h"
#include "format_support.h"

namespace rondo::test {
namespace {

// Records until well beyond what the disk holds: no signal, one failure, and
// all that came before it.
void record_on_full_disk(const std::string& path) {
  WriterOptions options = options_for(path);
  options.compression = Compression::none;
  auto created = CaptureWriter::create(options);
  if (!created) ::_exit(10);
  CaptureWriter& writer = **created;
  ThreadStream* stream = writer.open_stream();
  const auto bytes = noise(10'000, 1);
  for (int i = 0; i < 10'000; ++i) {
    write_call(writer, *stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (i % 50 == 0) {
      const auto blob = noise(80'000, static_cast<std::uint64_t>(i));
      writer.add_blob(*stream, digest_of(blob), blob);
    }
  }
  if (!writer.failed() || writer.failure().empty()) ::_exit(11);
  if (writer.finish(Ending::exited)) ::_exit(12);
  ::_exit(0);
}

TEST(FullDisk, AFileSizeLimitIsAFailureNotASignal) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    const rlimit limit{40u << 20, 40u << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
    record_on_full_disk(dir.file("a.rondo"));
  });
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_EQ(read.error, "");
  EXPECT_GT(read.records.size(), 500u);
}

// Of two threads, until there is no room.
TEST(FullDisk, ASmallFileSizeLimitRecordsWhatFits) {
  for (const std::uint64_t kibibytes : {256, 1024, 4096, 16 * 1024 - 4, 16 * 1024, 24 * 1024}) {
    TemporaryDirectory dir;
    const int status = in_child([&] {
      const rlimit limit{kibibytes << 10, kibibytes << 10};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
      WriterOptions options = options_for(dir.file("a.rondo"));
      options.spool_base = 0;  // as fits
      auto writer = create(options);
      ThreadStream* const streams[] = {writer->open_stream(), writer->open_stream()};
      for (std::uint64_t i = 0; !writer->failed() && i < 100'000; ++i) {
        const auto bytes = noise(1000, i);
        write_call(*writer, *streams[i % 2], {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
      if (!writer->failed()) ::_exit(10);
      ::_exit(writer->finish(Ending::exited) ? 11 : 0);
    });
    EXPECT_EQ(status, 0) << kibibytes << " KiB";
    const Contents read = read_all(dir.file("a.rondo"));
    EXPECT_EQ(read.error, "");
    EXPECT_GE(read.records.size(), kibibytes / 8) << kibibytes << " KiB";  // an eighth of what a file can hold
    EXPECT_TRUE(read.complete) << kibibytes << " KiB: " << read.cut_reason;
  }
}

TEST(FullDisk, WhatFitsUnderASmallFileSizeLimitIsWhole) {
  for (const std::uint64_t kibibytes : {256, 1024, 8 * 1024, 16 * 1024}) {
    TemporaryDirectory dir;
    const int status = in_child([&] {
      const rlimit limit{kibibytes << 10, kibibytes << 10};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
      WriterOptions options = options_for(dir.file("a.rondo"));
      options.spool_base = 0;  // as fits
      auto writer = create(options);
      ThreadStream* const stream = writer->open_stream();
      for (std::uint64_t i = 0; i < kibibytes / 16; ++i) {
        const auto bytes = noise(1000, i);
        write_call(*writer, *stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      }
      ::_exit(!writer->failed() && writer->finish(Ending::exited) ? 0 : 11);
    });
    EXPECT_EQ(status, 0) << kibibytes << " KiB";
    EXPECT_EQ(read_all(dir.file("a.rondo")).records.size(), kibibytes / 16) << kibibytes << " KiB";
  }
}

// What came before it is kept, in a file that is closed; nothing after it may be played without it.
TEST(FullDisk, ABlobThatIsLargerThanTheLimitEndsACaptureThatIsWhole) {
  for (const std::uint64_t kibibytes : {256, 300, 500, 1024, 4096, 16 * 1024, 40 * 1024, 80 * 1024})
    for (const std::uint64_t quarters : {1, 2, 3, 4, 8}) {
      SCOPED_TRACE(testing::Message() << kibibytes << " KiB, a blob of " << quarters << " quarters");
      TemporaryDirectory dir;
      const std::uint64_t before = kibibytes / 32;
      const int status = in_child([&] {
        const rlimit limit{kibibytes << 10, kibibytes << 10};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
        WriterOptions options = options_for(dir.file("a.rondo"));
        options.spool_base = 0;         // as fits
        for (int i = 0; i < 2000; ++i)  // as long as a layer's
          options.dictionary.push_back(
              {DictionaryKind::command, static_cast<std::uint16_t>(1000 + i), 0, "vkNameOfSomeLength"});
        auto writer = create(options);
        ThreadStream* const stream = writer->open_stream();
        const auto call = [&](std::uint64_t seed) {
          const auto bytes = noise(1000, seed);
          write_call(*writer, *stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        };
        for (std::uint64_t i = 0; i < before; ++i) call(i);
        const auto blob = noise(static_cast<std::size_t>((kibibytes << 10) * quarters / 4), 1);
        writer->add_blob(*stream, digest_of(blob), blob);
        for (std::uint64_t i = 0; i < 10; ++i) call(i);
        const bool is_closed = writer->finish(Ending::exited).has_value();
        ::_exit(writer->failed() ? 20 : is_closed ? 0 : 11);
      });
      const bool fitted = status == 0;
      EXPECT_TRUE(fitted || WEXITSTATUS(status) == 20) << status;
      EXPECT_TRUE(fitted || quarters > 1 || kibibytes < 500);  // in less the names alone take a quarter
      EXPECT_FALSE(fitted && quarters >= 4);
      const Contents read = read_all(dir.file("a.rondo"));
      EXPECT_EQ(read.error, "");
      EXPECT_TRUE(read.complete) << read.cut_reason;
      EXPECT_EQ(read.gaps, 0u);
      // Some may come after one that found room in the spool and takes the place of everything else.
      EXPECT_GE(read.records.size(), before + (fitted ? 10 : 0));
    }
}

TEST(FullDisk, ALimitThatHasNoRoomForRecordsIsRefusedBeforeAFileIsMade) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    const rlimit limit{kSmallestFileLimit - 1, kSmallestFileLimit - 1};
    if (!too_small_a_file_limit().empty() || ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
    const auto writer = CaptureWriter::create(options_for(dir.file("a.rondo")));
    ::_exit(!writer && writer.error().status == Status::usage &&
                    writer.error().message.find("ulimit -f") != std::string::npos
                ? 0
                : 1);
  });
  EXPECT_EQ(status, 0);
  EXPECT_NE(::access(dir.file("a.rondo").c_str(), F_OK), 0);
}

TEST(FullDisk, OutOfSpaceIsAFailureNotASignal) {
  TemporaryDirectory dir;
  const std::string disk = dir.file("disk");
  ASSERT_EQ(::mkdir(disk.c_str(), 0700), 0);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=24m") != 0)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const int status = in_child([&] { record_on_full_disk(disk + "/a.rondo"); });
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const Contents read = read_all(disk + "/a.rondo");
  EXPECT_EQ(read.error, "");
  EXPECT_GT(read.records.size(), 500u);
  ::umount(disk.c_str());
}

// Copied to where there is room: what is left there is cut, and has its end.
TEST(FullDisk, AProgramThatIsKilledThereLeavesWhatCanBeFinished) {
  TemporaryDirectory dir;
  const std::string disk = dir.file("disk"), copy = dir.file("copy.rondo");
  ASSERT_EQ(::mkdir(disk.c_str(), 0700), 0);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=24m") != 0)
    GTEST_SKIP() << "mounting a small tmpfs is not permitted here";
  const int status = in_child([&] {
    auto writer = create(options_for(disk + "/a.rondo"));
    ThreadStream* const stream = writer->open_stream();
    for (std::uint64_t i = 0; i < 10'000 && !writer->failed(); ++i) {
      const auto bytes = noise(10'000, i);
      write_call(*writer, *stream, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  spill(copy, slurp(disk + "/a.rondo"));
  ::umount(disk.c_str());
  const Contents cut = read_all(copy);
  EXPECT_GT(cut.records.size(), 500u);
  const auto finished = finish_capture(copy, SIGKILL);
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_TRUE(read_all(copy).records == cut.records);
}

// A system call of the thread that looks.
class ForbiddenPlaces final : public BlobPlaces {
 public:
  explicit ForbiddenPlaces(std::atomic<int>& glances) : glances_(glances) {}
  std::vector<FilePiece> look(std::span<const std::byte>) override { return {}; }
  void glance() override {
    ::syscall(SYS_getpgid, 0);
    ++glances_;
  }
  ExternalFile describe(std::uint32_t) const override { return {}; }
  bool read(std::uint32_t, std::uint64_t, std::span<std::byte>) override { return false; }
  void close() override {}

 private:
  std::atomic<int>& glances_;
};

std::atomic<int> g_answered{0};

// Of all threads; the handler answers.
bool forbid_getpgid() {
  struct sigaction answering {};
  answering.sa_handler = [](int) { ++g_answered; };
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return ::sigaction(SIGSYS, &answering, nullptr) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

TEST(Sandbox, AHandlerOfTheProgramsAnswersWhatTheBackgroundThreadMayNotDo) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    std::atomic<int> glances{0};
    WriterOptions options = options_for(dir.file("a.rondo"));
    options.files = FilePolicy::reference;
    options.places = std::make_shared<ForbiddenPlaces>(glances);
    auto writer = create(options);
    write_call(*writer, *writer->open_stream(), "first");
    if (!forbid_getpgid()) ::_exit(errno == EPERM || errno == ENOSYS ? 77 : 12);
    for (int i = 0; i < 1000 && g_answered == 0; ++i) ::usleep(10'000);
    if (g_answered == 0) ::_exit(10);
    ::_exit(writer->finish(Ending::exited) ? 0 : 11);
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "seccomp filters are not allowed here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_all(dir.file("a.rondo")).records.size(), 1u);
}

TEST(FullDisk, ABlobThatFoundNoRoomHasNoRecordThatRefersToIt) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    const rlimit limit{40u << 20, 40u << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
    auto writer = create(options_for(dir.file("a.rondo")));
    ThreadStream* stream = writer->open_stream();
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const auto blob = noise(80'000, i);
      const Digest digest = digest_of(blob);
      writer->add_blob(*stream, digest, blob);
      write_call(*writer, *stream, {reinterpret_cast<const char*>(&digest), sizeof digest});
    }
    ::_exit(writer->failed() ? 0 : 11);
  });
  EXPECT_EQ(status, 0);
  const Contents read = read_all(dir.file("a.rondo"));
  EXPECT_GT(read.records.size(), 50u);
  const std::unique_ptr<Reader> reader = open(dir.file("a.rondo"));
  ASSERT_NE(reader, nullptr);
  for (const Read& record : read.records) {
    Digest digest{};
    ASSERT_EQ(record.payload.size(), sizeof digest);
    std::memcpy(&digest, record.payload.data(), sizeof digest);
    EXPECT_TRUE(reader->blob(digest)) << "record " << record.sequence;
  }
}

TEST(FullDisk, ACaptureThatCannotBeCreatedLeavesNoFile) {
  TemporaryDirectory dir;
  const int status = in_child([&] {
    const rlimit limit{1u << 20, 1u << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(9);
    auto writer = CaptureWriter::create(options_for(dir.file("a.rondo")));
    ::_exit(writer || writer.error().message.empty() ? 1 : 0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_NE(::access(dir.file("a.rondo").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace rondo::test
