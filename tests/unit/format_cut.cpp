// SPDX-License-Identifier: Apache-2.0
// Files that end too early: whatever the byte, the reader says what is missing
// and delivers what is there.
#include <sys/stat.h>

#include <algorithm>

#include "format/chunk_io.h"
#include "format/counts.h"
#include "format/recompress.h"
#include "format/walk.h"
#include "format_support.h"

namespace rondo::test {
namespace {

// A small complete capture with everything in it.
std::vector<std::byte> small_capture(const TemporaryDirectory& dir, Compression codec = Compression::lz4) {
  WriterOptions options = options_for(dir.file("small.rondo"), 4096);
  options.compression = codec;
  auto writer = create(options);
  writer->add_session("{\"application\":\"test\"}");
  ThreadStream* a = writer->open_stream();
  ThreadStream* b = writer->open_stream();
  const auto blob = bytes_of("a blob of bytes");
  writer->add_blob(*a, digest_of(blob), blob);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t call = write_call(*writer, *a, "a" + std::to_string(i), kSubmit, kRecordTwoPart);
    write_call(*writer, *b, std::string(60, 'b'));
    write_result(*a, call, i, static_cast<std::uint64_t>(i) * 10, static_cast<std::uint64_t>(i) * 10 + 3);
  }
  EXPECT_TRUE(writer->finish(Ending::exited));
  return slurp(dir.file("small.rondo"));
}

// SIGKILL ends a write at the end of a page: of a header across two pages the beginning is there, and then the zeros
// that were there before.
TEST(Cut, WithinTheWriteOfAHeaderIsNoDamage) {
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("a.rondo"), 4096);
  options.compression = Compression::none;
  auto writer = create(options);
  ThreadStream* stream = writer->open_stream();
  for (int i = 0; i < 20'000; ++i) write_call(*writer, *stream, std::string(100, 'x'));
  ASSERT_TRUE(writer->finish(Ending::exited));
  const std::vector<std::byte> whole = slurp(dir.file("a.rondo"));
  auto file = File::open(dir.file("a.rondo"), false);
  ASSERT_TRUE(file);
  const auto layout = read_layout(*file);
  ASSERT_TRUE(layout) << layout.error().message;
  int torn = 0;
  for (const ChunkInfo& chunk : layout->chunks) {
    const std::uint64_t page = (chunk.offset + 4095) / 4096 * 4096;
    if (page == chunk.offset || page >= chunk.offset + sizeof(ChunkHeader)) continue;
    const auto state_of = [&](std::byte rest) {
      std::vector<std::byte> bytes = whole;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(page), bytes.end(), rest);
      spill(dir.file("torn.rondo"), bytes);
      auto left = File::open(dir.file("torn.rondo"), false);
      EXPECT_TRUE(left);
      ChunkHeader header;
      return read_chunk_header(*left, chunk.offset, left->bytes(), header);
    };
    EXPECT_EQ(state_of(std::byte{0}), HeaderState::zeros) << chunk.offset;
    EXPECT_EQ(state_of(std::byte{1}), HeaderState::damaged) << chunk.offset;
    ++torn;
  }
  EXPECT_GT(torn, 3);
  // Zeros in the middle of a page were written by nobody.
  std::vector<std::byte> bytes = whole;
  const ChunkInfo& first = layout->chunks.front();
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(first.offset) + 40, 48, std::byte{0});
  spill(dir.file("zeros.rondo"), bytes);
  auto zeros = File::open(dir.file("zeros.rondo"), false);
  ASSERT_TRUE(zeros);
  ChunkHeader header;
  EXPECT_EQ(read_chunk_header(*zeros, first.offset, zeros->bytes(), header), HeaderState::damaged);
}

TEST(Cut, AtEveryByteOfACompleteFile) {
  TemporaryDirectory dir;
  const std::vector<std::byte> whole = small_capture(dir);
  const Contents all = read_all(dir.file("small.rondo"));
  ASSERT_EQ(all.records.size(), 200u);
  std::size_t most = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    spill(dir.file("cut.rondo"), std::span(whole).first(n));
    const Contents cut = read_all(dir.file("cut.rondo"));
    if (!cut.opened) {
      EXPECT_LT(n, sizeof(FileHeader)) << cut.error;
      continue;
    }
    EXPECT_GE(n, sizeof(FileHeader));
    EXPECT_FALSE(cut.complete) << n;
    EXPECT_FALSE(cut.cut_reason.empty()) << n;
    EXPECT_EQ(cut.error, "") << n;
    ASSERT_LE(cut.records.size(), all.records.size());
    // A call at the cut may have lost its second part with a later chunk.
    for (std::size_t i = 0; i < cut.records.size(); ++i) EXPECT_EQ(cut.records[i].payload, all.records[i].payload);
    most = std::max(most, cut.records.size());
  }
  EXPECT_EQ(most, 200u);
}

