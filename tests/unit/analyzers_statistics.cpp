// SPDX-License-Identifier: Apache-2.0
// The statistics of rondo compare-runs against published tables, against every permutation and against
// their own definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analyzers/analysis/profile.h"
#include "analyzers/measure/statistics.h"
#include "tests/unit/noise.h"

namespace rondo::analyzers {
namespace {

using Values = std::vector<double>;

// A sample of m values, none tied, of which U is u beside 1, 2, … n.
Values with_u(std::size_t n, std::size_t m, std::size_t u) {
  Values values;
  for (std::size_t j = 0; j < m; ++j) {
    const std::size_t above = std::min(n, u);
    u -= above;
    values.push_back(static_cast<double>(above) + 0.5 + static_cast<double>(j) * 1e-3);
  }
  return values;
}

Values counted(std::size_t n) {
  Values values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

double u_of(const Values& a, const Values& b) {
  double u = 0;
  for (const double x : a)
    for (const double y : b) u += y > x ? 1 : y == x ? 0.5 : 0;
  return u;
}

// By its definition: the share of all ways to part the values at which U is as far from its mean.
double p_of_permutations(const Values& a, const Values& b) {
  Values all = a;
  all.insert(all.end(), b.begin(), b.end());
  const double mean = static_cast<double>(a.size() * b.size()) / 2, far = std::abs(u_of(a, b) - mean);
  std::vector<bool> in_b(all.size(), false);
  std::fill(in_b.end() - static_cast<std::ptrdiff_t>(b.size()), in_b.end(), true);
  double ways = 0, as_far = 0;
  do {
    Values one, other;
    for (std::size_t i = 0; i < all.size(); ++i) (in_b[i] ? other : one).push_back(all[i]);
    ways += 1;
    as_far += std::abs(u_of(one, other) - mean) >= far ? 1 : 0;
  } while (std::next_permutation(in_b.begin(), in_b.end()));
  return as_far / ways;
}

TEST(MannWhitney, HasTheCriticalValuesOfPublishedTables) {
  // The largest U that is significant at 0.05, two-sided (Mann and Whitney's test, table of critical values).
  const struct {
    std::size_t n, m, u;
  } table[] = {{4, 4, 0},    {5, 5, 2},   {5, 8, 6},    {6, 6, 5},     {8, 8, 13},
               {10, 10, 23}, {12, 7, 18}, {15, 15, 64}, {20, 20, 127}, {9, 20, 48}};
  for (const auto& [n, m, u] : table) {
    SCOPED_TRACE(n * 100 + m);
    const MannWhitney at = mann_whitney(counted(n), with_u(n, m, u));
    EXPECT_TRUE(at.exact);
    EXPECT_EQ(at.u, static_cast<double>(u));
    EXPECT_LE(at.p, 0.05);
    EXPECT_GT(mann_whitney(counted(n), with_u(n, m, u + 1)).p, 0.05);
    // Two-sided: as far on the other side.
    EXPECT_NEAR(mann_whitney(counted(n), with_u(n, m, n * m - u)).p, at.p, 1e-12);
  }
}

TEST(MannWhitney, IsTheShareOfAllPermutations) {
  const Values a{3, 9, 1, 14}, samples[] = {{2, 4, 8, 15, 20}, {10, 11, 12}, {30, 31, 32, 33, 34, 35}, {7}};
  for (const Values& b : samples) {
    SCOPED_TRACE(b.size());
    const MannWhitney result = mann_whitney(a, b);
    EXPECT_TRUE(result.exact);
    EXPECT_EQ(result.u, u_of(a, b));
    EXPECT_NEAR(result.p, p_of_permutations(a, b), 1e-12);
    EXPECT_NEAR(mann_whitney(b, a).p, result.p, 1e-12);
  }
}

TEST(MannWhitney, OfManyIsNormalAndCorrectedForContinuity) {
  Values a = counted(60), b = counted(60);
  for (double& v : b) v += 9.25;
  const MannWhitney result = mann_whitney(a, b);
  EXPECT_FALSE(result.exact);
  EXPECT_EQ(result.u, 2325);
  // z = (2325 - 1800 - 0.5) / sqrt(60 * 60 * 121 / 12)
  EXPECT_NEAR(result.p, std::erfc(524.5 / std::sqrt(36300.0) / std::sqrt(2.0)), 1e-12);
  // Of the largest samples that are exact it is near, too.
  const MannWhitney exact = mann_whitney(counted(50), with_u(50, 50, 900));
  EXPECT_TRUE(exact.exact);
  EXPECT_NEAR(exact.p, std::erfc((1250 - 900 - 0.5) / std::sqrt(2500.0 * 101 / 12) / std::sqrt(2.0)), 5e-4);
}

TEST(MannWhitney, OfTiedValuesIsNormalAndCorrectedForThem) {
  // Ranks 1.5 (two ones), 4 (three twos), 7 (three threes): those of b are 4 + 3 * 7, U = 25 - 10.
  // The variance is 16 / 12 * (9 - (6 + 24 + 24) / (8 * 7)); z = (15 - 8 - 0.5) / 3.27327.
  const MannWhitney result = mann_whitney(Values{1, 1, 2, 2}, Values{2, 3, 3, 3});
  EXPECT_FALSE(result.exact);
  EXPECT_EQ(result.u, 15);
  EXPECT_NEAR(result.p, 0.0470574, 1e-7);
  const MannWhitney same = mann_whitney(Values{2, 2, 2, 2, 2}, Values{2, 2, 2, 2, 2});
  EXPECT_EQ(same.p, 1);
  EXPECT_EQ(same.u, 12.5);
}

TEST(MannWhitney, OfFewCannotBeSignificant) {
  EXPECT_NEAR(least_p(3, 3), 0.1, 1e-12);
  EXPECT_NEAR(least_p(4, 4), 2.0 / 70, 1e-12);
  EXPECT_NEAR(least_p(2, 8), 2.0 / 45, 1e-12);
  EXPECT_EQ(least_p(1, 1), 1);
  EXPECT_NEAR(mann_whitney(counted(4), with_u(4, 4, 0)).p, least_p(4, 4), 1e-12);
}

TEST(Median, OfEvenCountsLiesBetween) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 2, 9}), 3);
}

