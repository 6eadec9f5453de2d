// SPDX-License-Identifier: Apache-2.0
// Bytes that no recorder wrote: errors, never crashes (run these under the
// sanitizers), never other records than the captured ones.
#include <algorithm>
#include <cstddef>

#include "format/chunk_io.h"
#include "format/columns.h"
#include "format_support.h"

namespace rondo::test {
namespace {

// Everything that a tool asks of a reader.
struct Everything {
  Contents contents;
  std::vector<std::vector<std::byte>> blobs;  // those that could be read
  std::string blob_error;
};
Everything read_everything(const std::string& path, bool salvage, const std::vector<BlobInfo>& expected = {}) {
  ReaderOptions options;
  options.salvage = salvage;
  options.memory_budget = 16u << 20;
  Everything all;
  all.contents = read_all(path, options);
  auto reader = Reader::open(path, options);
  if (!reader) return all;
  for (const BlobInfo& info : expected.empty() ? (*reader)->blobs() : expected) {
    auto bytes = (*reader)->blob(info.digest);
    if (bytes)
      all.blobs.push_back(**bytes);
    else
      all.blob_error = bytes.error().message;
  }
  return all;
}

std::vector<std::byte> make(const TemporaryDirectory& dir, Compression codec) {
  WriterOptions options = options_for(dir.file("good.rondo"), 4096);
  options.compression = codec;
  auto writer = create(options);
  writer->add_session("{\"application\":\"test\"}");
  ThreadStream* stream = writer->open_stream();
  for (int i = 0; i < 3; ++i) {
    const auto blob = bytes_of(std::string(40, static_cast<char>('A' + i)));
    writer->add_blob(*stream, digest_of(blob), blob);
  }
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t call = write_call(*writer, *stream, std::to_string(i), kSubmit, kRecordTwoPart);
    const auto start = static_cast<std::uint64_t>(i) * 10;
    write_result(*stream, call, -i, start, start + 7);
  }
  EXPECT_TRUE(writer->finish(Ending::exited));
  return slurp(dir.file("good.rondo"));
}

void flip_every_byte(Compression codec) {
  TemporaryDirectory dir;
  const std::vector<std::byte> good = make(dir, codec);
  const Everything expected = read_everything(dir.file("good.rondo"), false);
  ASSERT_EQ(expected.contents.records.size(), 20u);
  ASSERT_EQ(expected.blobs.size(), 3u);
  const std::vector<BlobInfo> blobs = open(dir.file("good.rondo"))->blobs();
  const std::string path = dir.file("bad.rondo");
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned mask : {1u, 0x80u, 0xffu}) {
      std::vector<std::byte> bad = good;
      bad[i] ^= static_cast<std::byte>(mask);
      spill(path, bad);
      for (const bool salvage : {false, true}) {
        const Everything got = read_everything(path, salvage, blobs);
        const Contents& c = got.contents;
        ASSERT_LE(c.records.size(), expected.contents.records.size());
        for (std::size_t r = 0; r < c.records.size(); ++r)
          ASSERT_TRUE(c.records[r].payload == expected.contents.records[r].payload) << "byte " << i;
        for (const auto& blob : got.blobs)
          ASSERT_TRUE(std::find(expected.blobs.begin(), expected.blobs.end(), blob) != expected.blobs.end());
        // Nothing goes missing quietly.
        if (c.records != expected.contents.records || got.blobs != expected.blobs ||
            c.sessions != expected.contents.sessions) {
          ASSERT_TRUE(!c.error.empty() || !c.complete || !got.blob_error.empty() || !c.cut_reason.empty())
              << "byte " << i << " of " << good.size();
        }
        ASSERT_TRUE(c.opened || !c.error.empty());
      }
    }
  }
}

TEST(Flipped, EveryByteUncompressed) { flip_every_byte(Compression::none); }
TEST(Flipped, EveryByteLz4) { flip_every_byte(Compression::lz4); }
TEST(Flipped, EveryByteZstd) { flip_every_byte(Compression::zstd); }

