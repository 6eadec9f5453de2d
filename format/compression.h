// SPDX-License-Identifier: Apache-2.0
// Chunk payloads to stored bytes and back, as streams of pieces: neither side
// needs the whole of a large payload twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "format/container.h"

namespace rondo {

// How hard lz4 tries; zstd has one level.
enum class Effort { fast, thorough };

// One thread at a time. Keeps its tables from payload to payload.
class Compressor {
 public:
  explicit Compressor(Compression codec);
  ~Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Compression codec() const { return codec_; }
  // An upper bound of what compress() hands out.
  std::uint64_t bound(std::uint64_t raw_bytes) const;

  // Hands the stored bytes to `sink` piece by piece. False when the codec or
  // the sink failed.
  using Sink = std::function<bool(std::span<const std::byte>)>;
  bool compress(std::span<const std::span<const std::byte>> pieces, Effort effort, const Sink& sink);

 private:
  struct Contexts;
  Compression codec_;
  std::unique_ptr<Contexts> contexts_;
};

// Fills `out` from the stored pieces that `source` returns one by one (empty:
// no more). True if `out` is full and, when `whole`, nothing was left over.
// Never trusts what it reads.
using Source = std::function<std::span<const std::byte>()>;
bool decompress(Compression codec, const Source& source, std::span<std::byte> out, bool whole);

// Whether `stored_bytes` can possibly decompress to `raw_bytes`: checked before
// memory is taken for them.
bool plausible(Compression codec, std::uint64_t stored_bytes, std::uint64_t raw_bytes);

// Whether what is stored says of itself that it is `raw_bytes` long, or says
// nothing: likewise. `first_bytes` of it, kFrameHeaderBytes or all.
inline constexpr std::size_t kFrameHeaderBytes = 18;
bool declares(Compression codec, std::span<const std::byte> first_bytes, std::uint64_t raw_bytes);

}  // namespace rondo