// ---- the interval of the ratio

TEST(LogRatio, HoldsTheFactorsThatTheTestDoesNotReject) {
  test::Noise noise(1);
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{4, 4}, {5, 9}, {12, 12}, {60, 55}}) {
    SCOPED_TRACE(n * 100 + m);
    const Values a = noise.times(n, 1, 0.1), b = noise.times(m, 1.1, 0.1);
    const auto ratio = log_ratio(a, b, 0.05);
    ASSERT_TRUE(ratio);
    EXPECT_LE(ratio->lower, ratio->median);
    EXPECT_LE(ratio->median, ratio->upper);
    for (int i = 0; i < 200; ++i) {
      const double factor = -0.5 + 0.005 * i;
      Values scaled = a;
      for (double& value : scaled) value *= std::exp(factor);
      EXPECT_EQ(factor > ratio->lower && factor < ratio->upper, mann_whitney(scaled, b).p >= 0.05) << factor;
    }
  }
}

TEST(LogRatio, IsOfOrderedRatiosOfPairs) {
  // Of 4 and 4 only samples without overlap are significant: the interval is that of all ratios.
  const auto all = log_ratio(Values{1, 2, 4, 8}, Values{10, 20, 40, 80}, 0.05);
  ASSERT_TRUE(all);
  EXPECT_NEAR(std::exp(all->lower), 10.0 / 8, 1e-12);
  EXPECT_NEAR(std::exp(all->upper), 80, 1e-12);
  EXPECT_NEAR(std::exp(all->median), 10, 1e-12);
  // Of 5 and 5 the critical value is 2: the third of the 25 ratios, 2^-4, 2^-3 twice, 2^-2 three times, …
  const auto third = log_ratio(Values{1, 2, 4, 8, 16}, Values{1, 2, 4, 8, 16}, 0.05);
  ASSERT_TRUE(third);
  EXPECT_NEAR(third->lower, -3 * std::log(2.0), 1e-12);
  EXPECT_EQ(third->median, 0);
  EXPECT_FALSE(log_ratio(Values{1, 2, 3}, Values{4, 5, 6}, 0.05)) << "least p is 0.1";
  EXPECT_TRUE(log_ratio(Values{1, 2, 3}, Values{4, 5, 6}, 0.11));
}