void expect_left_alone(const std::string& path, std::span<const std::byte> bytes) {
  spill(path, bytes);
  const auto refused = finish_capture(path, 9);
  ASSERT_FALSE(refused) << bytes.size();
  EXPECT_EQ(refused.error().status, Status::unreadable);
  EXPECT_NE(refused.error().message.find("copied in part"), std::string::npos) << refused.error().message;
  const std::vector<std::byte> after = slurp(path);
  EXPECT_TRUE(std::equal(after.begin(), after.end(), bytes.begin(), bytes.end())) << bytes.size();
  EXPECT_FALSE(open(path)->can_be_finished()) << bytes.size();
}

TEST(Cut, FinishLeavesATruncatedCopyAlone) {
  TemporaryDirectory dir;
  const std::vector<std::byte> whole = small_capture(dir);
  const std::size_t footer_at = whole.size() - sizeof(Footer);
  for (std::size_t n = sizeof(FileHeader) + 1; n < footer_at; n += 13)
    expect_left_alone(dir.file("cut.rondo"), std::span(whole).first(n));
  const auto reader = open(dir.file("small.rondo"));
  for (const ChunkInfo& chunk : reader->chunks()) {
    if (chunk.offset != sizeof(FileHeader))
      expect_left_alone(dir.file("cut.rondo"), std::span(whole).first(static_cast<std::size_t>(chunk.offset)));
    const std::uint64_t missing = chunk.header.stored_bytes - 1;
    spill(dir.file("cut.rondo"), std::span(whole).first(static_cast<std::size_t>(chunk_end(chunk) - missing)));
    const auto refused = finish_capture(dir.file("cut.rondo"), 9);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("within the chunk at offset " + std::to_string(chunk.offset) +
                                           " and lacks " + plural(missing, "byte") + " of it"),
              std::string::npos)
        << refused.error().message;
  }
}

// All chunks and the index are there: a recorder that is killed before it writes the footer leaves that.
TEST(Cut, FinishWritesAMissingFooter) {
  TemporaryDirectory dir;
  const std::vector<std::byte> whole = small_capture(dir);
  const std::string path = dir.file("cut.rondo");
  for (std::size_t n = whole.size() - sizeof(Footer); n < whole.size(); n += 13) {
    spill(path, std::span(whole).first(n));
    const Contents before = read_all(path);
    const auto finished = finish_capture(path, 9);
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_TRUE(*finished);
    const Contents after = read_all(path);
    EXPECT_TRUE(after.complete) << after.cut_reason;
    EXPECT_TRUE(after.records == before.records) << n;
    EXPECT_EQ(after.gaps, before.gaps);
    EXPECT_TRUE(after.sessions == before.sessions);
    const std::vector<std::byte> bytes = slurp(path);
    const auto again = finish_capture(path, 9);
    ASSERT_TRUE(again);
    EXPECT_FALSE(*again);
    EXPECT_TRUE(slurp(path) == bytes);
  }
}

// The file of a killed program has a hole between the data region and the spool.
TEST(Cut, FinishLeavesATruncatedCopyOfAKilledCaptureAlone) {
  TemporaryDirectory dir;
  WriterOptions options = options_for(dir.file("killed.rondo"), 4096);
  options.spool_base = 64 * 1024;
  {
    auto writer = create(options);
    ThreadStream* stream = writer->open_stream();
    for (int i = 0; i < 300; ++i) write_call(*writer, *stream, std::string(60, static_cast<char>('a' + i % 26)));
  }  // without finish(): as a program leaves it that is killed
  const std::vector<std::byte> whole = slurp(dir.file("killed.rondo"));
  const auto reader = open(dir.file("killed.rondo"));
  ASSERT_FALSE(reader->complete());
  ASSERT_TRUE(reader->can_be_finished()) << reader->cut_reason();
  const ChunkInfo last = reader->chunks().back();
  ASSERT_EQ(type_of(last.header), ChunkType::segment);
  ASSERT_GE(last.offset, options.spool_base);
  const std::string path = dir.file("cut.rondo");
  expect_left_alone(path, std::span(whole).first(48 * 1024));
  expect_left_alone(path, std::span(whole).first(64 * 1024));
  expect_left_alone(path, std::span(whole).first(static_cast<std::size_t>(last.offset) + 1000));
  spill(path, whole);
  const auto finished = finish_capture(path, 9);
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(read_all(path).records.size(), 300u);
}

