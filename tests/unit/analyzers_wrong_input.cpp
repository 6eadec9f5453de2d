// SPDX-License-Identifier: Apache-2.0
// Each wrong input: one line that names the file or word, and its status.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analyzers/commands/commands.h"
#include "format/reader.h"
#include "tests/unit/analyzers_scene.h"
#include "tests/unit/synthetic_capture.h"

namespace rondo::analyzers {
namespace {

using test::printed;
using test::Printed;
using test::TemporaryFile;

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_refused(const Printed& p, int status, const std::string& names) {
  EXPECT_EQ(p.status, status) << p.error;
  EXPECT_EQ(p.out, "");
  EXPECT_NE(p.error.find(names), std::string::npos) << p.error;
  EXPECT_EQ(p.error.find('\n'), std::string::npos) << p.error;
}

void expect_unreadable(const std::string& path) {
  SCOPED_TRACE(path);
  expect_refused(printed(run_info, {path}), 3, path);
  expect_refused(printed(run_dump, {path}), 3, path);
  expect_refused(printed(run_finish, {path}), 3, path);
}

TEST(AnalyzersWrongInput, WhatIsNoCaptureIsRefusedByName) {
  const TemporaryFile file("x.rondo");
  expect_unreadable(file.directory() + "/missing.rondo");
  expect_unreadable(file.directory());
  write(file.path(), "");
  expect_unreadable(file.path());
  write(file.path(), "This is text and not a capture.\n");
  expect_unreadable(file.path());
  write(file.path(), std::string(100000, '\0'));
  expect_unreadable(file.path());
  const std::string pipe = file.directory() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_unreadable(pipe);
}

TEST(AnalyzersWrongInput, ANewerVersionIsNamed) {
  const TemporaryFile file;
  test::write_scene(file.path());
  std::string bytes = read(file.path());
  bytes[8] = 99;  // FileHeader::version_major
  write(file.path(), bytes);
  expect_unreadable(file.path());
}

TEST(AnalyzersWrongInput, ACaptureCutAnywhereIsCutOrUnreadable) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const std::string whole = read(file.path());
  const TemporaryFile part("cut.rondo");
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    SCOPED_TRACE(length);
    write(part.path(), whole.substr(0, length));
    const Printed info = printed(run_info, {part.path()});
    if (info.status == 0) {
      EXPECT_NE(info.out.find("\ncut "), std::string::npos);
    } else {
      expect_refused(info, 3, part.path());
    }
    const Printed dump = printed(run_dump, {"--format=jsonl", part.path()});
    EXPECT_TRUE(dump.status == 0 || dump.status == 3) << dump.error;
  }
}

TEST(AnalyzersWrongInput, InfoFindsADamagedBlobChunk) {
  const TemporaryFile file;
  test::write_scene(file.path());
  std::uint64_t at = 0;
  {
    const auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader);
    for (const ChunkInfo& chunk : (*reader)->chunks())
      if (chunk.header.type == static_cast<std::uint16_t>(ChunkType::blobs))
        at = chunk.offset + sizeof(ChunkHeader) + chunk.header.stored_bytes - 1;
  }
  ASSERT_NE(at, 0u);
  EXPECT_EQ(printed(run_info, {file.path()}).status, 0);
  std::string bytes = read(file.path());
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write(file.path(), bytes);
  const Printed info = printed(run_info, {file.path()});
  EXPECT_EQ(info.status, 3);
  EXPECT_NE(info.out.find("\ndamaged "), std::string::npos) << info.out;
  EXPECT_NE(info.error.find("damaged in 1 place"), std::string::npos) << info.error;
  const Printed finished = printed(run_finish, {file.path()});
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(finished.out.find("not checked"), std::string::npos) << finished.out;
}