TEST(LogRatio, OfExchangedSamplesIsTheExactNegative) {
  test::Noise noise(2);
  for (std::size_t n = 4; n < 40; ++n) {
    Values a = noise.times(n, 1, 0.3), b = noise.times(44 - n, 1.2, 0.3);
    if (n % 3 == 0) a[0] = 0;
    if (n % 5 == 0) b[0] = b[1] = 0;
    if (n % 4 == 0) b[2] = a[1];
    const auto forth = log_ratio(a, b, 0.05), back = log_ratio(b, a, 0.05);
    ASSERT_TRUE(forth && back);
    EXPECT_EQ(forth->median, -back->median);
    EXPECT_EQ(forth->lower, -back->upper);
    EXPECT_EQ(forth->upper, -back->lower);
  }
}

TEST(LogRatio, FromNothingIsInfinite) {
  const auto from = log_ratio(Values{0, 0, 0, 0}, Values{1, 2, 3, 4}, 0.05);
  ASSERT_TRUE(from);
  EXPECT_EQ(from->median, HUGE_VAL);
  EXPECT_EQ(from->lower, HUGE_VAL);
  const auto none = log_ratio(Values{0, 0, 0, 0}, Values{0, 0, 0, 0}, 0.05);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->lower, 0);
  EXPECT_EQ(none->upper, 0);
}

TEST(LogRatio, HoldsTheTrueFactorAsOftenAsItSays) {
  test::Noise noise(3);
  int holds = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto ratio = log_ratio(noise.times(10, 1, 0.2), noise.times(10, 1.3, 0.2), 0.05);
    ASSERT_TRUE(ratio);
    holds += ratio->lower < std::log(1.3) && std::log(1.3) < ratio->upper ? 1 : 0;
  }
  EXPECT_GE(holds, 935);
  EXPECT_LE(holds, 980) << "an interval that is wider than asked for says less than it could";
}

TEST(SerialCorrelation, IsOfNeighboursRanks) {
  EXPECT_EQ(serial_correlation(Values{1, 2}), 0);
  EXPECT_EQ(serial_correlation(Values{5, 5, 5, 5}), 0);
  // Ranks about their mean: -7 -5 -3 -1 1 3 5 7, and 105 of 168.
  EXPECT_NEAR(serial_correlation(counted(8)), 0.625, 1e-12);
  // -5 5 -3 3 -1 1
  EXPECT_NEAR(serial_correlation(Values{1, 9, 2, 8, 3, 7}), -53.0 / 70, 1e-12);
  test::Noise noise(4);
  EXPECT_LT(std::abs(serial_correlation(noise.times(400, 1, 0.1))), 0.15);
}

TEST(Profile, IsNoisyWhereItsMediansAreFarAboveItsMinima) {
  Profile profile;
  profile.rows = {ProfileRow{}, ProfileRow{}};
  profile.rows[0].min = 10, profile.rows[0].median = 14;
  profile.rows[1].min = 1, profile.rows[1].median = 2;  // a small one may vary
  profile.host_without = 1, profile.host_with = 1.2;    // timestamps cost time
  EXPECT_FALSE(is_noisy(profile));
  profile.rows[0].median = 20;
  EXPECT_TRUE(is_noisy(profile));
  profile.rows[0].median = 10;
  profile.host_with = 0.9;  // and save none
  EXPECT_TRUE(is_noisy(profile));
}

}  // namespace
}  // namespace rondo::analyzers
