// SPDX-License-Identifier: Apache-2.0
// Other compression, the same capture; and no half of one, whatever goes wrong.
#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "format/recompress.h"
#include "format_support.h"

namespace rondo::test {
namespace {

constexpr Compression kAll[] = {Compression::none, Compression::lz4, Compression::zstd};

// Records of two threads, with blobs small and large, that compress and that do not.
void write_capture(const std::string& path, Compression codec) {
  WriterOptions options = options_for(path);
  options.compression = codec;
  auto writer = create(options);
  writer->add_session(R"({"process":{"program":"x"}})");
  ThreadStream *one = writer->open_stream(), *two = writer->open_stream();
  for (int i = 0; i < 3000; ++i) {
    write_call(*writer, i % 3 == 0 ? *two : *one, "payload " + std::to_string(i));
    const std::vector<std::byte> blob =
        i % 500 == 0 ? noise(100'000, static_cast<std::uint64_t>(i)) : bytes_of("blob " + std::to_string(i / 100));
    writer->add_blob(*one, digest_of(blob), blob);
  }
  const std::vector<std::byte> large(6u << 20, std::byte{7});
  writer->add_blob(*one, digest_of(large), large);
  ASSERT_TRUE(writer->finish(Ending::exited));
}

void expect_same(const std::string& a, const std::string& b) {
  const Contents one = read_all(a), other = read_all(b);
  EXPECT_EQ(other.error, "");
  EXPECT_TRUE(other.complete);
  EXPECT_EQ(one.records, other.records);
  EXPECT_EQ(one.sessions, other.sessions);
  const auto before = open(a), after = open(b);
  ASSERT_NE(before, nullptr);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(0, std::memcmp(&before->header(), &after->header(), sizeof(FileHeader)));
  const std::vector<BlobInfo> blobs = before->blobs();
  ASSERT_EQ(after->blobs().size(), blobs.size());
  for (const BlobInfo& blob : blobs) {
    const auto was = before->blob(blob.digest), is = after->blob(blob.digest);
    ASSERT_TRUE(was);
    ASSERT_TRUE(is);
    EXPECT_EQ(**was, **is);
  }
  EXPECT_TRUE(after->damaged_chunks().empty());
  EXPECT_EQ(before->footer()->last_sequence, after->footer()->last_sequence);
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  DIR* open_directory = ::opendir(directory.c_str());
  while (const dirent* entry = ::readdir(open_directory))
    if (entry->d_name[0] != '.' || std::strlen(entry->d_name) > 2) names.emplace_back(entry->d_name);
  ::closedir(open_directory);
  return names;
}

TEST(Recompress, ReplacesNothingThatIsBeingRecorded) {
  TemporaryDirectory dir;
  const std::string from = dir.file("from.rondo"), live = dir.file("live.rondo");
  write_capture(from, Compression::lz4);
  auto writer = create(options_for(live));
  const auto refused = recompress(from, live, Compression::zstd);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is still being recorded"), std::string::npos) << refused.error().message;
  ASSERT_TRUE(writer->finish(Ending::exited));
  EXPECT_TRUE(recompress(from, live, Compression::zstd));
}

TEST(Recompress, KeepsEverythingByEveryCodec) {
  for (const Compression from : kAll) {
    TemporaryDirectory dir;
    write_capture(dir.file("a.rondo"), from);
    for (const Compression to : kAll) {
      const auto done = recompress(dir.file("a.rondo"), dir.file("b.rondo"), to);
      ASSERT_TRUE(done) << done.error().message;
      expect_same(dir.file("a.rondo"), dir.file("b.rondo"));
      const auto reader = open(dir.file("b.rondo"));
      EXPECT_EQ(done->after, reader->file_bytes());
      for (const ChunkInfo& chunk : reader->chunks())
        EXPECT_TRUE(chunk.header.codec == 0 || chunk.header.codec == static_cast<std::uint8_t>(to));
    }
  }
}

TEST(Recompress, IsTheSameEachTimeAndSmallerByZstd) {
  TemporaryDirectory dir;
  write_capture(dir.file("a.rondo"), Compression::none);
  const auto small = recompress(dir.file("a.rondo"), dir.file("small.rondo"), Compression::zstd);
  ASSERT_TRUE(small);
  EXPECT_LT(small->after, small->before / 4);
  ASSERT_TRUE(recompress(dir.file("small.rondo"), dir.file("again.rondo"), Compression::zstd));
  EXPECT_EQ(slurp(dir.file("small.rondo")), slurp(dir.file("again.rondo")));
}

TEST(Recompress, ReplacesAFileAsAWhole) {
  TemporaryDirectory dir;
  write_capture(dir.file("a.rondo"), Compression::none);
  write_capture(dir.file("kept.rondo"), Compression::none);
  ASSERT_TRUE(recompress(dir.file("a.rondo"), dir.file("a.rondo"), Compression::zstd));
  expect_same(dir.file("kept.rondo"), dir.file("kept.rondo"));
  EXPECT_EQ(read_all(dir.file("a.rondo")).records, read_all(dir.file("kept.rondo")).records);
  EXPECT_EQ(names_in(dir.path()).size(), 2u);
  struct stat status {};
  ASSERT_EQ(::stat(dir.file("a.rondo").c_str(), &status), 0);
  EXPECT_TRUE(S_ISREG(status.st_mode));
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

TEST(Recompress, KeepsPermissionsAndLinks) {
  TemporaryDirectory dir;
  write_capture(dir.file("a.rondo"), Compression::none);
  ASSERT_EQ(::chmod(dir.file("a.rondo").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("a.rondo", dir.file("link.rondo").c_str()), 0);
  ASSERT_TRUE(recompress(dir.file("a.rondo"), dir.file("b.rondo"), Compression::zstd));
  ASSERT_TRUE(recompress(dir.file("link.rondo"), dir.file("link.rondo"), Compression::zstd));
  struct stat status {};
  ASSERT_EQ(::lstat(dir.file("link.rondo").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  for (const char* name : {"a.rondo", "b.rondo"}) {
    ASSERT_EQ(::lstat(dir.file(name).c_str(), &status), 0);
    EXPECT_TRUE(S_ISREG(status.st_mode));
    EXPECT_EQ(status.st_mode & 07777, 0640u);
  }
  EXPECT_EQ(slurp(dir.file("a.rondo")), slurp(dir.file("b.rondo")));
  ASSERT_EQ(::symlink("nowhere.rondo", dir.file("dangling.rondo").c_str()), 0);
  const auto dangling = recompress(dir.file("a.rondo"), dir.file("dangling.rondo"), Compression::zstd);
  ASSERT_FALSE(dangling);
  EXPECT_NE(dangling.error().message.find("is a link to what is not there"), std::string::npos)
      << dangling.error().message;
}

// Below and above what is compressed in memory.
TEST(Recompress, StoresWhatDoesNotGetSmaller) {
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{6} << 20}) {
    TemporaryDirectory dir;
    WriterOptions options = options_for(dir.file("a.rondo"));
    options.compression = Compression::none;
    auto writer = create(options);
    const std::vector<std::byte> blob = noise(bytes, 3);
    writer->add_blob(*writer->open_stream(), digest_of(blob), blob);
    ASSERT_TRUE(writer->finish(Ending::exited));
    for (const Compression to : {Compression::lz4, Compression::zstd}) {
      const auto done = recompress(dir.file("a.rondo"), dir.file("b.rondo"), to);
      ASSERT_TRUE(done);
      EXPECT_LE(done->after, done->before);
      expect_same(dir.file("a.rondo"), dir.file("b.rondo"));
    }
  }
}

TEST(Recompress, LeavesNothingWhereTheCaptureIsCutOrDamaged) {
  TemporaryDirectory dir;
  write_capture(dir.file("a.rondo"), Compression::lz4);
  const std::vector<std::byte> whole = slurp(dir.file("a.rondo"));
  std::vector<std::byte> bad = whole;
  bad[whole.size() / 2] ^= std::byte{0x40};
  spill(dir.file("bad.rondo"), bad);
  spill(dir.file("cut.rondo"), std::span(whole).first(whole.size() - 60));
  spill(dir.file("out.rondo"), bytes_of("mine"));
  for (const char* from : {"bad.rondo", "cut.rondo", "none.rondo"}) {
    const auto done = recompress(dir.file(from), dir.file("out.rondo"), Compression::zstd);
    ASSERT_FALSE(done) << from;
    EXPECT_EQ(done.error().status, Status::unreadable) << done.error().message;
    EXPECT_NE(done.error().message.find(from), std::string::npos) << done.error().message;
  }
  EXPECT_EQ(slurp(dir.file("out.rondo")), bytes_of("mine"));
  EXPECT_EQ(names_in(dir.path()).size(), 4u);
}

TEST(Recompress, LeavesNothingWhereTheTargetCannotBeWritten) {
  TemporaryDirectory dir;
  write_capture(dir.file("a.rondo"), Compression::lz4);
  const auto nowhere = recompress(dir.file("a.rondo"), dir.file("no/where.rondo"), Compression::zstd);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().status, Status::failed);
  EXPECT_EQ(nowhere.error().message, dir.file("no/where.rondo") + ": cannot be written: No such file or directory");
  const auto directory = recompress(dir.file("a.rondo"), dir.path(), Compression::zstd);
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("is no regular file"), std::string::npos) << directory.error().message;

  // A limit stands for a full disk.
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 * 1024, 64 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto full = recompress(dir.file("a.rondo"), dir.file("b.rondo"), Compression::none);
    ::_exit(!full && full.error().status == Status::failed ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(names_in(dir.path()), std::vector<std::string>{"a.rondo"});
}

}  // namespace
}  // namespace rondo::test
