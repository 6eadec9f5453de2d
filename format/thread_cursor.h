// SPDX-License-Identifier: Apache-2.0
// One thread's records in a capture, decompressed as they are needed. Looks
// ahead for the second parts of calls.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "format/chunk_io.h"
#include "format/reader.h"
#include "format/record_walk.h"

namespace rondo {

// Bytes of decompressed chunks that a reader holds.
struct MemoryUse {
  std::size_t budget = 0;
  std::size_t records = 0;
  std::size_t blobs = 0;  // cached; may be dropped at any time
  std::size_t left_for_records() const { return budget > records ? budget - records : 0; }
};

class ThreadCursor {
 public:
  // `file`, `chunks` and `memory` outlive the cursor.
  ThreadCursor(const File& file, std::vector<const ChunkInfo*> chunks, MemoryUse& memory)
      : file_(file), chunks_(std::move(chunks)), memory_(memory) {}
  ThreadCursor(ThreadCursor&&) = delete;
  ~ThreadCursor();

  // The number of this thread's next record; nullopt at the end. An error is
  // returned when the record it hit is next in turn, not when it is seen.
  Result<std::optional<std::uint64_t>> peek();
  // The record that peek() announced. nullopt: a void number. Its payload
  // lives until the next peek() or take().
  Result<std::optional<Record>> take();

 private:
  struct Loaded {
    const ChunkInfo* chunk;
    Payload payload;
    std::unique_ptr<RecordWalk> walk;
    std::uint64_t last_time_ns;
    std::uint64_t first_seen = 0;
  };
  struct Numbered {  // a call or a void, decoded
    const Loaded* in;
    RecordHeader header;
    std::uint64_t sequence;
    RecordBody body;
  };
  struct SecondPart {
    std::uint16_t flags;
    RecordBody body;
  };

  enum class Scan { found, nothing, failed };  // nothing: no chunk is left
  Scan scan();                                 // decodes one more record
  bool load_next();                            // false: failed, see `error_`
  bool accept(Loaded& in);                     // the record that in.walk stands on
  Scan damaged(const Loaded& in);
  void find_second_part(std::uint64_t sequence);
  void release_done();

  const File& file_;
  std::vector<const ChunkInfo*> chunks_;
  MemoryUse& memory_;
  std::size_t next_chunk_ = 0;
  std::deque<Loaded> loaded_;  // the last one is being scanned
  std::deque<Numbered> ahead_;
  std::unordered_map<std::uint64_t, SecondPart> second_parts_;
  std::uint64_t last_scanned_ = 0;  // number
  std::optional<Error> error_;
};

}  // namespace rondo
