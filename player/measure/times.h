// SPDX-License-Identifier: Apache-2.0
// What iterations took, and what can be said of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::player {

double thread_cpu_seconds();  // of the calling thread

// Seconds. Restoring, comparing and pictures are in none of them.
struct IterationTimes {
  // From before the first submit to the end of the last wait, or to when the device is idle; of a scope that
  // is entered several times the time in any of them; of a span without submits all of it.
  double work = 0;
  double span = 0;              // from the first call of the span to there
  double cpu = 0;               // of the thread that plays, the driver's part on it included
  std::optional<double> gpu;    // in which the device worked at a submit of the span, where it can tell
  std::optional<double> label;  // … and at the commands of the label that the span is
};

// Of each frame, submit or occurrence of a scope in a span, from its first call to behind its last.
struct IntervalTimes {
  std::vector<std::string> names;  // "frame 3", "prefill#1"; empty: the span has one, or none
  std::vector<double> seconds;     // of iteration after iteration
  std::span<const double> of(std::size_t iteration) const {
    return std::span(seconds).subspan(iteration * names.size(), names.size());
  }
};

// Ticks of a counter that may run over, from an early one on or before it: `mask` has its valid bits.
std::int64_t ticks_since(std::uint64_t zero, std::uint64_t ticks, std::uint64_t mask);
using Interval = std::pair<std::int64_t, std::int64_t>;  // begin and end
// How much at least one of them covers. Sorts them; one or more.
std::int64_t covered_by(std::vector<Interval>& intervals);

struct Spread {
  double min = 0, median = 0, p95 = 0;
  double variation = 0;  // coefficient of: standard deviation by mean; 0: of a single one
};
// Of one value or more. p95 is the smallest that 95 % do not exceed.
Spread spread_of(std::vector<double> values);

// A table: a row for each kind of time, and for each interval (of very many the first).
std::string times_table(const std::vector<IterationTimes>& iterations, const IntervalTimes& intervals);

}  // namespace rondo::player
