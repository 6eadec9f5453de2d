// SPDX-License-Identifier: Apache-2.0
// How `rondo memory` prints what it found: as text, and as JSON lines.
#pragma once

#include <cstdint>
#include <string>

#include "analyzers/analysis/memory_analysis.h"

namespace rondo::analyzers {

// What is printed besides the peaks and the counts.
struct MemoryWanted {
  bool classes = false, pack = false, timeline = false;
  std::uint64_t most = 10;  // of each list
};

class MemoryRows {
 public:
  MemoryRows(const MemoryAnalysis& analysis, const MemoryWanted& wanted, bool is_json)
      : analysis_(analysis), wanted_(wanted), is_json_(is_json) {}

  void peaks(std::string& out) const;
  void timeline(std::string& out) const;
  void classes(std::string& out) const;
  void advice(std::string& out) const;
  // `overlapping`: work of different queues is taken to run at the same time.
  void packing(std::string& out, const MemoryPacking& packing, bool overlapping) const;
  // What cannot move, and why.
  void stays(std::string& out, const MemoryPacking& packing) const;
  // The last row, or the last lines.
  void summary(std::string& out, const MemoryPacking& packing, const MemoryPacking* overlapping) const;

 private:
  std::string heap_text(const MemorySeries& series) const;
  std::string block_text(const MemoryBlock& block) const;
  void write_heap(JsonWriter& json, const MemorySeries& series) const;
  void write_block(JsonWriter& json, const MemoryBlock& block, bool overlapping) const;
  void peak_allocation(std::string& out, const MemorySeries& series, std::uint32_t allocation,
                       const std::vector<std::uint32_t>& there) const;
  void peak_members(std::string& out, const MemorySeries& series) const;
  void resource(std::string& out, std::uint32_t number) const;
  std::string name(ObjectId id) const;

  const MemoryAnalysis& analysis_;
  const MemoryWanted wanted_;
  const bool is_json_;
};

}  // namespace rondo::analyzers
