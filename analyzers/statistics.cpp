// SPDX-License-Identifier: Apache-2.0
#include "analyzers/statistics.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rondo::analyzers {

namespace {

// P(U >= u) where every order of n + m different values is as likely as any
// other. Of those that U counts, the largest value is one of the n (it is above
// all m) or one of the m (it adds nothing): f(n, m, u) = f(n-1, m, u-m) + f(n, m-1, u).
double upper_tail(std::size_t n, std::size_t m, std::size_t u) {
  if (n > m) std::swap(n, m);  // U is distributed alike
  // shares[i][k]: of the orders of i values of the one and j of the other, those with U = k.
  // Shares and not counts, which would not fit.
  std::vector<std::vector<double>> shares(n + 1);
  for (std::size_t j = 0; j <= m; ++j) {
    for (std::size_t i = 0; i <= n; ++i) {
      std::vector<double> next(i * j + 1, 0.0);
      if (i + j == 0) next[0] = 1;
      const double of_first = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(i + j, 1));
      if (i != 0)
        for (std::size_t k = 0; k < shares[i - 1].size(); ++k) next[k + j] += of_first * shares[i - 1][k];
      if (j != 0)
        for (std::size_t k = 0; k < shares[i].size(); ++k) next[k] += (1 - of_first) * shares[i][k];
      shares[i] = std::move(next);
    }
  }
  double tail = 0;
  for (std::size_t k = n * m + 1; k-- > u;) tail += shares[n][k];  // the small ones first
  return tail;
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b) {
  struct Value {
    double value;
    bool of_b;
  };
  std::vector<Value> all;
  all.reserve(a.size() + b.size());
  for (const double v : a) all.push_back({v, false});
  for (const double v : b) all.push_back({v, true});
  std::sort(all.begin(), all.end(), [](const Value& x, const Value& y) { return x.value < y.value; });
  // Tied values share the mean of their ranks.
  double ranks_of_b = 0, ties = 0;
  bool tied = false;
  for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
    while (to < all.size() && all[to].value == all[from].value) ++to;
    const double rank = (static_cast<double>(from + to) + 1) / 2;
    for (std::size_t i = from; i < to; ++i)
      if (all[i].of_b) ranks_of_b += rank;
    const double t = static_cast<double>(to - from);
    ties += t * t * t - t;
    tied = tied || to - from > 1;
  }
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size()), sum = n + m;
  MannWhitney result;
  result.u = ranks_of_b - m * (m + 1) / 2;
  const double larger = std::max(result.u, n * m - result.u);
  if (!tied && a.size() * b.size() <= kMostExactPairs) {
    result.exact = true;
    result.p = std::min(1.0, 2 * upper_tail(a.size(), b.size(), static_cast<std::size_t>(larger)));
    return result;
  }
  const double variance = n * m / 12 * (sum + 1 - ties / (sum * (sum - 1)));
  if (!(variance > 0)) return result;  // all values are the same
  const double z = std::max(0.0, larger - n * m / 2 - 0.5) / std::sqrt(variance);
  result.p = std::erfc(z / std::sqrt(2.0));
  return result;
}

double least_p(std::size_t a, std::size_t b) {
  double p = 2;
  for (std::size_t i = 1; i <= std::min(a, b); ++i)
    p *= static_cast<double>(i) / static_cast<double>(std::max(a, b) + i);
  return std::min(1.0, p);
}

}  // namespace rondo::analyzers