// The player names --salvage where it helps: an error of a chunk does not know who reads it, and how.
TEST(Damage, NamesTheFileOnceAndSalvageWhereItHelps) {
  TemporaryDirectory dir;
  const std::vector<std::byte> whole = small_capture(dir);
  const std::string path = dir.file("damaged.rondo");
  const auto is_plain = [&path](const std::string& words, bool passed_over = false) {
    EXPECT_EQ(words.find("--salvage") != std::string::npos, passed_over) << words;
    EXPECT_EQ(words.find(path), words.rfind(path)) << words;
  };
  std::vector<std::pair<std::uint64_t, bool>> places;
  const auto reader = open(dir.file("small.rondo"));
  for (const ChunkInfo& chunk : reader->chunks())
    places.emplace_back(chunk_end(chunk) - 1,
                        type_of(chunk.header) == ChunkType::session || type_of(chunk.header) == ChunkType::dictionary);
  places.emplace_back(whole.size() - sizeof(Footer) - 1, false);  // of the index
  for (const auto& [place, passed_over] : places) {
    std::vector<std::byte> bytes = whole;
    bytes[static_cast<std::size_t>(place)] ^= std::byte{1};
    spill(path, bytes);
    for (const bool salvage : {false, true}) {
      ReaderOptions options;
      options.salvage = salvage;
      const Contents read = read_all(path, options);
      is_plain(read.error, passed_over && !salvage);
      is_plain(read.cut_reason);
    }
    const auto done = recompress(path, dir.file("out.rondo"), Compression::zstd);
    ASSERT_FALSE(done);
    is_plain(done.error().message);
  }
}

// What the reader says about files that are no captures, and how.
struct WrongInput {
  const char* what;
  std::string content;
  const char* says;
};

TEST(WrongInput, IsNamedInOneSentence) {
  TemporaryDirectory dir;
  std::string newer(64, '\0');
  std::memcpy(newer.data(), kFileMagic, sizeof kFileMagic);
  newer[8] = 99;
  const WrongInput inputs[] = {
      {"empty", "", "is empty"},
      {"text", "Hello, I am a text file that is longer than any header would be, really.\n", "not a Rondo capture"},
      {"short text", "Hi\n", "not a Rondo capture"},
      {"newer", newer, "newer Rondo"},
      {"short", newer.substr(0, 30), "cut off within its header"},
      {"magic only", newer.substr(0, 4), "cut off within its header"},
  };
  for (const WrongInput& input : inputs) {
    spill(dir.file("x.rondo"), bytes_of(input.content));
    for (const bool salvage : {false, true}) {
      ReaderOptions options;
      options.salvage = salvage;
      auto reader = Reader::open(dir.file("x.rondo"), options);
      ASSERT_FALSE(reader) << input.what;
      EXPECT_EQ(reader.error().status, Status::unreadable);
      EXPECT_NE(reader.error().message.find(input.says), std::string::npos) << reader.error().message;
      EXPECT_NE(reader.error().message.find("x.rondo"), std::string::npos);
    }
    EXPECT_FALSE(finish_capture(dir.file("x.rondo"), 0));
    EXPECT_EQ(slurp(dir.file("x.rondo")), bytes_of(input.content)) << "finish changed it";
  }
}

TEST(WrongInput, OtherKindsOfFilesAreRefused) {
  TemporaryDirectory dir;
  const auto says = [](const std::string& path, const char* what) {
    auto reader = Reader::open(path);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().status, Status::unreadable);
    EXPECT_NE(reader.error().message.find(what), std::string::npos) << reader.error().message;
  };
  says(dir.path(), "is a directory");
  says(dir.file("missing"), "No such file");
  ASSERT_EQ(::mkfifo(dir.file("fifo").c_str(), 0600), 0);
  says(dir.file("fifo"), "not a regular file");
  says("/dev/zero", "not a regular file");
  EXPECT_FALSE(finish_capture(dir.path(), 0));
}

TEST(Budget, RefusesWhatIsLargerAndSaysSo) {
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 4096));
  ThreadStream* stream = writer->open_stream();
  write_call(*writer, *stream, std::string(100'000, 'z'));
  const std::vector<std::byte> blob(5'000'000);
  writer->add_blob(*stream, digest_of(blob), blob);
  ASSERT_TRUE(writer->finish(Ending::exited));
  ReaderOptions options;
  options.memory_budget = 50'000;
  const Contents read = read_all(dir.file("a.rondo"), options);
  EXPECT_TRUE(read.records.empty());
  EXPECT_NE(read.error.find("budget"), std::string::npos) << read.error;
  auto bytes = open(dir.file("a.rondo"), options)->blob(digest_of(blob));
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.error().message.find("budget"), std::string::npos);
  options.memory_budget = 6'000'000;
  EXPECT_EQ(read_all(dir.file("a.rondo"), options).records.size(), 1u);
  EXPECT_TRUE(open(dir.file("a.rondo"), options)->blob(digest_of(blob)));
}

TEST(Budget, ManyThreadsNeedNotFitAtOnce) {
  // Forty threads one after the other: only the one whose turn it is is loaded.
  TemporaryDirectory dir;
  auto writer = create(options_for(dir.file("a.rondo"), 16 * 1024));
  for (int t = 0; t < 40; ++t) {
    ThreadStream* stream = writer->open_stream();
    for (int i = 0; i < 100; ++i) write_call(*writer, *stream, std::string(100, static_cast<char>('a' + t % 26)));
    writer->close_stream(stream);
  }
  ASSERT_TRUE(writer->finish(Ending::exited));
  ReaderOptions options;
  options.memory_budget = 40'000;
  const Contents read = read_all(dir.file("a.rondo"), options);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.records.size(), 4000u);
}

}  // namespace
}  // namespace rondo::test