// Names, session, records: what can be read of the rest is said before the status.
TEST(AnalyzersWrongInput, WhatIsLeftOfADamagedCaptureIsSaid) {
  const TemporaryFile file;
  test::write_scene(file.path());
  std::vector<ChunkInfo> chunks;
  {
    const auto reader = Reader::open(file.path());
    ASSERT_TRUE(reader);
    chunks = (*reader)->chunks();
  }
  const std::string whole = read(file.path());
  const TemporaryFile damaged("damaged.rondo");
  int tried = 0;
  for (const ChunkInfo& chunk : chunks) {
    const auto type = static_cast<ChunkType>(chunk.header.type);
    if (type != ChunkType::session && type != ChunkType::dictionary && type != ChunkType::records) continue;
    SCOPED_TRACE(chunk.header.type);
    ++tried;
    std::string bytes = whole;
    bytes[chunk.offset + sizeof(ChunkHeader) + chunk.header.stored_bytes / 2] ^= 1;
    write(damaged.path(), bytes);
    const std::string where = "offset " + std::to_string(chunk.offset);
    for (const auto& run : {run_info, run_dump}) {
      const Printed p = printed(run, {damaged.path()});
      EXPECT_EQ(p.status, 3);
      EXPECT_NE(p.out, "");
      EXPECT_NE(p.error.find(where), std::string::npos) << p.error;
    }
    const Printed info = printed(run_info, {damaged.path()});
    EXPECT_NE(info.out.find("\ndamaged "), std::string::npos) << info.out;
    EXPECT_NE(info.out.find("\nchunks "), std::string::npos) << info.out;
    if (type == ChunkType::session) {
      EXPECT_NE(info.out.find("\nrecords "), std::string::npos) << info.out;
      EXPECT_NE(printed(run_dump, {damaged.path()}).out.find("vkCreateInstance"), std::string::npos);
    }
  }
  EXPECT_GE(tried, 3);
}

// As a file is whose data somebody lost: it goes on after the last chunk that is left.
TEST(AnalyzersWrongInput, MissingDataIsCounted) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const std::string whole = read(file.path());
  const TemporaryFile part("part.rondo");
  const auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  bool found = false;
  for (auto chunk = (*reader)->chunks().rbegin(); chunk != (*reader)->chunks().rend() && !found; ++chunk) {
    write(part.path(), whole.substr(0, static_cast<std::size_t>(chunk->offset)) + std::string(4096, '\0') + "x");
    found = printed(run_info, {part.path()}).out.find("that are not in the file") != std::string::npos;
  }
  ASSERT_TRUE(found) << "no cut leaves records without their data";
  const Printed finished = printed(run_finish, {part.path()});
  EXPECT_EQ(finished.status, 0) << finished.error;
  EXPECT_NE(finished.out.find("2 references to data that is not in it"), std::string::npos) << finished.out;
  const Printed info = printed(run_info, {part.path()});
  EXPECT_EQ(info.status, 3) << info.out;
  EXPECT_NE(info.error.find("2 references to data that is not in the file"), std::string::npos) << info.error;
}

// Finished, it would look complete.
TEST(AnalyzersWrongInput, AHalfCopiedFileIsNotFinished) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const std::string half = read(file.path()).substr(0, std::filesystem::file_size(file.path()) * 2 / 5);
  write(file.path(), half);
  const Printed finished = printed(run_finish, {file.path()});
  expect_refused(finished, 3, file.path());
  EXPECT_NE(finished.error.find(" bytes of it (was the file copied in part? copy it again); `player --salvage`"),
            std::string::npos)
      << finished.error;
  EXPECT_EQ(read(file.path()), half);
  const Printed info = printed(run_info, {file.path()});
  EXPECT_NE(info.out.find("copy it again"), std::string::npos) << info.out;
  EXPECT_EQ(info.out.find("rondo finish"), std::string::npos) << info.out;
}

// What refuses a cut capture names the remedy that helps: copying it again here, `rondo finish` there.
TEST(AnalyzersWrongInput, NobodyIsSentToFinishAHalfCopiedFile) {
  const TemporaryFile whole("whole.rondo"), half("half.rondo"), cut("cut.rondo");
  test::write_scene(whole.path());
  test::write_cut_scene(cut.path());
  write(half.path(), read(whole.path()).substr(0, std::filesystem::file_size(whole.path()) * 2 / 5));
  const std::string output = whole.directory() + "/output.rondo";
  const struct {
    Result<int> (*run)(std::span<const std::string>);
    std::vector<std::string> behind;
  } tools[] = {{run_recompress, {"-o", output}}, {run_pack, {"-o", output}}, {run_diff, {whole.path()}}};
  for (const auto& tool : tools) {
    const auto refusal = [&](const std::string& path) {
      std::vector<std::string> words{path};
      words.insert(words.end(), tool.behind.begin(), tool.behind.end());
      const Printed p = printed(tool.run, words);
      expect_refused(p, 3, path);
      return p.error;
    };
    const std::string copied = refusal(half.path()), killed = refusal(cut.path());
    EXPECT_NE(copied.find("copy it again"), std::string::npos) << copied;
    EXPECT_EQ(copied.find("rondo finish"), std::string::npos) << copied;
    EXPECT_NE(killed.find("`rondo finish " + cut.path() + "` closes it"), std::string::npos) << killed;
  }
}

