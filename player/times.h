// SPDX-License-Identifier: Apache-2.0
// What iterations took, and what can be said of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::player {

// Seconds. Restoring, comparing and pictures are in none of them.
struct IterationTimes {
  double work = 0;  // from before the first submit to the end of the last wait, or to when the device is idle
  double span = 0;  // from the first call of the span to there
  double cpu = 0;   // of the thread that plays, the driver's part on it included
};

struct Spread {
  double min = 0, median = 0, p95 = 0;
  double variation = 0;  // coefficient of: standard deviation by mean; 0: of a single one
};
// Of one value or more. p95 is the smallest that 95 % do not exceed.
Spread spread_of(std::vector<double> values);

// A table: a row for each kind of time.
std::string times_table(const std::vector<IterationTimes>& iterations);

}  // namespace rondo::player
