// SPDX-License-Identifier: Apache-2.0
// Which timestamps tell the times of work items (player/measure/command_times.h), and whose they are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzers/analysis/wave_groups.h"
#include "analyzers/analysis/work.h"
#include "player/measure/command_times.h"

namespace rondo::analyzers {

enum class ProfileMode : std::uint8_t {
  natural,   // no barrier is added: work overlaps as in the program, and so do the times
  waves,     // no barrier is added: the times of groups that the program's own synchronization separates
  isolated,  // a full barrier before and after each item: what the item costs alone
};

// Where the times of an item stand: indexes into player::TimesWanted::order. Of what is counted both are the same.
struct ItemTimes {
  std::uint32_t begin = player::kNone, end = player::kNone;  // kNone: it is not timed
};

// Of ProfileMode::waves: items of a group, as indexes into TimePoints::items(). The first one has its times.
struct ItemGroup {
  std::uint32_t first = 0, last = 0;
  std::uint64_t items = 0;
};

class TimePoints {
 public:
  // `draws`: also of the draws in render passes, which no barrier can stand between.
  // `groups`: of ProfileMode::waves, which knows no draws in render passes.
  TimePoints(ProfileMode mode, bool draws, const WaveGroups* groups = nullptr)
      : mode_(mode), draws_(draws), groups_(groups) {}
  // No timestamps, but what is counted: statistics of each draw and dispatch, or counters of each command, also of
  // those in render passes. One query of a type may be active at a time. So a pass has no query of its own: its values
  // are the sums over the commands in it.
  explicit TimePoints(player::Measured counted) : mode_(ProfileMode::natural), draws_(true) { wanted_.what = counted; }

  // The items of a submit, as WorkList gives them.
  void take(std::span<const WorkItem> items);

  // After the last take().
  void finish();

  // Devices are made with calibrated timestamps where they have them.
  void ask_for_clocks() { wanted_.clocks = true; }
  // What one replay counts.
  void set_counters(std::vector<player::Counter> counters) { wanted_.counters = std::move(counters); }

  // These are valid after finish().
  const player::TimesWanted& wanted() const { return wanted_; }
  // Parallel to the items that were taken and are wanted.
  const std::vector<ItemTimes>& items() const { return items_; }
  // Of ProfileMode::waves, ascending.
  const std::vector<ItemGroup>& groups() const { return found_groups_; }
  // Items that are to be timed, or groups.
  std::uint64_t chosen() const { return chosen_; }
  // Items whose command buffer is executed more than once by one that executes it: their timestamps would be written
  // twice.
  std::uint64_t repeated() const { return repeated_; }

 private:
  struct Write {
    std::uint32_t item = 0;  // index into items_; kNone: of none
    std::uint32_t batch = 0, primary = 0;
    std::uint32_t point = 0;  // index into TimesWanted::points
    bool is_end = false;
  };
  std::uint32_t point(std::uint64_t record, bool after, bool barrier, std::uint32_t queries);
  bool is_chosen(const WorkItem& item) const;
  // `index` is the item's place in items_. kNone: the item was not asked for, but it executes commands that have
  // timestamps.
  void add(const WorkItem& item, std::uint32_t index, bool is_end);

  // Likewise, as an item of a group.
  void add_to_group(const WorkItem& item, std::uint32_t index);

  const ProfileMode mode_;
  const bool draws_;
  const WaveGroups* const groups_ = nullptr;
  std::vector<ItemGroup> found_groups_;
  std::optional<std::uint32_t> group_;  // of the item before; nothing: what comes next is of another group
  std::size_t group_end_ = 0;           // index into writes_: the end of that item
  player::TimesWanted wanted_;
  std::vector<ItemTimes> items_;
  std::unordered_map<std::uint64_t, std::uint32_t> point_at_;  // by record and side
  std::vector<bool> is_wanted_;    // parallel to TimesWanted::points: an item that was asked for has it
  std::vector<bool> is_repeated_;  // parallel to TimesWanted::points: written more than once in one command buffer
  std::uint64_t chosen_ = 0, repeated_ = 0;
  std::vector<Write> writes_;  // of the submit
};

}  // namespace rondo::analyzers