// `rondo finish` refuses it, so nothing names it as the remedy.
TEST(AnalyzersWrongInput, ADamagedChunkHeaderIsNothingToFinish) {
  const TemporaryFile file;
  test::write_scene(file.path());
  std::string bytes = read(file.path());
  bytes[sizeof(FileHeader) + offsetof(ChunkHeader, stored_bytes)] ^= 1;
  write(file.path(), bytes);
  const Printed info = printed(run_info, {file.path()});
  EXPECT_EQ(info.status, 3);
  EXPECT_NE(info.out.find("\ncut "), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("'player --salvage' plays what comes before"), std::string::npos) << info.out;
  EXPECT_EQ((info.out + info.error).find("rondo finish"), std::string::npos) << info.out << info.error;
  expect_refused(printed(run_finish, {file.path()}), 3, file.path());
}

TEST(AnalyzersWrongInput, AFlippedByteNeverCrashes) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const std::string whole = read(file.path());
  const TemporaryFile damaged("damaged.rondo");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    SCOPED_TRACE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    write(damaged.path(), bytes);
    const Printed info = printed(run_info, {damaged.path()});
    EXPECT_TRUE(info.status == 0 || info.status == 3) << info.error;
    const Printed dump = printed(run_dump, {damaged.path()});
    EXPECT_TRUE(dump.status == 0 || dump.status == 3) << dump.error;
  }
}

TEST(AnalyzersWrongInput, WrongWordsAreNamed) {
  const TemporaryFile file;
  test::write_scene(file.path());
  const struct {
    Result<int> (*run)(Arguments);
    std::vector<std::string> words;
    const char* names;
  } cases[] = {
      {run_info, {}, "FILE"},
      {run_info, {"--frob", file.path()}, "--frob"},
      {run_info, {"--times", file.path()}, "--times"},
      {run_info, {file.path(), "second"}, "second"},
      {run_dump, {}, "FILE"},
      {run_dump, {"--format=xml", file.path()}, "xml"},
      {run_dump, {"--frames", "5:2", file.path()}, "5:2"},
      {run_dump, {"--submits", "all", file.path()}, "all"},
      {run_dump, {"--grep", "(", file.path()}, "("},
      {run_dump, {"--grep"}, "--grep"},
      {run_finish, {}, "FILE"},
      {run_compare_runs, {}, "OLD.json"},
      {run_compare_runs, {"a", "b", "--threshold", "some"}, "some"},
      {run_compare_runs, {"a", "b", "--threshold", "-1%"}, "-1%"},
      {run_compare_runs, {"a", "b", "--threshold", "5"}, "500 %"},
      {run_compare_runs, {"a", "b", "--alpha", "1"}, "'1'"},
      {run_compare_runs, {"a", "b", "--metric", "seconds,hours"}, "hours"},
      {run_compare_runs, {"a", "b", "--format", "xml"}, "xml"},
      {run_compare_runs, {"a", "b", "--gate", "none"}, "none"},
      {run_measure, {}, "A [PLAYER OPTIONS] -- B [PLAYER OPTIONS]"},
      {run_measure, {"--frob", "a", "--", "b"}, "--frob"},
      {run_measure, {"--turns", "some", "a", "--", "b"}, "some"},
      {run_doctor, {"--frob"}, "--frob"},
      {run_help, {"frob"}, "frob"},
      {run_capture, {"--frob", "--", "true"}, "--frob"},
      {run_capture, {"--checkpoints", "all", "--", "true"}, "all"},
      {run_capture, {"--output"}, "--output"},
      {run_capture, {"--output", "", "--", "true"}, "--output"},
      {run_capture, {"--output", ".", "--", "true"}, "is a directory"},
      {run_capture, {"--output", "..", "--", "true"}, "is a directory"},
      {run_capture, {"--output", "%e/.", "--", "true"}, "names no file"},
      {run_capture, {"--output", "100%%/..", "--", "true"}, "names no file"},
      {run_capture, {"--output", "/dev/full", "--", "true"}, "/dev/full"},
      {run_capture, {"--output", "/tmp/" + std::string(256, 'n'), "--", "true"}, "nnn"},
      {run_capture, {}, "PROGRAM"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.names);
    expect_refused(printed(c.run, c.words), 2, c.names);
  }
}

}  // namespace
}  // namespace rondo::analyzers
