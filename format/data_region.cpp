// SPDX-License-Identifier: Apache-2.0
#include "format/data_region.h"

#include <time.h>
#define XXH_STATIC_LINKING_ONLY  // the streaming state, to be held by value
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "format/chunk_io.h"
#include "format/planes.h"

namespace rondo {
namespace {

// Below this a chunk is compressed in memory; above it streams to the file. Either is stored as it is if that is
// smaller.
constexpr std::uint64_t kInMemory = 4u << 20;
// The thorough effort is several times slower. Captures that trickle get it
// always, those that pour only at first: it stays at a few percent of a core.
constexpr std::uint64_t kThoroughAtFirst = 16u << 20;
constexpr std::uint64_t kThoroughPerSecond = 1u << 20;

std::uint64_t now_ns() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

std::uint64_t total(DataRegion::Pieces pieces) {
  std::uint64_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  return bytes;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

bool in_planes(const ChunkHeader& header) { return header.codec >= static_cast<std::uint8_t>(Compression::planes); }

}  // namespace

IndexEntry index_entry(const ChunkHeader& h, std::uint64_t offset) {
  return {offset, h.stored_bytes, h.raw_bytes, h.first_sequence, h.last_sequence, h.type, 0, h.thread};
}

ChunkHeader chunk_header(ChunkType type) {
  ChunkHeader h{};
  h.magic = kChunkMagic;
  h.type = static_cast<std::uint16_t>(type);
  return h;
}

DataRegion::DataRegion(const File& file, Compression codec, std::uint64_t end, std::vector<IndexEntry> index,
                       Place place, Compression blob_codec)
    : file_(file),
      compressor_(codec),
      blob_compressor_(blob_codec),
      end_(end),
      index_(std::move(index)),
      place_(std::move(place)),
      thorough_left_(kThoroughAtFirst),
      allowance_time_(now_ns()) {}

Effort DataRegion::effort_for(std::uint64_t raw_bytes) {
  const std::uint64_t now = now_ns();
  const std::uint64_t earned = (now - allowance_time_) / 1'000'000 * kThoroughPerSecond / 1000;
  if (earned != 0) {
    thorough_left_ = std::min(thorough_left_ + earned, kThoroughAtFirst);
    allowance_time_ = now;
  }
  if (load_ != Load::light || raw_bytes > thorough_left_) return Effort::fast;
  thorough_left_ -= raw_bytes;
  return Effort::thorough;
}

// Blobs are most of a capture. zstd makes vertices a third as large as lz4's thorough
// effort does, in less time: it is left only where the capture grows faster than it
// can be compressed.
DataRegion::Method DataRegion::method_for(const ChunkHeader& header) {
  if (header.type != static_cast<std::uint16_t>(ChunkType::blobs)) return {compressor_, effort_for(header.raw_bytes)};
  if (compressor_.codec() == Compression::lz4 && load_ != Load::behind) return {blob_compressor_, Effort::thorough};
  return {compressor_, Effort::fast};
}

void DataRegion::note(const ChunkHeader& header, std::uint64_t at) {
  index_.push_back(index_entry(header, at));
  end_ = at + sizeof header + header.stored_bytes;
}

std::size_t DataRegion::stored_size(std::span<const std::byte> bytes) {
  std::size_t sum = 0;
  compressor_.compress(std::span(&bytes, 1), Effort::fast, [&](std::span<const std::byte> out) {
    sum += out.size();
    return true;
  });
  return sum;
}

Compression DataRegion::to_planes(const ChunkHeader& header, Pieces pieces) {
  constexpr std::uint64_t kLarge = 64 * 1024, kMost = 64 << 20;
  if (!planes_allowed_ || compressor_.codec() != Compression::zstd || header.raw_bytes < kLarge ||
      header.raw_bytes > kMost || header.type != static_cast<std::uint16_t>(ChunkType::blobs))
    return Compression::none;
  std::vector<std::byte> whole;
  whole.reserve(static_cast<std::size_t>(header.raw_bytes));
  for (const auto& piece : pieces) whole.insert(whole.end(), piece.begin(), piece.end());
  std::uint32_t blobs = 0;
  std::memcpy(&blobs, whole.data(), sizeof blobs);
  if (blobs != 1) return Compression::none;
  const std::span<const std::byte> bytes = std::span<const std::byte>(whole).subspan(kBeforePlanes);
  planes_.resize(whole.size());
  std::copy_n(whole.begin(), kBeforePlanes, planes_.begin());
  const std::span<std::byte> planes = std::span(planes_).subspan(kBeforePlanes);
  put_in_planes(bytes, planes);
  // for little they are not worth the time that it takes to read them
  std::size_t least = stored_size(bytes) / 50 * 49;
  Compression best = Compression::none;
  if (const std::size_t size = stored_size(planes); size < least) {
    least = size;
    best = Compression::planes;
  }
  put_deltas(planes);
  if (stored_size(planes) < least) return Compression::deltas;
  if (best == Compression::planes) put_in_planes(bytes, planes);
  return best;
}

int DataRegion::append(ChunkHeader header, Pieces given) {
  header.raw_bytes = total(given);
  const Compression better = to_planes(header, given);
  const std::span<const std::byte> planes = planes_;
  const Pieces pieces = better != Compression::none ? Pieces(&planes, 1) : given;
  header.codec = static_cast<std::uint8_t>(better);
  const std::uint64_t at = place_(end_, sizeof header + compressor_.bound(header.raw_bytes));
  if (at != end_ && at - end_ < sizeof header) return EINVAL;  // only a file that was tampered with
  const Method method = method_for(header);
  int error = header.raw_bytes <= kInMemory ? append_small(header, pieces, method, at)
                                            : append_large(header, pieces, method, at);
  if (error != 0) return error;
  if (at + sizeof header + header.stored_bytes > most_) return EFBIG;
  header.header_checksum = header_checksum_of(header);
  error = file_.write(at, bytes_of(header));
  if (error != 0) return error;
  if (at != end_) {
    ChunkHeader padding = chunk_header(ChunkType::padding);
    padding.stored_bytes = padding.raw_bytes = at - end_ - sizeof padding;
    padding.header_checksum = header_checksum_of(padding);
    error = file_.write(end_, bytes_of(padding));
    if (error != 0) return error;
    note(padding, end_);
  }
  note(header, at);
  return 0;
}

int DataRegion::append_small(ChunkHeader& header, Pieces pieces, Method method, std::uint64_t at) {
  stored_.clear();
  const auto keep = [this](std::span<const std::byte> bytes) {
    stored_.insert(stored_.end(), bytes.begin(), bytes.end());
    return true;
  };
  if (!in_planes(header)) header.codec = static_cast<std::uint8_t>(method.compressor.codec());
  if (!method.compressor.compress(pieces, method.effort, keep)) return ENOMEM;
  if (stored_.size() >= header.raw_bytes && !in_planes(header)) {
    stored_.clear();
    for (const auto& piece : pieces) keep(piece);
    header.codec = static_cast<std::uint8_t>(Compression::none);
  }
  header.stored_bytes = stored_.size();
  header.payload_checksum = checksum_of(stored_);
  stored_.resize(stored_.size() + sizeof header);  // the end of the chain
  return file_.write(at + sizeof header, stored_);
}

int DataRegion::append_large(ChunkHeader& header, Pieces pieces, Method method, std::uint64_t at) {
  std::uint64_t to = at + sizeof header;
  int error = 0;
  XXH3_state_t hash;
  XXH3_64bits_reset(&hash);
  stored_.clear();
  const auto flush = [&] {
    if (error == 0 && !stored_.empty()) {
      XXH3_64bits_update(&hash, stored_.data(), stored_.size());
      error = file_.write(to, stored_);
      to += stored_.size();
      stored_.clear();
    }
    return error == 0;
  };
  const bool done = method.compressor.compress(pieces, method.effort, [&](std::span<const std::byte> bytes) {
    stored_.insert(stored_.end(), bytes.begin(), bytes.end());
    return stored_.size() < (512u << 10) || flush();
  });
  if (!flush()) return error;
  if (!done) return ENOMEM;
  if (!in_planes(header)) header.codec = static_cast<std::uint8_t>(method.compressor.codec());
  if (to - at - sizeof header >= header.raw_bytes && header.codec != static_cast<std::uint8_t>(Compression::none) &&
      !in_planes(header)) {
    header.codec = static_cast<std::uint8_t>(Compression::none);
    to = at + sizeof header;
    XXH3_64bits_reset(&hash);
    for (const auto& piece : pieces) {
      XXH3_64bits_update(&hash, piece.data(), piece.size());
      if (const int written = file_.write(to, piece)) return written;
      to += piece.size();
    }
  }
  header.stored_bytes = to - at - sizeof header;
  header.payload_checksum = XXH3_64bits_digest(&hash);
  return file_.write(to, bytes_of(ChunkHeader{}));  // the end of the chain
}

int DataRegion::close(Footer footer) {
  footer.index_offset = end_;
  const std::uint64_t count = index_.size();
  const std::vector<IndexEntry> entries = index_;
  const std::span<const std::byte> pieces[] = {bytes_of(count), std::as_bytes(std::span(entries))};
  // Nothing of the spool is in use any more: the index needs no detour.
  place_ = [](std::uint64_t end, std::uint64_t) { return end; };
  if (const int error = append(chunk_header(ChunkType::index), pieces)) return error;
  std::memcpy(footer.magic, kFooterMagic, sizeof footer.magic);
  footer.checksum = checksum_of(bytes_of(footer).first(offsetof(Footer, checksum)));
  if (const int error = file_.write(end_, bytes_of(footer))) return error;
  end_ += sizeof footer;
  return file_.truncate(end_);
}

int DataRegion::clear_paddings() const {
  int error = 0;
  for (const IndexEntry& entry : index_)
    if (error == 0 && entry.type == static_cast<std::uint16_t>(ChunkType::padding) && entry.stored_bytes != 0)
      error = file_.clear(entry.offset + sizeof(ChunkHeader), entry.stored_bytes);
  return error;
}

}  // namespace rondo
