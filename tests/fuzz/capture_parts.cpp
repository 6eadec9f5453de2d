// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/capture_parts.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "format/columns.h"
#include "format/compression.h"
#include "format/data_region.h"
#include "format/digest.h"
#include "format/record_walk.h"

namespace rondo::fuzz {
namespace {

constexpr std::uint64_t kMostRaw = 4u << 20;

template <class T>
bool read(std::span<const std::byte> from, std::uint64_t at, T& out) {
  if (at > from.size() || from.size() - at < sizeof out) return false;
  std::memcpy(&out, from.data() + at, sizeof out);
  return true;
}

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
std::uint64_t checksum_before(const T& value, std::size_t bytes) {
  return checksum_of(std::as_bytes(std::span(&value, 1)).first(bytes));
}

}  // namespace

std::optional<std::vector<std::byte>> Part::raw() const {
  if (type() == ChunkType::segment) return stored;
  const auto codec = static_cast<Compression>(header.codec);
  if (header.codec > 2 || header.raw_bytes > kMostRaw || !plausible(codec, stored.size(), header.raw_bytes))
    return std::nullopt;
  std::vector<std::byte> out(static_cast<std::size_t>(header.raw_bytes));
  bool given = false;
  const Source source = [&] {
    return std::exchange(given, true) ? std::span<const std::byte>() : std::span<const std::byte>(stored);
  };
  if (!decompress(codec, source, out, true)) return std::nullopt;
  return out;
}

void Part::set_raw(std::vector<std::byte> bytes) {
  if (type() != ChunkType::segment) {
    header.codec = static_cast<std::uint8_t>(Compression::none);
    header.raw_bytes = bytes.size();
  }
  stored = std::move(bytes);
}

std::optional<CaptureParts> CaptureParts::from(std::span<const std::byte> file) {
  CaptureParts capture;
  if (!read(file, 0, capture.header) || std::memcmp(capture.header.magic, kFileMagic, sizeof kFileMagic) != 0)
    return std::nullopt;
  std::uint64_t at = sizeof(FileHeader);
  for (Part part; read(file, at, part.header) && part.header.magic == kChunkMagic; part = {}) {
    const std::uint64_t payload = at + sizeof(ChunkHeader);
    if (part.header.stored_bytes > file.size() - payload) break;
    at = payload + part.header.stored_bytes;
    if (part.type() == ChunkType::index) {
      capture.closed = read(file, at, capture.footer);
      if (capture.closed) at += sizeof(Footer);
      continue;
    }
    const auto stored = file.subspan(payload, part.header.stored_bytes);
    part.stored.assign(stored.begin(), stored.end());
    capture.parts.push_back(std::move(part));
  }
  capture.rest.assign(file.begin() + static_cast<std::ptrdiff_t>(at), file.end());
  return capture;
}

std::vector<std::byte> CaptureParts::bytes() const {
  std::vector<std::byte> out;
  FileHeader first = header;
  first.checksum = checksum_before(first, offsetof(FileHeader, checksum));
  append(out, first);
  std::vector<IndexEntry> entries;
  const auto write = [&](ChunkHeader h, std::span<const std::byte> stored, std::optional<std::uint64_t> claimed) {
    const std::uint64_t offset = out.size();
    h.magic = kChunkMagic;
    h.stored_bytes = claimed.value_or(stored.size());
    if (static_cast<ChunkType>(h.type) != ChunkType::segment) h.payload_checksum = checksum_of(stored);
    h.header_checksum = header_checksum_of(h);
    entries.push_back(index_entry(h, offset));
    append(out, h);
    out.insert(out.end(), stored.begin(), stored.end());
    return offset;
  };
  for (const Part& part : parts) write(part.header, part.stored, part.claimed);
  if (closed) {
    std::vector<std::byte> index;
    append(index, std::uint64_t{entries.size()});
    for (const IndexEntry& entry : entries) append(index, entry);
    ChunkHeader h = chunk_header(ChunkType::index);
    h.raw_bytes = index.size();
    Footer last = footer;
    std::memcpy(last.magic, kFooterMagic, sizeof kFooterMagic);
    last.index_offset = write(h, index, std::nullopt);
    last.checksum = checksum_before(last, offsetof(Footer, checksum));
    append(out, last);
  }
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

std::vector<EditedRecord> records_of(std::span<const std::byte> raw) {
  std::vector<EditedRecord> records;
  const auto joined = join_columns(raw);
  if (!joined) return records;
  for (RecordWalk walk(joined->bytes(), 0); walk.next();)
    records.push_back({walk.header(), {walk.body().begin(), walk.body().end()}});
  return records;
}

std::vector<std::byte> columns_of(const std::vector<EditedRecord>& records) {
  RecordColumns columns;
  for (const EditedRecord& record : records) {
    RecordHeader h = record.header;
    h.bytes = static_cast<std::uint32_t>(sizeof h + record.body.size());
    static_cast<void>(columns.add(h, record.body));  // false: a body that no column takes is left out
  }
  std::vector<std::byte> out;
  for (const auto piece : columns.payload()) out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

}  // namespace rondo::fuzz
