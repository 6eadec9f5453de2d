// SPDX-License-Identifier: Apache-2.0
// How long a device works at each item of a span: the capture is played with timestamps around them. Needs a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzers/analysis/groups.h"
#include "analyzers/analysis/time_points.h"
#include "analyzers/analysis/work_walk.h"
#include "player/measure/times.h"
#include "player/options.h"
#include "player/play.h"

namespace rondo::analyzers {

struct ProfileWanted {
  player::Options replay;  // the file, the span, how often: all but what is timed
  ProfileMode mode = ProfileMode::natural;
  bool draws = false;  // also of the draws in render passes
  GroupBy by = GroupBy::none;
  bool statistics = false;            // also pipeline statistics, in a replay of their own
  std::vector<std::string> counters;  // also performance counters of these names, in replays of their own
  std::size_t top = SIZE_MAX;         // rows that are kept, the longest; fewer than all take less memory
};

// Of an item, or of all items of a group: nanoseconds, over the iterations.
struct ProfileRow {
  std::string group;        // empty: an item
  std::uint32_t item = 0;   // index into Profile::items. Of a group: nothing
  std::uint32_t last = 0;   // of ProfileMode::waves: likewise the last item of the group, of which `item` is the first
  std::uint64_t items = 1;  // in the group that were timed
  double min = 0, median = 0, p95 = 0;
  double share = 0;         // of the medians of all rows, 0 to 1
  std::uint64_t bytes = 0;  // that the items may touch: an upper bound
  bool bytes_unknown = false;
  bool below_timer = false;  // the median is less than kFewTicks ticks of the device's clock
  double begin = 0;          // of an item, in the last iteration, from the first timestamp of its device on
  std::uint32_t statistics = player::kNone;  // index into Profile::statistics; kNone: they were not asked for
  std::uint32_t counters = player::kNone;    // likewise into Profile::row_counters
};
inline constexpr double kFewTicks = 10;

// Pipeline statistics of the draws and dispatches of a row, in one iteration.
struct RowStatistics {
  player::Statistics sum{};
  std::uint64_t counted = 0, uncounted = 0;  // draws and dispatches
};

// What a device's performance counters say of the commands of a row, in one iteration.
struct RowCounters {
  std::vector<double> values;  // parallel to Profile::counters: sums or means (Counter::adds_up()); NaN: none has it
  std::uint64_t counted = 0, uncounted = 0;  // commands; those in a pass count for the pass, too
};

struct Profile {
  std::vector<WorkItem> items;   // all, or those that the rows are of. Empty: rows are groups
  std::vector<ProfileRow> rows;  // the longest first, at most ProfileWanted::top
  std::uint64_t row_count = 0;   // also those that are not in `rows`
  // Items, or groups of ProfileMode::waves, that were to be timed: draws in passes only where they were asked for, …
  std::uint64_t chosen = 0;
  std::uint64_t timed = 0;     // … of these: that have a time, …
  std::uint64_t repeated = 0;  // … or have none, because one command buffer executes their secondary more than once
  bool of_host = false;        // the devices have no timestamps: rows are submits, in the host's time
  std::vector<std::string> replaced;  // shaders: a line each
  std::vector<std::string> devices;
  double timer = 0;  // nanoseconds of a tick
  // isolated: of two timestamps and their barriers, in nanoseconds; is in no time of a row
  double cost = 0;
  // Medians, in seconds, of the whole span: played without timestamps around items, and with.
  std::optional<double> device_without, device_with;
  double host_without = 0, host_with = 0;
  std::size_t iterations = 0;
  std::vector<RowStatistics> statistics;  // empty: they were not asked for, or no device counts any
  RowStatistics all_statistics;           // the sum of all draws and dispatches of the span
  // of the uncounted: where a statistics query of the program's own may be active
  std::uint64_t in_own_queries = 0;
  bool lacks_statistics = false;          // they were asked for, and no device counts any
  std::vector<player::Counter> counters;  // empty: they were not asked for, or no device has any
  std::vector<RowCounters> row_counters;
  RowCounters all_counters;         // sums and means over all commands of the span
  std::size_t counter_replays = 0;  // that it took
  bool lacks_counters = false;      // they were asked for, and no device has any
  // How much longer the span takes with them: 0.02 is 2 %. By the device's time, else by the host's.
  double perturbation() const;
  WorkTotals totals;
};

// Plays all iterations: a replay that a signal interrupts is an error.
Result<player::Outcome> play_all(const player::Options& options);

// True if the medians say little: they are far above the minima, or the replay with timestamps took less than the one
// without.
bool is_noisy(const Profile& profile);

// Plays twice: without timestamps around items, and with. Plays once more for statistics, and for each group of
// counters. `work` is at its beginning, and has the names afterwards.
Result<Profile> profile(WorkWalk& work, const ProfileWanted& wanted);

}  // namespace rondo::analyzers
