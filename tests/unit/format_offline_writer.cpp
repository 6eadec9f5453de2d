// SPDX-License-Identifier: Apache-2.0
// Captures written from records that are there; and blobs in planes, which only such writers make.
#include "format/offline_writer.h"
#include "format/planes.h"
#include "format_support.h"

namespace rondo::test {

// The debug hook of format/check.h.
struct Tamper {
  static std::uint64_t& last_sequence(OfflineWriter& writer) { return writer.last_sequence_; }
};

namespace {

constexpr std::uint16_t kCommand = 3;

// Texels that change little from one to the next.
std::vector<std::byte> gradient(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    all[i] = static_cast<std::byte>((i % 4) * 60 + i / 4 / 37 + (i % 4 == 3 ? i * 7 % 3 : 0));
  return all;
}

std::unique_ptr<OfflineWriter> writer_to(const std::string& path, Compression codec = Compression::zstd) {
  auto made = OfflineWriter::create(path, "/", codec, {DictionaryRow{DictionaryKind::command, kCommand, 1, "vkOne"}});
  EXPECT_TRUE(made) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

Record record_of(std::uint32_t thread, std::span<const std::byte> payload) {
  Record record;
  record.thread = thread;
  record.command = kCommand;
  record.payload = payload;
  return record;
}

TEST(OfflineWriter, KeepsWhatRecordsSay) {
  TemporaryDirectory dir;
  const std::string path = dir.file("a.rondo");
  const auto writer = writer_to(path);
  ASSERT_NE(writer, nullptr);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::vector<std::byte> payload = noise(i % 300, i);
    Record record = record_of(i % 3 == 0 ? 40 : 7, payload);
    record.has_return = i % 2 == 0;
    record.return_value = record.has_return ? -static_cast<std::int64_t>(i) : 0;
    record.has_times = i % 5 == 0;
    record.start_ns = record.has_times ? 1000 + i * 10 : 0;
    record.end_ns = record.has_times ? record.start_ns + 3 : 0;
    record.flags = i % 7 == 0 ? kRecordByLayer : 0;
    ASSERT_TRUE(writer->add(record));
  }
  ASSERT_TRUE(writer->add_session(R"({"a":1})"));
  ASSERT_TRUE(writer->finish());
  const auto reader = open(path);
  ASSERT_NE(reader, nullptr);
  EXPECT_TRUE(reader->complete());
  EXPECT_EQ(reader->sessions(), std::vector<std::string>{R"({"a":1})"});
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto next = reader->next();
    ASSERT_TRUE(next && *next) << i;
    const Record& record = **next;
    const std::vector<std::byte> payload = noise(i % 300, i);
    EXPECT_EQ(record.sequence, i + 1);
    EXPECT_EQ(record.thread, i % 3 == 0 ? 0u : 1u);
    EXPECT_TRUE(std::equal(record.payload.begin(), record.payload.end(), payload.begin(), payload.end()));
    EXPECT_EQ(record.has_return, i % 2 == 0);
    EXPECT_EQ(record.return_value, i % 2 == 0 ? -static_cast<std::int64_t>(i) : 0);
    EXPECT_EQ(record.start_ns, i % 5 == 0 ? 1000 + i * 10 : 0);
    EXPECT_EQ(record.end_ns, i % 5 == 0 ? 1003 + i * 10 : 0);
    EXPECT_EQ((record.flags & kRecordByLayer) != 0, i % 7 == 0);
  }
  const auto end = reader->next();
  EXPECT_TRUE(end && !*end);
}

TEST(OfflineWriter, BlobsAreTheSameHoweverTheyLie) {
  TemporaryDirectory dir;
  for (const Compression codec : {Compression::none, Compression::lz4, Compression::zstd}) {
    const std::string path = dir.file("b" + std::to_string(static_cast<int>(codec)) + ".rondo");
    const auto writer = writer_to(path, codec);
    ASSERT_NE(writer, nullptr);
    std::vector<std::vector<std::byte>> blobs;
    for (const std::size_t bytes : {5u, 300u, 70'000u, 70'001u, 70'002u, 70'003u, 1'000'000u}) {
      blobs.push_back(gradient(bytes));
      blobs.push_back(noise(bytes, bytes));
    }
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& blob : blobs) ASSERT_TRUE(writer->add_blob(digest_of(blob), blob));
    ASSERT_TRUE(writer->add(record_of(0, {})));
    ASSERT_TRUE(writer->finish());
    const auto reader = open(path);
    ASSERT_NE(reader, nullptr);
    EXPECT_EQ(reader->blobs().size(), blobs.size());
    for (const auto& blob : blobs) {
      const auto read = reader->blob(digest_of(blob));
      ASSERT_TRUE(read) << read.error().message;
      EXPECT_EQ(**read, blob);
    }
    bool in_planes = false;
    for (const ChunkInfo& chunk : reader->chunks())
      in_planes = in_planes || chunk.header.codec >= static_cast<std::uint8_t>(Compression::planes);
    EXPECT_EQ(in_planes, codec == Compression::zstd);
  }
}

TEST(OfflineWriter, LeavesNothingBehindThatIsNotWhole) {
  TemporaryDirectory dir;
  const std::string path = dir.file("c.rondo");
  {
    const auto writer = writer_to(path);
    ASSERT_NE(writer, nullptr);
    ASSERT_TRUE(writer->add(record_of(0, {})));
  }
  EXPECT_FALSE(Reader::open(path));
}

TEST(OfflineWriter, ChecksThatNumbersOfRecordsAscend) {
  TemporaryDirectory dir;
  const auto writer = writer_to(dir.file("d.rondo"));
  ASSERT_NE(writer, nullptr);
  ASSERT_TRUE(writer->add(record_of(0, {})));
  Tamper::last_sequence(*writer) = 0;
  EXPECT_EXIT(static_cast<void>(writer->add(record_of(0, {}))), ::testing::KilledBySignal(SIGABRT),
              "format/offline_writer.cpp:[0-9]+: .* does not hold");
}

TEST(Planes, ComeBackFromPlanesAndDeltas) {
  for (const std::size_t bytes : {0u, 1u, 3u, 4u, 5u, 1023u}) {
    const std::vector<std::byte> from = noise(bytes, bytes + 1);
    std::vector<std::byte> planes(bytes), back(bytes);
    put_in_planes(from, planes);
    put_deltas(planes);
    take_deltas(planes);
    take_from_planes(planes, back);
    EXPECT_EQ(back, from);
  }
}

}  // namespace
}  // namespace rondo::test
