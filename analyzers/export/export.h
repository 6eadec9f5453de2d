// SPDX-License-Identifier: Apache-2.0
// What all formats of `rondo export` are made of. No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/host_calls.h"
#include "analyzers/analysis/measured_times.h"
#include "format/result.h"

namespace rondo::analyzers {

// What is known before the first item is told.
struct ExportSource {
  std::string file;                 // path of the capture
  std::string capture_digest;       // XXH3-128 of its bytes
  std::string program;              // that was captured
  std::vector<HostCall> calls;      // of the span, in the order of their records
  std::vector<MemoryPoint> memory;  // likewise
  std::uint64_t first_ns = 0;       // of all calls, CLOCK_MONOTONIC; 0: none has times
  bool has_profile = false;
  MeasuredTimes times;      // empty: no profile was given
  bool unit_times = false;  // --order: each item is given kUnitNs, one after the other on its queue
  bool only_span = false;   // items outside of a span are not exported

  // The call of a record, or null: it has no times.
  const HostCall* call_of(std::uint64_t record) const;
  static constexpr std::uint64_t kUnitNs = 1000;
};

struct ExportedItem {
  const graph::Item& item;
  std::span<const graph::ItemNeed> needs;
  std::span<const graph::Piece> pieces;
  const MeasuredTime* time;  // null: it was not timed
};

// A file that was written.
struct ExportedFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string text;  // what it has, "2,410 nodes, 5,112 data dependencies"
};

class Exporter {
 public:
  virtual ~Exporter() = default;
  // As GraphVisitor, but for items outside of the span, which are not told.
  virtual void item(const GraphWalk& walk, const ExportedItem& exported) = 0;
  virtual void join(std::uint32_t /*join*/, std::span<const std::uint32_t> /*items*/) {}
  // The end: the files get their names. A later error of another format leaves them.
  virtual Result<std::vector<ExportedFile>> finish(const GraphWalk& walk, const GraphTotals& totals) = 0;
};

// True if the host itself does it, and no queue: a host write, a host copy, an acquire, a call that ends objects.
inline bool is_of_host(graph::ItemKind kind) {
  return kind == graph::ItemKind::host || kind == graph::ItemKind::acquire || kind == graph::ItemKind::lifetime;
}

// What a file says of itself: name, and value. What it is of, and what its times are.
std::vector<std::pair<std::string_view, std::string>> about(const ExportSource& source);

// "vkCmdDispatch VkPipeline#3 (gemm)": what an item is, in few words.
std::string short_name(const GraphWalk& walk, const WorkItem& item);

}  // namespace rondo::analyzers
