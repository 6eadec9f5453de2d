// SPDX-License-Identifier: Apache-2.0
// Are two samples of times from the same distribution? Nothing is assumed of
// its shape: times of a machine that does other things have long tails.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rondo::analyzers {

double median(std::vector<double> values);  // of one value or more

struct MannWhitney {
  double u = 0;        // pairs in which the value of `b` is the larger one, ties counted half
  double p = 1;        // two-sided
  bool exact = false;  // else by the normal approximation, corrected for ties and continuity
};
// One value or more in each. Exact where no values are tied and the product of
// the sizes is at most kMostExactPairs.
MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b);
inline constexpr std::size_t kMostExactPairs = 2500;

// The smallest p that samples of these sizes can have: all of one below all of the other.
double least_p(std::size_t a, std::size_t b);

}  // namespace rondo::analyzers
