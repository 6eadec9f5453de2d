// SPDX-License-Identifier: Apache-2.0
// A records chunk's payload holds its records in three columns, headers, times
// and the rest, because each compresses better among its own kind (a capture
// of small frames by a tenth). docs/format.md, "Records chunks".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/chunk_io.h"
#include "format/container.h"

namespace rondo {

struct ColumnSizes {
  std::uint64_t header_bytes;  // a multiple of sizeof(RecordHeader)
  std::uint64_t time_bytes;
};
static_assert(sizeof(ColumnSizes) == 16);

// Gathers a chunk's records. Keeps its storage from chunk to chunk.
class RecordColumns {
 public:
  void clear();
  // False when the body is not what the header's flags say.
  bool add(const RecordHeader& header, std::span<const std::byte> body);
  bool empty() const { return headers_.empty(); }
  // The payload, in pieces that stay valid until the next call.
  std::array<std::span<const std::byte>, 4> payload();

 private:
  ColumnSizes sizes_{};
  std::vector<std::byte> headers_, times_, rest_;
};

// The records as they were, one after the other; nullopt when the columns do
// not fit together.
std::optional<Payload> join_columns(std::span<const std::byte> payload);

// The records of a records chunk, joined, or of a segment, where they lie so.
Result<Payload> load_records(const File& file, const ChunkInfo& chunk, std::size_t budget);

}  // namespace rondo
