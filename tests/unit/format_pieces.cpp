// SPDX-License-Identifier: Apache-2.0
// The parts below the file: the spool's places, compression, varints.
#include <map>

#include "format/columns.h"
#include "format/compression.h"
#include "format/data_region.h"
#include "format/file.h"
#include "format/spool_map.h"
#include "format_support.h"

namespace rondo::test {
namespace {

TEST(Columns, JoinWhatTheyTookApart) {
  const auto record = [](unsigned flags, std::string_view body) {
    const RecordHeader h{static_cast<std::uint32_t>(sizeof(RecordHeader) + body.size()), 7,
                         static_cast<std::uint16_t>(flags), 1};
    std::vector<std::byte> bytes(sizeof h + body.size());
    std::memcpy(bytes.data(), &h, sizeof h);
    std::memcpy(bytes.data() + sizeof h, body.data(), body.size());
    return bytes;
  };
  std::vector<std::byte> records;
  RecordColumns columns;
  for (const auto& bytes :
       {record(kRecordCall, "payload"), record(kRecordCall | kRecordReturns | kRecordTimes, "\x85\x01\x86\x02\x03rest"),
        record(kRecordVoid, ""), record(kRecordCall | kRecordTimes, "\x01\x02")}) {
    RecordHeader h{};
    std::memcpy(&h, bytes.data(), sizeof h);
    ASSERT_TRUE(columns.add(h, std::span(bytes).subspan(sizeof h)));
    records.insert(records.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> payload;
  for (const std::span<const std::byte> piece : columns.payload())
    payload.insert(payload.end(), piece.begin(), piece.end());
  const auto joined = join_columns(payload);
  ASSERT_TRUE(joined);
  EXPECT_TRUE(std::equal(records.begin(), records.end(), joined->bytes().begin(), joined->bytes().end()));

  RecordHeader timed{sizeof(RecordHeader) + 1, 7, kRecordCall | kRecordTimes, 1};
  const std::byte one[] = {std::byte{1}};
  EXPECT_FALSE(columns.add(timed, one));
  for (std::size_t cut = 0; cut < payload.size(); ++cut)
    EXPECT_FALSE(join_columns(std::span(payload).first(cut))) << cut;
}

TEST(SpoolMap, NeverGivesTwoOwnersOnePlace) {
  constexpr std::uint64_t kSegment = 4096;
  SpoolMap map(kSegment, 16 * kSegment);
  std::map<std::uint64_t, std::uint64_t> used;
  std::uint64_t data_end = 64, x = 1;
  const auto random = [&x](std::uint64_t n) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return (x >> 33) % n;
  };
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t what = random(1u << 20) % 10;
    if (what < 4) {
      const std::uint64_t bytes = (1 + random(1u << 20) % 4) * kSegment;
      const std::uint64_t offset = map.take(bytes);
      EXPECT_EQ(offset % kSegment, 0u);
      EXPECT_GE(offset, data_end);
      for (const auto& [o, n] : used) ASSERT_TRUE(offset + bytes <= o || o + n <= offset);
      used[offset] = bytes;
    } else if (what < 8 && !used.empty()) {
      const auto it = std::next(used.begin(), static_cast<std::ptrdiff_t>(random(1u << 20) % used.size()));
      map.give_back(it->first);
      used.erase(it);
    } else {
      const std::uint64_t bytes = 100 + random(1u << 20) % 5000;
      const std::uint64_t place = map.place_data(data_end, bytes);
      ASSERT_GE(place, data_end);
      ASSERT_TRUE(place == data_end || place - data_end >= sizeof(ChunkHeader));
      for (const auto& [o, n] : used) ASSERT_TRUE(place + bytes + sizeof(ChunkHeader) <= o || o + n <= place);
      data_end = place + bytes;
    }
  }
}

TEST(SpoolMap, DataGoesAroundNoLargeSlotWhereThereIsRoom) {
  constexpr std::uint64_t kSegment = 4096, kBase = 16 * kSegment, kLarge = 3 * kBase;
  for (const bool roomy : {true, false}) {
    SpoolMap map(kSegment, kBase, roomy);
    std::uint64_t data_end = 64;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t slot = map.take(kLarge);
      const std::uint64_t place = map.place_data(data_end, kLarge);
      if (roomy) {
        EXPECT_EQ(place, data_end) << i;
      } else if (i == 0) {
        EXPECT_EQ(slot, kBase) << "the file would be longer";
      }
      data_end = place + kLarge;
      map.give_back(slot);
    }
  }
}

TEST(Compression, RoundTripsPiecesOfAnySize) {
  for (const Compression codec : {Compression::none, Compression::lz4, Compression::zstd}) {
    for (const Effort effort : {Effort::fast, Effort::thorough}) {
      Compressor compressor(codec);
      for (const std::size_t size : {0u, 1u, 1000u, 65536u, 65537u, 1'000'000u}) {
        std::vector<std::byte> raw = noise(size, 3);
        std::fill(raw.begin() + static_cast<std::ptrdiff_t>(size / 2), raw.end(), std::byte{7});
        std::vector<std::span<const std::byte>> pieces;
        for (std::size_t at = 0, n = 1; at < size; at += n, n = n * 3 % 70'001 + 1) {
          n = std::min(n, size - at);
          pieces.push_back(std::span(raw).subspan(at, n));
        }
        std::vector<std::byte> stored;
        ASSERT_TRUE(compressor.compress(pieces, effort, [&](std::span<const std::byte> bytes) {
          stored.insert(stored.end(), bytes.begin(), bytes.end());
          return true;
        }));
        EXPECT_LE(stored.size(), compressor.bound(size));
        EXPECT_TRUE(plausible(codec, stored.size(), size));
        const auto first = std::span(stored).first(std::min(stored.size(), kFrameHeaderBytes));
        EXPECT_TRUE(declares(codec, first, size));
        EXPECT_EQ(declares(codec, first, size + 1), codec != Compression::zstd);
        for (const std::size_t step : {std::size_t{7}, stored.size() + 1}) {
          std::size_t at = 0;
          const auto source = [&]() -> std::span<const std::byte> {
            const auto piece = std::span(stored).subspan(at, std::min(step, stored.size() - at));
            at += piece.size();
            return piece;
          };
          std::vector<std::byte> back(size);
          EXPECT_TRUE(decompress(codec, source, back, true));
          EXPECT_TRUE(back == raw);
          std::vector<std::byte> prefix(size / 3);
          at = 0;
          EXPECT_TRUE(decompress(codec, source, prefix, false) || prefix.empty());
          EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), raw.begin()));
          std::vector<std::byte> longer(size + 1);
          at = 0;
          EXPECT_FALSE(decompress(codec, source, longer, true));
        }
        stored.push_back(std::byte{0});
        std::size_t at = 0;
        std::vector<std::byte> back(size);
        EXPECT_FALSE(decompress(
            codec,
            [&]() -> std::span<const std::byte> {
              return at++ == 0 ? std::span<const std::byte>(stored) : std::span<const std::byte>();
            },
            back, true))
            << "bytes behind the end were accepted";
      }
    }
  }
}

