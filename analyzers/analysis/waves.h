// SPDX-License-Identifier: Apache-2.0
// Waves of a capture: what the data lets execute together, against what the program's synchronization lets execute
// together. An item of the first wave needs no other item of the device; an item of wave N needs one of wave N - 1. A
// region is the same of what the program orders. Only what a device works at is an item of a wave: commands that touch
// memory, draws, dispatches, and whole render passes. Layout transitions, presents and calls of the host take no time
// and are in no wave, but paths lead through them. No device. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzers/analysis/graph/has_paths.h"
#include "analyzers/analysis/graph/need_lists.h"
#include "analyzers/analysis/graph/sync_verdicts.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/has_order.h"
#include "analyzers/analysis/measured_times.h"
#include "analyzers/analysis/work_span.h"

namespace rondo::analyzers {

// Sums over the whole span or over one frame. With a profile lengths are nanoseconds, else numbers of items.
struct WaveTotals {
  std::uint64_t frame = 0;
  std::uint64_t items = 0;
  std::uint64_t waves = 0;          // with possible needs
  std::uint64_t certain_waves = 0;  // without. Of a frame: 0
  std::uint64_t regions = 0;        // what the program asks for
  std::uint64_t timed = 0;          // items that have a time
  std::uint64_t below_timer = 0;    // of these: shorter than the clock of the device can tell
  std::uint64_t work = 0;           // T1: the sum of all items
  std::uint64_t data = 0;           // T-infinity: the longest path that the data forces
  std::uint64_t program = 0;        // the longest path that the program orders
  double measured = 0;              // ns, from the begin of the first item to the end of the last one
};

// Items that need one another in no way.
struct Wave {
  std::vector<std::uint32_t> items;    // ascending
  std::uint64_t sum = 0, longest = 0;  // lengths
  std::vector<std::uint32_t> regions;  // that the items are in, ascending
};

// A synchronization command or call, executed once, on the longest path that the program orders.
struct WaveCost {
  std::uint32_t operation = 0;   // HasGraph::operations
  std::uint64_t saves = 0;       // so much shorter would the longest path be without it alone
  graph::SyncVerdict verdict{};  // of `rondo sync`
};

// Device work that needs nothing of the host in between.
struct Partition {
  enum class End : std::uint8_t { host_write, read_back, present, capture };
  std::uint32_t first = 0, last = 0;  // items
  std::uint64_t items = 0, submits = 0;
  End end = End::capture;    // why what comes next cannot follow at once
  std::uint64_t by = 0;      // the call of the host, as a record; of the end of the capture: 0
  bool is_possible = false;  // nobody knows that the host reads, but it could
};
const char* word_of(Partition::End end);

// A wait of the host after which it used nothing that the work had written.
struct IdleWait {
  std::uint64_t record = 0;
  CommandId command{};
};

class Waves {
 public:
  // Walks the capture. `times`: null: each item counts 1.
  static Result<Waves> of(const std::string& path, const SpanRequest& span, const MeasuredTimes* times);

  bool is_timed() const { return is_timed_; }
  const WaveTotals& all() const { return all_; }
  const std::vector<WaveTotals>& frames() const { return frames_; }  // that have items
  std::vector<Wave> waves() const;
  std::uint64_t length(std::uint32_t item) const { return lengths_[item]; }
  const ItemNames& names() const { return names_; }
  const HasOrder& order() const { return *order_; }
  const GraphTotals& totals() const { return totals_; }

  // The longest paths: of the data, and of the program.
  const std::vector<graph::PathStep>& data_path() const { return data_path_; }
  const std::vector<graph::PathStep>& program_path() const { return program_path_; }
  // For each step of the program's path: true if its item also needs the item of the step before, directly or through
  // others. Nothing: it was not found out (NeedLists::leads()).
  std::vector<std::optional<bool>> needed_steps() const;

  // The synchronization that costs most on the program's path, at most so many; the first costs most. Without those
  // that cost nothing alone.
  static constexpr std::size_t kMostCosts = 10;
  std::vector<WaveCost> costs() const;
  // Commands and calls on the program's path that somebody could leave out.
  std::uint64_t candidates() const { return candidates_.size(); }

  std::vector<Partition> partitions() const;
  std::vector<IdleWait> idle_waits() const;

 private:
  Waves() = default;
  class Visitor;
  void measure();
  void measure_frames();
  void find_candidates();
  const graph::SyncVerdicts& verdicts() const;

  bool is_timed_ = false;
  std::unique_ptr<HasOrder> order_;
  std::unique_ptr<graph::HasPaths> paths_;
  graph::NeedLists needs_;
  ItemNames names_;
  GraphTotals totals_;
  WaveTotals all_;
  std::vector<WaveTotals> frames_;
  // By item.
  std::vector<graph::ItemKind> kinds_;
  std::vector<std::uint64_t> at_, frame_of_;   // WorkItem::at, and frame
  std::vector<std::uint64_t> ones_, lengths_;  // 1 for what counts as an item of the span; its length
  std::vector<double> begins_;                 // of the profile, in ns; less than 0: it has no time
  std::vector<bool> below_timer_;              // likewise
  std::vector<std::uint64_t> wave_of_, region_of_;
  std::vector<graph::PathStep> data_path_, program_path_;
  std::vector<std::uint32_t> candidates_;  // first operations of commands, ascending
  mutable std::optional<graph::SyncVerdicts> verdicts_;
};

}  // namespace rondo::analyzers
