// SPDX-License-Identifier: Apache-2.0
#include "format/offline_writer.h"

#include <algorithm>
#include <utility>

#include "format/dictionary.h"
#include "format/file_header.h"
#include "format/varint.h"

namespace rondo {

namespace {

constexpr std::size_t kRecordsChunk = 256 * 1024;  // uncompressed, as recorders have them
constexpr std::size_t kBlobsChunk = 1u << 20;      // small blobs together
constexpr std::size_t kSmallBlob = 64 * 1024;

}  // namespace

Result<std::unique_ptr<OfflineWriter>> OfflineWriter::create(const std::string& path, const std::string& like,
                                                             Compression codec, std::vector<DictionaryRow> names) {
  auto target = NewFile::create(path, like);
  if (!target) return tl::unexpected<Error>(std::move(target).error());
  const FileHeader header = new_file_header(kRecordsChunk);
  if (const int error = target->file().write(0, std::as_bytes(std::span(&header, 1))); error != 0)
    return target->failure(error);
  return std::unique_ptr<OfflineWriter>(new OfflineWriter(std::move(*target), codec, std::move(names)));
}

OfflineWriter::OfflineWriter(NewFile target, Compression codec, std::vector<DictionaryRow> names)
    : target_(std::move(target)),
      names_(std::move(names)),
      region_(
          target_.file(), codec, sizeof(FileHeader), {}, [](std::uint64_t end, std::uint64_t) { return end; }, codec) {
  region_.allow_planes();
  body_.reserve(kMaxVarint);  // an empty body is somewhere, too
}

Result<void> OfflineWriter::appended(int error) const {
  if (error != 0) return target_.failure(error);
  return {};
}

OfflineWriter::Stream& OfflineWriter::stream_of(std::uint32_t thread, std::uint32_t& index) {
  const auto found = std::find(threads_.begin(), threads_.end(), thread);
  index = static_cast<std::uint32_t>(found - threads_.begin());
  if (found == threads_.end()) {
    threads_.push_back(thread);
    streams_.push_back(std::make_unique<Stream>());
  }
  return *streams_[index];
}

Result<void> OfflineWriter::add(const Record& record) {
  std::uint32_t index = 0;
  Stream& stream = stream_of(record.thread, index);
  if (stream.columns.empty()) {
    stream.header = chunk_header(ChunkType::records);
    stream.header.thread = index;
    stream.header.base_sequence = stream.last_sequence;
    stream.header.base_time_ns = stream.last_time;
    stream.bytes = 0;
  }
  const bool ended = record.has_return || (record.flags & kRecordTwoPart) == 0;
  body_.clear();
  const auto put = [this](std::uint64_t value) {
    std::byte bytes[kMaxVarint];
    const std::size_t n = put_varint(bytes, value);
    body_.insert(body_.end(), bytes, bytes + n);
  };
  constexpr unsigned facts = kRecordByLayer | kRecordAmbiguous;
  unsigned flags = unsigned{kRecordCall} | (record.flags & facts);
  if (!ended) flags |= kRecordTwoPart;
  if (record.has_return) {
    flags |= kRecordReturns;
    put(zigzag(record.return_value));
  }
  if (record.has_times) {
    flags |= kRecordTimes;
    put(record.start_ns - stream.last_time);
    put(record.end_ns - record.start_ns);
    stream.last_time = record.end_ns;
  }
  body_.insert(body_.end(), record.payload.begin(), record.payload.end());
  RecordHeader header{};
  header.bytes = static_cast<std::uint32_t>(sizeof header + body_.size());
  header.command = record.command;
  header.flags = static_cast<std::uint16_t>(flags);
  ++last_sequence_;
  // Far behind: numbers of other threads only.
  RONDO_CHECK(stream.last_sequence < last_sequence_);
  if (last_sequence_ - stream.last_sequence > UINT32_MAX) {
    RONDO_TRY(flush(stream));
    stream.header = chunk_header(ChunkType::records);
    stream.header.thread = index;
    stream.header.base_sequence = stream.last_sequence = last_sequence_ - 1;
    stream.header.base_time_ns = stream.last_time;
  }
  header.sequence_delta = static_cast<std::uint32_t>(last_sequence_ - stream.last_sequence);
  stream.last_sequence = last_sequence_;
  if (stream.header.first_sequence == 0) stream.header.first_sequence = last_sequence_;
  stream.header.last_sequence = last_sequence_;
  if (!stream.columns.add(header, body_))
    return fail(Status::failed, "record " + std::to_string(record.sequence) + " cannot be written as it was read");
  used_[record.command] = true;
  stream.bytes += header.bytes;
  return stream.bytes >= kRecordsChunk ? flush(stream) : Result<void>();
}

Result<void> OfflineWriter::flush(Stream& stream) {
  if (stream.columns.empty()) return {};
  stream.header.ordinal = stream.ordinal++;
  RONDO_TRY(appended(region_.append(stream.header, stream.columns.payload())));
  stream.columns.clear();
  return {};
}

Result<void> OfflineWriter::add_blob(const Digest& digest, std::span<const std::byte> bytes) {
  if (!blobs_.insert(digest).second) return {};
  if (bytes.size() > kSmallBlob) {
    const BlobEntry entry{digest.low, digest.high, bytes.size()};
    const std::uint32_t head[2] = {1, 0};
    const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), std::as_bytes(std::span(&entry, 1)),
                                                 bytes};
    return appended(region_.append(chunk_header(ChunkType::blobs), pieces));
  }
  if (blob_bytes_.size() + bytes.size() > kBlobsChunk) RONDO_TRY(flush_blobs());
  blob_entries_.push_back({digest.low, digest.high, bytes.size()});
  blob_bytes_.insert(blob_bytes_.end(), bytes.begin(), bytes.end());
  return {};
}

