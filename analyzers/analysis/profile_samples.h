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
  // Likewise performance counters, once for each replay: `values` are those of `group`, NaN: there is none.
  void take_counters(std::uint32_t item, std::span<const std::uint32_t> group, std::span<const double> values);
  // Before the first of these: how many counters there are.
  void expect_counters(std::size_t counters) { counters_ = counters; }
  // `timer`: nanoseconds of a tick. Fills in the `top` longest rows, their statistics and what is counted
  // over all items.
  void finish(double timer, std::size_t top, Profile& out);

  std::uint64_t items() const { return flags_.size(); }
  bool any_timed() const { return timed_ != 0; }  // in the last iteration
  // Draws that are in rows by themselves, and not as a part of their render pass.
  static bool counts_draws(GroupBy by, bool draws);

 private:
  // kHasStatistics, kHasCounters: of the item there are some.
  enum Flag : std::uint8_t {
    kHasCost = 1,
    kIsDraw = 2,
    kUnknownBytes = 4,
    kHasStatistics = 8,
    kIsPass = 16,
    kHasCounters = 32
  };
  // A group. With GroupBy::none each item that is timed is a row, and there are none of these.
  struct Group {
    std::string key;
    // where pipelines are the groups: the one of this group, which gives it its name at the end
    ObjectId pipeline = ObjectId::null;
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
  // Visits the rows that the command is counted for, also that of its render pass.
  template <class Visit>
  void each_counting_row(std::uint32_t item, Visit&& visit) const;
  void add_statistics(std::uint32_t item, const player::Statistics* counts);
  void finish_counters(Profile& out);
  RowCounters counters_of(std::size_t row, const Profile& out) const;
  player::Spread spread(std::size_t row) const;
  ProfileRow row(std::size_t row, double timer) const;

  const WorkWalk& work_;
  const GroupBy by_;
  const bool draws_, statistics_wanted_, counters_wanted_;
  const std::vector<ItemTimes>* times_ = nullptr;
  // By item.
  std::vector<std::uint32_t> row_of_;  // kNone: in no row
  std::vector<std::uint64_t> bytes_;
  std::vector<std::uint8_t> flags_;  // Flag
  std::vector<std::uint32_t>
      pass_of_;  // of what is in a render pass: the pass, as an item; kNone. Empty: nothing is to be counted
  std::uint64_t pass_submit_ = 0;  // of the last render pass
  std::uint32_t pass_ = WorkItem::kNoPass, pass_item_ = player::kNone;
  // By row.
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::uint32_t> group_by_key_;
  std::uint32_t rest_row_ = player::kNone;     // of render passes what their draws do not take; kNone: there is none
  std::vector<std::uint32_t> item_of_row_;     // of GroupBy::none
  std::vector<std::uint32_t> timed_items_;     // in the last iteration
  std::vector<double> begins_;                 // likewise: of its first item. Of GroupBy::none alone
  std::vector<std::vector<float>> values_;     // of each iteration
  std::vector<RowStatistics> row_statistics_;  // empty: none came
  RowStatistics all_statistics_;
  std::size_t counters_ = 0;  // 0: none came
  // By row and counter, `counters_` of them a row, and one more row for all: sums, and of how many commands.
  std::vector<double> counter_sums_;
  std::vector<std::uint32_t> counter_numbers_;
  std::vector<std::uint64_t> row_counted_, row_uncounted_;  // likewise: commands
  std::vector<double> costs_;                               // of each iteration
  std::uint64_t timed_ = 0;                                 // items of the last iteration that have a time
};

}  // namespace rondo::analyzers
