// SPDX-License-Identifier: Apache-2.0
// A chunk's payload: stored bytes to raw ones, columns to records, records to
// their parts.
#include <algorithm>
#include <cstring>
#include <vector>

#include "format/columns.h"
#include "format/compression.h"
#include "format/record_walk.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {
namespace {

constexpr std::size_t kMostRawOfChunk = std::size_t{1} << 20;

bool equal(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// Compressed in one go and read back in pieces of all sizes.
void round_trip(Compression codec, Bytes bytes) {
  Compressor compressor(codec);
  std::vector<std::byte> stored;
  const Bytes pieces[] = {bytes};
  expect(compressor.compress(pieces, Effort::fast,
                             [&](Bytes piece) {
                               stored.insert(stored.end(), piece.begin(), piece.end());
                               return true;
                             }),
         "anything can be compressed");
  expect(stored.size() <= compressor.bound(bytes.size()), "compressed bytes stay within their bound");
  expect(plausible(codec, stored.size(), bytes.size()), "what was compressed is plausible");
  std::vector<std::byte> raw(bytes.size());
  std::size_t at = 0, step = 1;
  const Source source = [&] {
    const Bytes piece = Bytes(stored).subspan(at, std::min(step++, stored.size() - at));
    at += piece.size();
    return piece;
  };
  expect(decompress(codec, source, raw, true) && equal(raw, bytes), "what was compressed comes back");
}

void unpack(Compression codec, Bytes input) {
  std::uint32_t raw_bytes = 0;
  if (input.size() < sizeof raw_bytes) return;
  std::memcpy(&raw_bytes, input.data(), sizeof raw_bytes);
  input = input.subspan(sizeof raw_bytes);
  round_trip(codec, input);
  if (raw_bytes > kMostRawOfChunk || !plausible(codec, input.size(), raw_bytes)) return;
  for (const bool whole : {true, false}) {
    std::vector<std::byte> raw(raw_bytes);
    bool given = false;
    const Source source = [&] { return std::exchange(given, true) ? Bytes() : input; };
    static_cast<void>(decompress(codec, source, raw, whole));
  }
}

// The records, and whether all of them can be taken apart.
bool walk(Bytes records, RecordColumns& columns) {
  RecordWalk walk(records, 7);
  std::uint64_t time = 11;
  std::size_t end = 0;
  bool parsed = true;
  columns.clear();
  while (walk.next()) {
    expect(walk.offset() == end, "records follow each other");
    end = walk.offset() + walk.record().size();
    RecordBody body;
    const bool good = parse_body(walk.header(), walk.body(), time, body);
    expect(!good || body.payload.size() <= walk.body().size(), "a payload lies in its record");
    // Only the times' sum may be wrong where the columns accept the body.
    expect(columns.add(walk.header(), walk.body()) || !good, "a good record goes into columns");
    parsed = parsed && good;
  }
  return parsed && !walk.damaged();
}

void join(Bytes payload) {
  const auto joined = join_columns(payload);
  if (!joined) return;
  RecordColumns columns;
  if (!walk(joined->bytes(), columns)) return;
  std::vector<std::byte> again;
  for (const Bytes piece : columns.payload()) again.insert(again.end(), piece.begin(), piece.end());
  const auto rejoined = join_columns(again);
  expect(rejoined && equal(rejoined->bytes(), joined->bytes()), "records split and join to the same");
}

}  // namespace

void chunk(Bytes input) {
  if (input.empty()) return;
  const auto selector = static_cast<unsigned>(input[0]);
  input = input.subspan(1);
  RecordColumns columns;
  switch (selector % 5) {
    case 0:
      return unpack(Compression::lz4, input);
    case 1:
      return unpack(Compression::zstd, input);
    case 2:
      return unpack(Compression::none, input);
    case 3:
      return join(input);
    default:
      static_cast<void>(walk(input, columns));
  }
}

}  // namespace rondo::fuzz
