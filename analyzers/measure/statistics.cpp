// SPDX-License-Identifier: Apache-2.0
#include "analyzers/measure/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace rondo::analyzers {

namespace {

// P(U = k) for k from 0 to n * m, where every order of n + m different values is as likely as any
// other. Of those that U counts, the largest value is one of the n (it is above
// all m) or one of the m (it adds nothing): f(n, m, u) = f(n-1, m, u-m) + f(n, m-1, u).
std::vector<double> order_shares(std::size_t n, std::size_t m) {
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
  return std::move(shares[n]);
}

// P(U >= u) for u from 0 to n * m. Rows of one file have samples of the same sizes: the last table is kept.
const std::vector<double>& upper_tails(std::size_t n, std::size_t m) {
  thread_local std::vector<double> tails;
  thread_local std::pair<std::size_t, std::size_t> sizes;
  if (tails.empty() || sizes != std::pair(n, m)) {
    tails = order_shares(n, m);
    for (std::size_t k = tails.size() - 1; k-- > 0;) tails[k] += tails[k + 1];  // the small ones first
    sizes = {n, m};
  }
  return tails;
}

double normal_p(double u, double pairs, double variance) {
  const double z = std::max(0.0, std::max(u, pairs - u) - pairs / 2 - 0.5) / std::sqrt(variance);
  return std::erfc(z / std::sqrt(2.0));
}

double untied_variance(double n, double m) { return n * m * (n + m + 1) / 12; }

// The largest u for which mann_whitney() of values without ties has p < alpha; nothing: it never has.
std::optional<std::size_t> critical_u(std::size_t n, std::size_t m, double alpha) {
  const std::size_t pairs = n * m;
  const auto is_rejected = [&](std::size_t u) {
    if (pairs <= kMostExactPairs) return 2 * upper_tails(n, m)[pairs - u] < alpha;
    const double all = static_cast<double>(pairs);
    return normal_p(static_cast<double>(u), all, untied_variance(static_cast<double>(n), static_cast<double>(m))) <
           alpha;
  };
  if (least_p(n, m) >= alpha || !is_rejected(0)) return std::nullopt;
  std::size_t rejected = 0, kept = pairs / 2 + 1;
  while (kept - rejected > 1) {
    const std::size_t middle = rejected + (kept - rejected) / 2;
    (is_rejected(middle) ? rejected : kept) = middle;
  }
  return rejected;
}

std::vector<double> sorted_logs(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));  // of 0: minus infinity
  std::sort(logs.begin(), logs.end());
  return logs;
}

double difference(double from, double to) { return from == to ? 0 : to - from; }  // also of two infinities

// Doubles as integers of the same order; 0 and -0 are two.
std::int64_t ordinal(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}
double of_ordinal(std::int64_t number) {
  return std::bit_cast<double>(number < 0 ? std::numeric_limits<std::int64_t>::min() - number : number);
}

// The k-th smallest difference, from 0, of all pairs of a value of `a` and one of `b`. Both are sorted. Takes
// no memory for the pairs: it halves the range of all doubles until one is left.
double nth_difference(const std::vector<double>& a, const std::vector<double>& b, std::size_t k) {
  const auto count_up_to = [&](double limit) {
    std::size_t count = 0, j = 0;
    for (const double from : a) {  // the larger `from`, the more of `b` are within the limit
      while (j < b.size() && difference(from, b[j]) <= limit) ++j;
      count += j;
    }
    return count;
  };
  std::int64_t low = ordinal(difference(a.back(), b.front())), high = ordinal(difference(a.front(), b.back()));
  while (low < high) {
    const std::int64_t middle = std::midpoint(low, high);  // rounds towards low
    if (count_up_to(of_ordinal(middle)) > k)
      high = middle;
    else
      low = middle + 1;
  }
  return of_ordinal(low) + 0.0;  // no -0
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
    result.p = std::min(1.0, 2 * upper_tails(a.size(), b.size())[static_cast<std::size_t>(larger)]);
    return result;
  }
  const double variance = n * m / 12 * (sum + 1 - ties / (sum * (sum - 1)));
  if (!(variance > 0)) return result;  // all values are the same
  result.p = normal_p(result.u, n * m, variance);
  return result;
}

double least_p(std::size_t a, std::size_t b) {
  double p = 2;
  for (std::size_t i = 1; i <= std::min(a, b); ++i)
    p *= static_cast<double>(i) / static_cast<double>(std::max(a, b) + i);
  return std::min(1.0, p);
}

std::optional<LogRatio> log_ratio(std::span<const double> a, std::span<const double> b, double alpha) {
  const auto critical = critical_u(a.size(), b.size(), alpha);
  if (!critical) return std::nullopt;
  const std::vector<double> from = sorted_logs(a), to = sorted_logs(b);
  const std::size_t pairs = a.size() * b.size();
  LogRatio ratio;
  ratio.lower = nth_difference(from, to, *critical);
  ratio.upper = nth_difference(from, to, pairs - 1 - *critical);
  const double left = nth_difference(from, to, (pairs - 1) / 2), right = nth_difference(from, to, pairs / 2);
  ratio.median = left == -right ? 0 : (left + right) / 2;
  return ratio;
}

double serial_correlation(std::span<const double> values) {
  if (values.size() < 3) return 0;
  // Twice the rank minus twice the mean rank: how many are smaller, less how many are larger.
  std::vector<double> sorted(values.begin(), values.end()), ranks;
  std::sort(sorted.begin(), sorted.end());
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back(static_cast<double>((first - sorted.begin()) - (sorted.end() - last)));
  }
  double squares = 0, products = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    squares += ranks[i] * ranks[i];
    if (i != 0) products += ranks[i - 1] * ranks[i];
  }
  return squares == 0 ? 0 : products / squares;
}

}  // namespace rondo::analyzers
