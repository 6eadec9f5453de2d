// SPDX-License-Identifier: Apache-2.0
#include "format/assembler.h"

#include <algorithm>
#include <cstring>

#include "format/dictionary.h"
#include "format/record_walk.h"

namespace rondo {
namespace {

// A blobs chunk's raw size: large enough to compress well, small enough to be
// decompressed for one blob.
constexpr std::size_t kBlobChunk = 1u << 20;

}  // namespace

ChunkAssembler::ChunkAssembler(DataRegion& region, std::span<const DictionaryEntry> rows,
                               const StructureSet& structures)
    : region_(region), rows_(rows), structures_(structures), row_written_(rows.size()) {}

int ChunkAssembler::add_segment(const Segment& segment, bool& blobs_pending) {
  bool has_blobs = false;
  blobs_pending = false;
  ChunkHeader header = chunk_header(ChunkType::records);
  header.thread = segment.header->thread;
  header.ordinal = segment.header->ordinal;
  header.base_sequence = segment.header->base_sequence;
  header.base_time_ns = segment.header->base_time_ns;
  const bool drop_records = segment.records_known || header.base_sequence > segment.cut;
  columns_.clear();
  std::uint64_t numbered = 0, calls = 0;
  std::int64_t open_calls = 0;
  RecordWalk walk(segment.records, header.base_sequence);
  while (walk.next()) {
    if (walk.numbered() && walk.last_sequence() > segment.cut) break;
    if (walk.kind() == kRecordBlob) {
      BlobEntry entry{};
      std::memcpy(&entry, walk.body().data(), 16);
      const std::span<const std::byte> bytes = walk.body().subspan(16);
      entry.bytes = bytes.size();
      if (!blob_entries_.empty() && blob_bytes_.size() + bytes.size() > kBlobChunk)
        if (const int error = flush_blobs()) return error;
      blob_entries_.push_back(entry);
      blob_bytes_.insert(blob_bytes_.end(), bytes.begin(), bytes.end());
      has_blobs = true;
      continue;
    }
    if (drop_records) continue;
    if (!columns_.add(walk.header(), walk.body())) break;  // damaged: only in a dead process's file
    if (walk.header().command != 0) command_used_[walk.header().command] = true;
    open_calls += opened_by(walk.header());
    if (!walk.numbered()) continue;
    if (header.first_sequence == 0) header.first_sequence = walk.last_sequence();
    header.last_sequence = walk.last_sequence();
    ++numbered;
    if (walk.kind() == kRecordCall) ++calls;
  }
  blobs_pending = has_blobs && !blob_entries_.empty();
  if (columns_.empty()) return 0;
  if (const int error = write_dictionary()) return error;
  if (const int error = region_.append(header, columns_.payload())) return error;
  numbered_ += numbered;
  calls_ += calls;
  open_calls_ += open_calls;
  last_sequence_ = std::max(last_sequence_, header.last_sequence);
  return 0;
}

int ChunkAssembler::add_chunk(const ChunkHeader& spooled, std::span<const std::byte> payload) {
  ChunkHeader header = chunk_header(static_cast<ChunkType>(spooled.type));
  header.thread = spooled.thread;
  header.ordinal = spooled.ordinal;
  return region_.append(header, std::span(&payload, 1));
}

int ChunkAssembler::flush_blobs() {
  if (blob_entries_.empty()) return 0;
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(blob_entries_.size()), 0};
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), std::as_bytes(std::span(blob_entries_)),
                                               blob_bytes_};
  if (const int error = region_.append(chunk_header(ChunkType::blobs), pieces)) return error;
  blob_entries_.clear();
  blob_bytes_.clear();
  ++flushes_;
  return 0;
}

void ChunkAssembler::mark_written(DictionaryKind kind, std::uint16_t id) {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].kind == kind && rows_[i].id == id) row_written_[i] = true;
}

int ChunkAssembler::write_dictionary() {
  std::vector<const DictionaryEntry*> wanted;
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (row_written_[i]) continue;
    const DictionaryEntry& row = rows_[i];
    if (row.kind == DictionaryKind::command ? !command_used_[row.id] : !structures_.has(row.id)) continue;
    wanted.push_back(&row);
    indexes.push_back(i);
  }
  if (wanted.empty()) return 0;
  const std::vector<std::byte> payload = dictionary_payload(wanted);
  const std::span<const std::byte> piece = payload;
  if (const int error = region_.append(chunk_header(ChunkType::dictionary), std::span(&piece, 1))) return error;
  for (const std::size_t i : indexes) row_written_[i] = true;
  return 0;
}

int ChunkAssembler::close(Ending ending, int exit_signal) {
  if (const int error = flush_blobs()) return error;
  Footer footer{};
  footer.last_sequence = last_sequence_;
  footer.gaps = last_sequence_ - numbered_;
  footer.ending = static_cast<std::uint32_t>(ending);
  footer.exit_signal = exit_signal;
  return region_.close(footer);
}

void ChunkAssembler::count_existing(std::uint64_t numbered, std::uint64_t last_sequence, std::uint64_t calls) {
  numbered_ += numbered;
  calls_ += calls;
  last_sequence_ = std::max(last_sequence_, last_sequence);
}

}  // namespace rondo
