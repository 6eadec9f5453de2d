// SPDX-License-Identifier: Apache-2.0
// Are two samples of times from the same distribution, and by what factor do they differ? Nothing is assumed
// of the distribution's shape: times of a machine that does other things have long tails. Any thread.
#pragma once

#include <cstddef>
#include <optional>
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

// By what factor the values of `b` are larger than those of `a`, as natural logarithms: 0 is no difference.
// With `a` and `b` exchanged, each number is exactly the negative, and lower and upper are exchanged.
struct LogRatio {
  double median = 0;  // of log(y / x) over all pairs of an x of `a` and a y of `b` (Hodges and Lehmann)
  // The interval of confidence 1 - alpha: the factors that mann_whitney() would not reject. It is above 0 if
  // and only if p < alpha and `b` is the larger one; with ties it may be wider.
  double lower = 0, upper = 0;
};
// Values of 0 or more, at least one in each. Nothing where no interval has this confidence: least_p() >=
// alpha.
std::optional<LogRatio> log_ratio(std::span<const double> a, std::span<const double> b, double alpha);

// How alike neighbours in a sample are: the correlation of the rank of each value with that of the next one,
// -1 to 1. Near 0 where values are independent. 0 for fewer than three values, and where all are the same.
double serial_correlation(std::span<const double> values);

}  // namespace rondo::analyzers