Result<void> OfflineWriter::flush_blobs() {
  if (blob_entries_.empty()) return {};
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(blob_entries_.size()), 0};
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(head)), std::as_bytes(std::span(blob_entries_)),
                                               blob_bytes_};
  RONDO_TRY(appended(region_.append(chunk_header(ChunkType::blobs), pieces)));
  blob_entries_.clear();
  blob_bytes_.clear();
  return {};
}

Result<void> OfflineWriter::add_session(std::string_view json) {
  ChunkHeader header = chunk_header(ChunkType::session);
  header.ordinal = sessions_++;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(json.data(), json.size()));
  return appended(region_.append(header, std::span(&bytes, 1)));
}

std::uint16_t OfflineWriter::add_name(DictionaryKind kind, std::string_view name, std::uint64_t encoding_hash) {
  std::uint16_t next = 1;
  for (const DictionaryRow& row : names_) {
    if (row.kind != kind) continue;
    if (row.name == name && row.encoding_hash == encoding_hash) return row.id;
    next = std::max(next, static_cast<std::uint16_t>(row.id + 1));
  }
  names_.push_back({kind, next, encoding_hash, std::string(name)});
  return next;
}

Result<void> OfflineWriter::write_dictionary() {
  std::vector<DictionaryEntry> entries;
  for (const DictionaryRow& row : names_)
    if (row.kind != DictionaryKind::command || used_[row.id])
      entries.push_back({row.kind, row.id, row.encoding_hash, row.name});
  std::vector<const DictionaryEntry*> rows;
  for (const DictionaryEntry& entry : entries) rows.push_back(&entry);
  const std::vector<std::byte> payload = dictionary_payload(rows);
  const std::span<const std::byte> piece = payload;
  return appended(region_.append(chunk_header(ChunkType::dictionary), std::span(&piece, 1)));
}

Result<std::uint64_t> OfflineWriter::close(Ending ending, std::int32_t exit_signal) {
  for (const auto& stream : streams_) RONDO_TRY(flush(*stream));
  RONDO_TRY(flush_blobs());
  RONDO_TRY(write_dictionary());
  Footer footer{};
  footer.last_sequence = last_sequence_;
  footer.ending = static_cast<std::uint32_t>(ending);
  footer.exit_signal = exit_signal;
  RONDO_TRY(appended(region_.close(footer)));
  return region_.end();
}

Result<std::uint64_t> OfflineWriter::finish() {
  const auto bytes = close();
  if (!bytes) return bytes;
  RONDO_TRY(keep());
  return bytes;
}

}  // namespace rondo
