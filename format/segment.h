// SPDX-License-Identifier: Apache-2.0
// A spool segment: a piece of the file that one thread writes records into
// through a shared mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "format/container.h"
#include "format/file.h"

namespace rondo {

struct Segment {
  std::byte* map = nullptr;  // ChunkHeader, then the records
  std::size_t bytes = 0;     // of the mapping, a multiple of the segment size
  std::uint64_t offset = 0;  // in the file

  // Guarded by the writer's mutex.
  bool in_use = false;     // has records that no chunk holds yet
  bool in_stream = false;  // finish() found it open: a thread may still write there
  // For finish(): how far the numbers of this segment have been counted.
  std::size_t counted_bytes = 0;
  std::uint64_t counted_sequence = 0;
  std::uint64_t counted = 0;
  std::int64_t counted_open = 0;  // calls less second parts

  ChunkHeader* header() const { return reinterpret_cast<ChunkHeader*>(map); }
  std::byte* records() const { return map + sizeof(ChunkHeader); }
  std::uint64_t committed() const;              // any thread
  std::span<const std::byte> content() const {  // any thread
    return {records(), static_cast<std::size_t>(committed())};
  }

  // Gives the segment to a thread: a header appears that a reader accepts.
  void open(std::uint32_t thread, std::uint32_t ordinal, std::uint64_t base_sequence, std::uint64_t base_time_ns);
  // Its content is elsewhere now: readers pass over it.
  void retire() const;
};

// Allocates and maps [offset, offset + bytes) of `file`, every page present, so
// that storing into it can neither fault on a full disk nor be slow. Returns
// errno or 0. A forked child does not have the mapping.
int map_segment(const File& file, std::uint64_t offset, std::size_t bytes, Segment& out);
void unmap_segment(Segment& segment);
// Puts private memory under whoever still writes there. Returns errno or 0.
int detach_segment(Segment& segment);

}  // namespace rondo