// Records as a chunk holds them. What is no record stays whole: its first
// bytes among the headers, the others behind everything.
std::vector<std::byte> in_columns(std::span<const std::byte> records) {
  RecordColumns good;
  while (records.size() >= sizeof(RecordHeader)) {
    RecordHeader h{};
    std::memcpy(&h, records.data(), sizeof h);
    if (h.bytes < sizeof h || h.bytes > records.size() || !good.add(h, records.subspan(sizeof h, h.bytes - sizeof h)))
      break;
    records = records.subspan(h.bytes);
  }
  auto columns = good.payload();
  const std::span<const std::byte> head = records.first(std::min(records.size(), sizeof(RecordHeader)));
  ColumnSizes sizes{};
  std::memcpy(&sizes, columns[0].data(), sizeof sizes);
  sizes.header_bytes += head.size();
  columns[0] = std::as_bytes(std::span(&sizes, 1));
  std::vector<std::byte> out;
  for (const std::span<const std::byte> piece :
       {columns[0], columns[1], head, columns[2], columns[3], records.subspan(head.size())})
    out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

// A file put together by hand, checksums right: only its claims are wrong.
class Forger {
 public:
  Forger() {
    FileHeader h{};
    std::memcpy(h.magic, kFileMagic, sizeof h.magic);
    h.version_major = kVersionMajor;
    h.header_bytes = sizeof h;
    h.segment_bytes = 4096;
    h.checksum = checksum_of(std::as_bytes(std::span(&h, 1)).first(offsetof(FileHeader, checksum)));
    append(&h, sizeof h);
  }
  void chunk(ChunkHeader h, std::span<const std::byte> stored) {
    h.magic = kChunkMagic;
    h.stored_bytes = stored.size();
    h.payload_checksum = checksum_of(stored);
    h.header_checksum = header_checksum_of(h);
    append(&h, sizeof h);
    bytes_.insert(bytes_.end(), stored.begin(), stored.end());
  }
  void records(std::span<const std::byte> payload, std::uint64_t base = 0, std::uint64_t first = 1,
               std::uint64_t last = 1) {
    const std::vector<std::byte> columns = in_columns(payload);
    ChunkHeader h{};
    h.type = static_cast<std::uint16_t>(ChunkType::records);
    h.raw_bytes = columns.size();
    h.base_sequence = base;
    h.first_sequence = first;
    h.last_sequence = last;
    chunk(h, columns);
  }
  Contents read(bool salvage = false) {
    TemporaryDirectory dir;
    spill(dir.file("forged.rondo"), bytes_);
    return read_everything(dir.file("forged.rondo"), salvage).contents;
  }
  void append(const void* data, std::size_t n) {
    const auto* p = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), p, p + n);
  }

 private:
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> record(std::uint32_t bytes, std::uint16_t command, unsigned flags, std::uint32_t delta,
                              std::string_view body = "") {
  const RecordHeader h{bytes, command, static_cast<std::uint16_t>(flags), delta};
  std::vector<std::byte> out(sizeof h + body.size());
  std::memcpy(out.data(), &h, sizeof h);
  std::memcpy(out.data() + sizeof h, body.data(), body.size());
  return out;
}

