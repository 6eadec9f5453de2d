// SPDX-License-Identifier: Apache-2.0
// Turns what lies in the spool into chunks of the data region: splits a
// segment into records and blobs, gathers small blobs, keeps the dictionary to
// the names in use. Shared by the writer's background thread and
// finish_capture(). One thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/columns.h"
#include "format/data_region.h"
#include "format/digest.h"
#include "format/writer.h"

namespace rondo {

// Which structure ids were written; any thread sets, any reads.
class StructureSet {
 public:
  void add(std::uint16_t id) {
    std::atomic<std::uint64_t>& word = words_[id / 64];
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  bool has(std::uint16_t id) const { return (words_[id / 64].load(std::memory_order_relaxed) >> (id % 64) & 1) != 0; }
  void add_all() {
    for (auto& word : words_) word.store(~std::uint64_t{0}, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> words_[1024] = {};
};

class ChunkAssembler {
 public:
  // `rows` (with their names) and `structures` outlive the assembler.
  ChunkAssembler(DataRegion& region, std::span<const DictionaryEntry> rows, const StructureSet& structures);

  struct Segment {
    const ChunkHeader* header;
    std::span<const std::byte> records;  // what is committed
    std::uint64_t cut = UINT64_MAX;      // records from the first number above it are dropped
    bool records_known = false;          // they are in a chunk already: only the blobs count
  };
  // Afterwards the segment may be freed, unless `blobs_pending` was set: then
  // when flushes() has moved on. Returns errno or 0.
  int add_segment(const Segment& segment, bool& blobs_pending);
  // An uncompressed chunk of the spool, as it is.
  int add_chunk(const ChunkHeader& header, std::span<const std::byte> payload);
  int flush_blobs();
  std::uint64_t flushes() const { return flushes_; }  // how often pending blobs went to the file
  // Rows known to be in the file already.
  void mark_written(DictionaryKind kind, std::uint16_t id);
  // Appends the rows that records so far need and the file has not.
  int write_dictionary();
  int close(Ending ending, int exit_signal);

  // Records that lie in the file already (finish_capture).
  void count_existing(std::uint64_t numbered, std::uint64_t last_sequence, std::uint64_t calls);
  std::uint64_t numbered() const { return numbered_; }
  std::int64_t open_calls() const { return open_calls_; }  // whose second part has not come
  std::uint64_t calls() const { return calls_; }
  std::uint64_t last_sequence() const { return last_sequence_; }

 private:
  DataRegion& region_;
  std::span<const DictionaryEntry> rows_;
  const StructureSet& structures_;
  std::vector<bool> command_used_ = std::vector<bool>(65536);
  std::vector<bool> row_written_;
  RecordColumns columns_;
  std::vector<BlobEntry> blob_entries_;
  std::vector<std::byte> blob_bytes_;
  std::uint64_t flushes_ = 0;
  std::uint64_t numbered_ = 0;
  std::int64_t open_calls_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t last_sequence_ = 0;
};

}  // namespace rondo
