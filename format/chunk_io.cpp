// SPDX-License-Identifier: Apache-2.0
#include "format/chunk_io.h"

#define XXH_STATIC_LINKING_ONLY  // the streaming state, to be held by value
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "format/compression.h"
#include "format/planes.h"

namespace rondo {
namespace {

constexpr std::size_t kReadStep = 256 * 1024;

bool sane(const ChunkHeader& h) {
  if (h.reserved[0] != 0 || h.reserved[1] != 0 || h.reserved[2] != 0 || h.reserved2 != 0) return false;
  if (h.codec > static_cast<std::uint8_t>(Compression::deltas)) return false;
  if (h.codec >= static_cast<std::uint8_t>(Compression::planes) &&
      (type_of(h) != ChunkType::blobs || h.raw_bytes < kBeforePlanes))
    return false;
  if (type_of(h) == ChunkType::segment) return h.raw_bytes <= h.stored_bytes && h.codec == 0;
  return h.first_sequence <= h.last_sequence;
}

// Hands out the stored bytes in steps, hashing them on the way.
class StoredBytes {
 public:
  StoredBytes(const File& file, std::uint64_t offset, std::uint64_t bytes)
      : file_(file),
        offset_(offset),
        left_(bytes),
        buffer_(static_cast<std::size_t>(std::min<std::uint64_t>(bytes, kReadStep))) {
    XXH3_64bits_reset(&hash_);
  }
  std::span<const std::byte> next() {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
    if (n == 0) return {};
    const std::span<std::byte> step = buffer_.bytes().first(n);
    if (!file_.read(offset_, step)) {
      left_ = 0;
      short_ = true;
      return {};
    }
    XXH3_64bits_update(&hash_, step.data(), step.size());
    offset_ += n;
    left_ -= n;
    return step;
  }
  bool drain() {  // so that the checksum covers all
    while (!next().empty()) {
    }
    return !short_;
  }
  std::uint64_t checksum() const { return XXH3_64bits_digest(&hash_); }