TEST(Forged, RecordsThatCannotBeAreErrors) {
  const std::string blob(15, 'x');
  const std::vector<std::byte> cases[] = {
      record(0, 1, kRecordCall, 1),   // no length
      record(11, 1, kRecordCall, 1),  // shorter than its header
      record(13, 1, kRecordCall, 1),  // beyond the chunk
      record(0xffffffff, 1, kRecordCall, 1),
      record(12, 1, kRecordCall, 0),                   // a call without a number
      record(12, 0, kRecordCall, 1),                   // without a command
      record(12, 1, 0x80, 1),                          // unknown flag
      record(12, 1, kRecordVoid, 1),                   // a void with a command
      record(12, 1, kRecordCall | kRecordReturns, 1),  // a body that is not there
      record(13, 1, kRecordCall | kRecordTimes, 1, "\x05"),
      record(23, 1, kRecordCall | kRecordReturns, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
      record(12 + 15, 0, kRecordBlob, 0, blob),                 // shorter than a digest
      record(12 + 15, 1, kRecordResult, 0, blob),               // bytes behind the distance
      record(13, 1, kRecordResult, 0, std::string("\x00", 1)),  // second part of number 0
      {std::byte{1}, std::byte{2}},                             // half a header
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    Forger strict;
    strict.records(cases[i]);
    const Contents contents = strict.read();
    EXPECT_TRUE(contents.records.empty()) << i;
    EXPECT_NE(contents.error.find("damaged"), std::string::npos) << i << " " << contents.error;
    const Contents salvaged = strict.read(true);
    EXPECT_EQ(salvaged.error, "");
    EXPECT_NE(salvaged.cut_reason.find("damaged"), std::string::npos) << i;
  }
}

TEST(Forged, HeaderNumbersMustBeTrue) {
  Forger later;
  later.records(record(12, 1, kRecordCall, 2), 0, 1, 1);
  EXPECT_NE(later.read().error, "");
  Forger none;
  none.records(record(13, 1, kRecordResult, 0, "\x01"), 5, 1, 5);
  EXPECT_NE(none.read().error, "");
  Forger overflow;
  overflow.records(record(12, 1, kRecordCall, 7), UINT64_MAX - 3, 1, 1);
  EXPECT_NE(overflow.read().error, "");
  Forger twice;
  twice.records(record(12, 1, kRecordCall, 1));
  twice.records(record(12, 1, kRecordCall, 1));
  EXPECT_EQ(twice.read().records.size(), 1u);
  EXPECT_NE(twice.read().error, "");
}

TEST(Forged, SizesAreCheckedBeforeMemoryIsTaken) {
  for (const Compression codec : {Compression::none, Compression::lz4, Compression::zstd}) {
    ChunkHeader h{};
    h.type = static_cast<std::uint16_t>(ChunkType::records);
    h.codec = static_cast<std::uint8_t>(codec);
    h.raw_bytes = std::uint64_t{1} << 60;
    h.first_sequence = h.last_sequence = 1;
    Forger forger;
    forger.chunk(h, noise(100, 1));
    const Contents contents = forger.read();
    EXPECT_TRUE(contents.records.empty());
    EXPECT_NE(contents.error, "");
  }
}

TEST(Forged, AnIndexCannotBeLargerThanTheFileAllows) {
  ChunkHeader h{};
  h.type = static_cast<std::uint16_t>(ChunkType::index);
  h.codec = static_cast<std::uint8_t>(Compression::zstd);
  h.raw_bytes = std::uint64_t{4} << 20;  // 80,000 chunks in a file of 4 KB: plausible for zstd alone
  Forger forger;
  forger.chunk(h, noise(4000, 1));
  Footer footer{};
  std::memcpy(footer.magic, kFooterMagic, sizeof footer.magic);
  footer.index_offset = sizeof(FileHeader);
  footer.checksum = checksum_of(std::as_bytes(std::span(&footer, 1)).first(offsetof(Footer, checksum)));
  forger.append(&footer, sizeof footer);
  const Contents contents = forger.read();
  EXPECT_FALSE(contents.complete);
  EXPECT_NE(contents.cut_reason.find("more chunks"), std::string::npos) << contents.cut_reason;
}

TEST(Forged, DirectoriesAreCheckedBeforeTheyAreUsed) {
  for (const std::uint32_t count : {1u, 2u, 0x7fffffffu, 0xffffffffu}) {
    std::vector<std::byte> payload(8 + sizeof(BlobEntry) + 4);
    std::memcpy(payload.data(), &count, sizeof count);
    const BlobEntry entry{1, 2, UINT64_MAX - 8};
    std::memcpy(payload.data() + 8, &entry, sizeof entry);
    ChunkHeader h{};
    h.type = static_cast<std::uint16_t>(ChunkType::blobs);
    h.raw_bytes = payload.size();
    Forger blobs;
    blobs.chunk(h, payload);
    EXPECT_TRUE(blobs.read().records.empty());
    h.type = static_cast<std::uint16_t>(ChunkType::dictionary);
    Forger dictionary;
    dictionary.chunk(h, payload);
    EXPECT_NE(dictionary.read().error.find("dictionary"), std::string::npos);
  }
}

TEST(Forged, UnknownChunksAreSkippedOnlyWhereTheyAllowIt) {
  ChunkHeader h{};
  h.type = 77;
  h.flags = kChunkSkippable;
  Forger optional;
  optional.chunk(h, {});
  optional.records(record(12, 1, kRecordCall, 1));
  EXPECT_EQ(optional.read().records.size(), 1u);
  h.flags = 0;
  Forger required;
  required.chunk(h, {});
  EXPECT_NE(required.read().error.find("type 77"), std::string::npos);
}

TEST(Forged, ManySecondPartsThatNeverComeCostLittle) {
  // Every call claims a second part: the search for it must not start anew each time.
  std::vector<std::byte> payload;
  constexpr std::uint32_t kCalls = 300'000;
  for (std::uint32_t i = 0; i < kCalls; ++i) {
    const auto r = record(12, 1, kRecordCall | kRecordTwoPart, 1);
    payload.insert(payload.end(), r.begin(), r.end());
  }
  Forger forger;
  forger.records(payload, 0, 1, kCalls);
  EXPECT_EQ(forger.read().records.size(), kCalls);
}

}  // namespace
}  // namespace rondo::test
