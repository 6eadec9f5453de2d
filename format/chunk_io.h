// SPDX-License-Identifier: Apache-2.0
// Single chunks: headers checked, payloads read, verified and decompressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "format/container.h"
#include "format/file.h"
#include "format/reader.h"

namespace rondo {

// Bytes that were never zeroed: a payload is written whole or not used.
class Payload {
 public:
  Payload() = default;
  explicit Payload(std::size_t bytes) : data_(new std::byte[bytes]), size_(bytes) {}
  std::span<std::byte> bytes() { return {data_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  std::size_t size() const { return size_; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
};

std::uint64_t header_checksum_of(const ChunkHeader& header);  // as ChunkHeader::header_checksum says
inline std::uint64_t chunk_end(const ChunkInfo& chunk) {
  return chunk.offset + sizeof(ChunkHeader) + chunk.header.stored_bytes;
}
inline ChunkType type_of(const ChunkHeader& header) { return static_cast<ChunkType>(header.type); }

enum class HeaderState {
  good,
  zeros,      // nothing was written here yet, or the process was killed while it wrote the header
  cut,        // the file ends within the header
  too_short,  // a good header whose payload goes beyond the end of the file
  damaged,
};
HeaderState read_chunk_header(const File& file, std::uint64_t offset, std::uint64_t file_bytes, ChunkHeader& out);

// A whole payload, or (for_records) what a segment has committed. The message
// of an error names file and offset.
Result<Payload> load_payload(const File& file, const ChunkInfo& chunk, std::size_t budget);
// The same into `out`, which has the payload's size.
Result<void> load_payload_into(const File& file, const ChunkInfo& chunk, std::span<std::byte> out);
// Whether it can be loaded: its size is plausible and within the budget.
Result<void> check_payload_size(const File& file, const ChunkInfo& chunk, std::size_t budget);
// The bytes of a chunk that is no segment against their checksum, a piece at a
// time, not decompressed.
Result<void> check_stored_bytes(const File& file, const ChunkInfo& chunk);
// The first `bytes` of it, without its checksum being looked at.
Result<Payload> load_prefix(const File& file, const ChunkInfo& chunk, std::size_t bytes);

std::string at_offset(const File& file, std::uint64_t offset);  // "x.rondo, offset 123"

// A blobs chunk's directory: how many entries its first 8 bytes announce, or an
// error when they cannot be in a payload of this size.
Result<std::uint32_t> blob_count(const File& file, const ChunkInfo& chunk, std::span<const std::byte> first_bytes);

}  // namespace rondo