 private:
  const File& file_;
  std::uint64_t offset_, left_;
  Payload buffer_;
  bool short_ = false;
  XXH3_state_t hash_;
};

tl::unexpected<Error> damaged(const File& file, const ChunkInfo& chunk, const std::string& what) {
  return fail(Status::unreadable, at_offset(file, chunk.offset) + ": " + what);
}

// A process that is killed while it writes leaves the write at the end of a page, at any multiple of 4 KiB. If a header
// lies across such a page end, only its beginning is there and zeros follow. It counts as not written.
bool is_torn(const ChunkHeader& header, std::uint64_t offset) {
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t before = kPage - offset % kPage;
  if (before >= sizeof header) return false;
  const auto bytes = std::as_bytes(std::span(&header, 1));
  const auto magic = std::as_bytes(std::span(&kChunkMagic, 1));
  const auto known = std::min<std::size_t>(before, magic.size());
  return std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(known), bytes.begin()) &&
         std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(before), bytes.end(),
                     [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

std::string at_offset(const File& file, std::uint64_t offset) {
  return file.path() + ", offset " + std::to_string(offset);
}

std::uint64_t header_checksum_of(const ChunkHeader& header) {
  ChunkHeader copy = header;
  if (type_of(copy) == ChunkType::segment) copy.raw_bytes = 0;
  return checksum_of(std::as_bytes(std::span(&copy, 1)).first(offsetof(ChunkHeader, header_checksum)));
}

HeaderState read_chunk_header(const File& file, std::uint64_t offset, std::uint64_t file_bytes, ChunkHeader& out) {
  if (offset > file_bytes || file_bytes - offset < sizeof out) return HeaderState::cut;
  if (!file.read(offset, std::as_writable_bytes(std::span(&out, 1)))) return HeaderState::cut;
  if (out.magic != kChunkMagic) {
    const auto bytes = std::as_bytes(std::span(&out, 1));
    const bool zeros = std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
    return zeros || is_torn(out, offset) ? HeaderState::zeros : HeaderState::damaged;
  }
  if (out.header_checksum != header_checksum_of(out) || !sane(out))
    return is_torn(out, offset) ? HeaderState::zeros : HeaderState::damaged;
  return out.stored_bytes <= file_bytes - offset - sizeof out ? HeaderState::good : HeaderState::too_short;
}

Result<void> check_payload_size(const File& file, const ChunkInfo& chunk, std::size_t budget) {
  const ChunkHeader& h = chunk.header;
  const std::uint64_t stored = type_of(h) == ChunkType::segment ? h.raw_bytes : h.stored_bytes;
  if (!plausible(static_cast<Compression>(h.codec), stored, h.raw_bytes))
    return damaged(file, chunk,
                   "a chunk of " + std::to_string(stored) + " bytes cannot hold the " + std::to_string(h.raw_bytes) +
                       " that it claims");
  if (h.raw_bytes > budget)
    return fail(Status::unreadable, at_offset(file, chunk.offset) + ": this chunk needs " +
                                        std::to_string(h.raw_bytes) + " bytes of memory, more than the " +
                                        std::to_string(budget) + " left of the budget: raise the budget");
  std::array<std::byte, kFrameHeaderBytes> buffer;
  const auto first = std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(stored, buffer.size())));
  if (!file.read(chunk.offset + sizeof h, first)) return damaged(file, chunk, "the chunk cannot be read whole");
  if (!declares(static_cast<Compression>(h.codec), first, h.raw_bytes))
    return damaged(file, chunk, "the chunk is corrupt (it is not of the size that it claims)");
  return {};
}

Result<void> load_payload_into(const File& file, const ChunkInfo& chunk, std::span<std::byte> out) {
  const ChunkHeader& h = chunk.header;
  const bool segment = type_of(h) == ChunkType::segment;
  StoredBytes source(file, chunk.offset + sizeof h, segment ? h.raw_bytes : h.stored_bytes);
  const bool decoded = decompress(
      static_cast<Compression>(h.codec), [&] { return source.next(); }, out, true);
  if (!source.drain()) return damaged(file, chunk, "the chunk cannot be read whole");
  if (!segment && source.checksum() != h.payload_checksum)
    return damaged(file, chunk, "the chunk is corrupt (its checksum does not match)");
  if (!decoded) return damaged(file, chunk, "the chunk is corrupt (it does not decompress)");
  return {};
}

Result<void> check_stored_bytes(const File& file, const ChunkInfo& chunk) {
  if (type_of(chunk.header) == ChunkType::padding) return {};  // whatever was there
  StoredBytes source(file, chunk.offset + sizeof chunk.header, chunk.header.stored_bytes);
  if (!source.drain()) return damaged(file, chunk, "the chunk cannot be read whole");
  if (source.checksum() != chunk.header.payload_checksum)
    return damaged(file, chunk, "the chunk is corrupt (its checksum does not match)");
  return {};
}

Result<Payload> load_payload(const File& file, const ChunkInfo& chunk, std::size_t budget) {
  RONDO_TRY(check_payload_size(file, chunk, budget));
  Payload payload(static_cast<std::size_t>(chunk.header.raw_bytes));
  RONDO_TRY(load_payload_into(file, chunk, payload.bytes()));
  return payload;
}

Result<Payload> load_prefix(const File& file, const ChunkInfo& chunk, std::size_t bytes) {
  const ChunkHeader& h = chunk.header;
  const auto codec = static_cast<Compression>(h.codec);
  if (bytes > h.raw_bytes || !plausible(codec, h.stored_bytes, h.raw_bytes))
    return damaged(file, chunk, "the chunk is corrupt (its sizes cannot be)");
  Payload payload(bytes);
  if (bytes == 0) return payload;
  StoredBytes source(file, chunk.offset + sizeof h, h.stored_bytes);
  if (!decompress(
          codec, [&] { return source.next(); }, payload.bytes(), false))
    return damaged(file, chunk, "the chunk is corrupt (it does not decompress)");
  return payload;
}

Result<std::uint32_t> blob_count(const File& file, const ChunkInfo& chunk, std::span<const std::byte> first_bytes) {
  std::uint32_t head[2] = {};
  if (first_bytes.size() < sizeof head) return damaged(file, chunk, "a blobs chunk without a directory");
  std::memcpy(head, first_bytes.data(), sizeof head);
  if (head[1] != 0 || head[0] > (chunk.header.raw_bytes - sizeof head) / sizeof(BlobEntry))
    return damaged(file, chunk, "a blobs chunk whose directory does not fit in it");
  return head[0];
}

}  // namespace rondo
