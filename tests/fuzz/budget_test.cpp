// SPDX-License-Identifier: Apache-2.0
// A small file cannot make a reader take more memory than its budget.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "format/compression.h"
#include "format/data_region.h"
#include "format/reader.h"
#include "tests/fuzz/allocations.h"
#include "tests/fuzz/capture_parts.h"
#include "tests/fuzz/memory_file.h"

namespace rondo::fuzz {
namespace {

constexpr std::size_t kBudget = std::size_t{1} << 20;
// What is no decompressed data: zstd's window of 8 MiB and tables, the tables
// of names, one piece of the file.
constexpr std::size_t kOverhead = std::size_t{12} << 20;

// A chunk of `bytes` zeros and a few hundred bytes in the file.
Part bomb(ChunkType type, Compression codec, std::uint64_t bytes, std::uint32_t first_word) {
  std::vector<std::byte> raw(static_cast<std::size_t>(bytes));
  if (raw.size() >= sizeof first_word) std::memcpy(raw.data(), &first_word, sizeof first_word);
  Part part;
  part.header = chunk_header(type);
  part.header.codec = static_cast<std::uint8_t>(codec);
  part.header.raw_bytes = bytes;
  Compressor compressor(codec);
  const std::span<const std::byte> pieces[] = {raw};
  compressor.compress(pieces, Effort::fast, [&](std::span<const std::byte> piece) {
    part.stored.insert(part.stored.end(), piece.begin(), piece.end());
    return true;
  });
  return part;
}

std::vector<std::byte> file_of(Part part) {
  CaptureParts capture;
  std::memcpy(capture.header.magic, kFileMagic, sizeof kFileMagic);
  capture.header.version_major = kVersionMajor;
  capture.header.header_bytes = sizeof(FileHeader);
  capture.header.segment_bytes = 64 * 1024;
  capture.parts.push_back(std::move(part));
  capture.closed = true;
  return capture.bytes();
}

std::size_t taken_by_reading(const std::vector<std::byte>& file) {
  const MemoryFile memory(file);
  watch_allocations();
  for (const bool salvage : {false, true}) {
    ReaderOptions options;
    options.memory_budget = kBudget;
    options.salvage = salvage;
    const auto reader = Reader::open(memory.path(), options);
    if (!reader) continue;
    for (;;) {
      const auto record = (*reader)->next();
      if (!record || !*record) break;
    }
    for (const BlobInfo& blob : (*reader)->blobs()) static_cast<void>((*reader)->blob(blob.digest));
    static_cast<void>((*reader)->gaps());
    static_cast<void>((*reader)->damaged_chunks());
  }
  return most_allocated();
}

TEST(Budget, HoldsForChunksThatUnpackToMuch) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const Compression codec : {Compression::lz4, Compression::zstd})
    for (const ChunkType type : {ChunkType::session, ChunkType::dictionary, ChunkType::records, ChunkType::blobs,
                                 ChunkType::files, ChunkType::references})
      for (const std::uint32_t first_word : {0u, 1u, 1000u, 0xffffffffu}) {
        const auto file = file_of(bomb(type, codec, std::uint64_t{64} << 20, first_word));
        EXPECT_LE(taken_by_reading(file), kBudget + kOverhead)
            << "chunk type " << static_cast<int>(type) << ", codec " << static_cast<int>(codec);
      }
}

TEST(Budget, HoldsForSmallFilesThatClaimMuch) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer has its own malloc";
  for (const ChunkType type : {ChunkType::session, ChunkType::dictionary, ChunkType::records, ChunkType::blobs,
                               ChunkType::segment, ChunkType::index, ChunkType::files, ChunkType::references})
    for (const std::uint64_t claimed :
         {std::uint64_t{1} << 20, std::uint64_t{1} << 30, std::uint64_t{1} << 40, UINT64_MAX}) {
      Part part = bomb(type, Compression::none, 512, 0xffffffff);
      part.header.raw_bytes = claimed;
      auto file = file_of(part);
      EXPECT_LE(file.size(), 1024u);
      EXPECT_LE(taken_by_reading(file), kBudget)
          << "chunk type " << static_cast<int>(type) << ", raw bytes " << claimed;
      part.header.raw_bytes = 512;
      part.claimed = claimed;
      EXPECT_LE(taken_by_reading(file_of(part)), kBudget)
          << "chunk type " << static_cast<int>(type) << ", stored bytes " << claimed;
    }
}

// The counter itself: what is not counted would always fit.
TEST(Budget, CountsWhatIsAllocated) {
  if (!allocations_are_counted()) GTEST_SKIP() << "a sanitizer has its own malloc";
  watch_allocations();
  {
    // Clang leaves out allocations that nothing uses.
    const std::vector<std::byte> some(std::size_t{3} << 20);
    const std::byte* volatile used = some.data();
    EXPECT_NE(used, nullptr);
  }
  EXPECT_GE(most_allocated(), std::size_t{3} << 20);
  EXPECT_LT(most_allocated(), std::size_t{4} << 20);
}

}  // namespace
}  // namespace rondo::fuzz
