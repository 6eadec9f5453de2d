// SPDX-License-Identifier: Apache-2.0
// Steps through the records of a chunk or segment, trusting none of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "format/container.h"

namespace rondo {

// How many more calls of its thread have no second part with this record than before it: 1, 0 or -1.
inline int opened_by(const RecordHeader& header) {
  if ((header.flags & kRecordKindMask) == kRecordResult) return -1;
  return (header.flags & kRecordTwoPart) != 0 ? 1 : 0;
}

class RecordWalk {
 public:
  // `bytes` must outlive the walk.
  RecordWalk(std::span<const std::byte> bytes, std::uint64_t base_sequence)
      : bytes_(bytes), last_sequence_(base_sequence) {}

  // Moves to the next record. False at the end, and at a record that cannot be.
  bool next();
  bool damaged() const { return damaged_; }

  // Of the record that next() moved to.
  const RecordHeader& header() const { return header_; }
  std::uint16_t kind() const { return header_.flags & kRecordKindMask; }
  bool numbered() const { return kind() == kRecordCall || kind() == kRecordVoid; }
  std::span<const std::byte> record() const { return bytes_.subspan(start_, header_.bytes); }
  std::span<const std::byte> body() const { return record().subspan(sizeof(RecordHeader)); }
  std::size_t offset() const { return start_; }
  // The last number so far: this record's, if it is numbered.
  std::uint64_t last_sequence() const { return last_sequence_; }

 private:
  std::span<const std::byte> bytes_;
  RecordHeader header_{};
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  std::uint64_t last_sequence_;
  bool damaged_ = false;
};

// What a record says besides its payload.
struct RecordBody {
  bool has_return = false;
  bool has_times = false;
  std::int64_t return_value = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::span<const std::byte> payload;
};
// Takes a record's body apart. `last_time_ns` is the last time of the chunk so
// far and moves on. False when the body is cut off or its times overflow.
bool parse_body(const RecordHeader& header, std::span<const std::byte> body, std::uint64_t& last_time_ns,
                RecordBody& out);

}  // namespace rondo
