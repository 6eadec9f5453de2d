// SPDX-License-Identifier: Apache-2.0
// What a profile keeps of each item and row while it is made: some 60 bytes an item and 4 more an iteration,
// and no WorkItem.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/analysis/profile.h"

namespace rondo::analyzers {

// Calls come in this order: add() for each item, then timed(), then the takes, then finish(). One thread.
class ProfileSamples {
 public:
  ProfileSamples(const WorkWalk& work, const ProfileWanted& wanted);

  // The next item that was asked for.
  void add(const WorkItem& item);
  // Parallel to the items; lives as long as this.
  void timed(const std::vector<ItemTimes>& times);
  // Adds one iteration: what CommandTimes::times() and probes() returned after it.
  void take(std::span<const double> times, std::span<const double> probes);
  // Pipeline statistics of an item, once. Where that is a draw in a render pass, the row of the pass has
  // them, too.
  void take_statistics(std::uint32_t item, const player::Statistics& counts);
  // `timer`: nanoseconds of a tick. Fills in the `top` longest rows, their statistics and what is counted
  // over all items.
  void finish(double timer, std::size_t top, Profile& out);

  std::uint64_t items() const { return flags_.size(); }
  // Draws that are in rows by themselves, and not as a part of their render pass.
  static bool counts_draws(GroupBy by, bool draws);

 private:
  enum Flag : std::uint8_t { kHasCost = 1, kIsDraw = 2, kUnknownBytes = 4, kCounted = 8 };
  // A group. With GroupBy::none each item that is timed is a row, and there are none of these.
  struct Group {
    std::string key;
    ObjectId pipeline = 0;  // where pipelines are the groups: the one of this group, which gives it its name at the end
    std::uint32_t first_item = 0;
    std::uint32_t parent = player::kNone;  // the row that counts these items, too; kNone: none
  };
  std::uint32_t group(const std::string& key, const WorkItem& item, std::uint32_t parent = player::kNone);
  std::uint32_t label_group(const WorkItem& item);
  bool is_timed(std::size_t item) const {
    return (*times_)[item].begin != player::kNone && (*times_)[item].end != player::kNone;
  }
  std::size_t rows() const { return by_ == GroupBy::none ? item_of_row_.size() : groups_.size(); }
  template <class Visit>
  void each_row(std::uint32_t item, Visit&& visit) const;
  void add_statistics(std::uint32_t item, const player::Statistics* counts);
  player::Spread spread(std::size_t row) const;
  ProfileRow row(std::size_t row, double timer) const;

  const WorkWalk& work_;
  const GroupBy by_;
  const bool draws_, statistics_wanted_;
  const std::vector<ItemTimes>* times_ = nullptr;
  // By item.
  std::vector<std::uint32_t> row_of_;  // kNone: in no row
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint8_t> flags_;  // Flag
  std::vector<std::uint32_t>
      pass_of_;  // of a draw in a render pass: the pass, as an item; kNone. Empty: no statistics are wanted
  std::uint64_t pass_submit_ = 0;  // of the last render pass
  std::uint32_t pass_ = WorkItem::kNoPass, pass_item_ = player::kNone;
  // By row.
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::uint32_t> group_by_key_;
  std::vector<std::uint32_t> item_of_row_;     // of GroupBy::none
  std::vector<std::uint32_t> timed_items_;     // in the last iteration
  std::vector<double> begins_;                 // likewise: of its first item. Of GroupBy::none alone
  std::vector<std::vector<float>> values_;     // of each iteration
  std::vector<RowStatistics> row_statistics_;  // empty: none came
  RowStatistics all_statistics_;
  std::vector<double> costs_;  // of each iteration
  std::uint64_t timed_ = 0;    // items of the last iteration that have a time
};

}  // namespace rondo::analyzers
