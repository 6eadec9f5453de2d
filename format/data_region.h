// SPDX-License-Identifier: Apache-2.0
// Appends chunks to the data region of a capture file. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/compression.h"
#include "format/container.h"
#include "format/file.h"

namespace rondo {

class DataRegion {
 public:
  // Says where `bytes` find room at or behind `end` (SpoolMap::place_data).
  using Place = std::function<std::uint64_t(std::uint64_t end, std::uint64_t bytes)>;
  // `blob_codec`: of blobs, where `codec` is lz4.
  DataRegion(const File& file, Compression codec, std::uint64_t end, std::vector<IndexEntry> index, Place place,
             Compression blob_codec = Compression::zstd);

  using Pieces = std::span<const std::span<const std::byte>>;
  // Large blobs are put in planes or deltas where that makes them smaller, whose codec is zstd: for those who have the
  // time to try.
  void allow_planes() { planes_allowed_ = true; }
  // Compresses and appends one chunk. `header` brings type, thread, ordinal
  // and sequence fields. A chunk's header is written after its payload: a
  // header in the file means that all of the chunk is, and zeros behind it,
  // where the next one goes: the spool may have left bytes there. Returns
  // errno or 0.
  int append(ChunkHeader header, Pieces pieces);
  // Index and footer behind the last chunk; the file then ends there.
  int close(Footer footer);
  // After close(): what the region jumped over was the spool's, and takes no space any more.
  int clear_paddings() const;

  std::uint64_t end() const { return end_; }
  // How much work is waiting: none to speak of; more than lz4's thorough effort
  // could keep up with; so much that only speed counts.
  enum class Load { light, busy, behind };
  void set_load(Load load) { load_ = load; }
  // append() fails (EFBIG) rather than end beyond that.
  void keep_below(std::uint64_t most) { most_ = most; }

 private:
  struct Method {
    Compressor& compressor;
    Effort effort;
  };
  Method method_for(const ChunkHeader& header);
  std::size_t stored_size(std::span<const std::byte> bytes);
  // How a payload is smallest, if it is one large blob: none: as it is; else it is in planes_ so.
  Compression to_planes(const ChunkHeader& header, Pieces pieces);
  int append_small(ChunkHeader& header, Pieces pieces, Method method, std::uint64_t at);
  int append_large(ChunkHeader& header, Pieces pieces, Method method, std::uint64_t at);
  void note(const ChunkHeader& header, std::uint64_t at);
  Effort effort_for(std::uint64_t raw_bytes);

  const File& file_;
  Compressor compressor_;
  Compressor blob_compressor_;
  std::uint64_t end_;
  std::uint64_t most_ = UINT64_MAX;
  std::vector<IndexEntry> index_;
  Place place_;
  std::vector<std::byte> stored_;
  bool planes_allowed_ = false;
  std::vector<std::byte> planes_;
  Load load_ = Load::light;
  std::uint64_t thorough_left_;   // bytes that may still be compressed thoroughly
  std::uint64_t allowance_time_;  // when that was last raised; CLOCK_MONOTONIC ns
};

// The bits of an index entry that come from a chunk's header.
IndexEntry index_entry(const ChunkHeader& header, std::uint64_t offset);
ChunkHeader chunk_header(ChunkType type);

}  // namespace rondo