// What each chunk of a `fast` capture is compressed with, by its type and by how much is waiting.
TEST(DataRegion, GivesBlobsTheBetterCodecUntilItFallsBehind) {
  TemporaryDirectory dir;
  auto file = File::create(dir.file("a"));
  ASSERT_TRUE(file);
  DataRegion region(*file, Compression::lz4, 0, {}, [](std::uint64_t end, std::uint64_t) { return end; });
  const std::vector<std::byte> raw(100'000);
  const std::span<const std::byte> piece = raw;
  const auto codec_of = [&](ChunkType type, DataRegion::Load load) {
    region.set_load(load);
    const std::uint64_t at = region.end();
    EXPECT_EQ(region.append(chunk_header(type), std::span(&piece, 1)), 0);
    ChunkHeader header{};
    EXPECT_TRUE(file->read(at, std::as_writable_bytes(std::span(&header, 1))));
    EXPECT_EQ(header.type, static_cast<std::uint16_t>(type));
    return static_cast<Compression>(header.codec);
  };
  using Load = DataRegion::Load;
  for (const Load load : {Load::light, Load::busy, Load::behind}) {
    EXPECT_EQ(codec_of(ChunkType::records, load), Compression::lz4);
    EXPECT_EQ(codec_of(ChunkType::blobs, load), load == Load::behind ? Compression::lz4 : Compression::zstd);
  }
}

TEST(Varint, RoundTripsAndRefusesWhatIsTooLong) {
  for (const std::uint64_t v : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, UINT64_MAX, UINT64_MAX - 1}) {
    std::byte bytes[kMaxVarint];
    const std::size_t n = put_varint(bytes, v);
    std::uint64_t back = ~v;
    EXPECT_EQ(get_varint(bytes, bytes + n, back), bytes + n);
    EXPECT_EQ(back, v);
    EXPECT_EQ(get_varint(bytes, bytes + n - 1, back), nullptr);
  }
  const std::vector<std::byte> endless(20, std::byte{0xff});
  std::uint64_t v = 0;
  EXPECT_EQ(get_varint(endless.data(), endless.data() + endless.size(), v), nullptr);
  for (const std::int64_t s : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX, INT64_MIN})
    EXPECT_EQ(unzigzag(zigzag(s)), s);
}

TEST(Digest, PrintsHighFirst) {
  EXPECT_EQ(to_string(Digest{0x0123456789abcdef, 0xfedcba9876543210}), "fedcba98765432100123456789abcdef");
}

}  // namespace
}  // namespace rondo::test
