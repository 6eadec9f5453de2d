// SPDX-License-Identifier: Apache-2.0
// Verdicts of rondo compare-runs and measure: on samples of known kinds, as often as they may be wrong.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzers/measure/comparison.h"
#include "tests/unit/noise.h"

namespace rondo::analyzers {
namespace {

using Values = std::vector<double>;
constexpr double kAlpha = 0.05, kNoThreshold = 0;

RunResults run_of(const Values& seconds, const std::string& name = "r.json") {
  RunResults results;
  results.path = name;
  results.samples.push_back({"replay", "seconds", true, seconds});
  return results;
}

Verdict verdict_of(const Side& before, const Side& after, double threshold) {
  ComparisonRules rules;
  rules.threshold = threshold;
  const auto comparison = compare_sides(before, after, rules);
  return comparison ? comparison->rows.at(0).judged.verdict : Verdict::too_few;
}

TEST(Judge, GoesByTheWholeInterval) {
  const auto verdict = [](double low, double high, double threshold) {
    // Of 4 and 4 the interval is that of all ratios: one side is constant.
    return judge(Values{1, 1, 1, 1}, Values{low, low, high, high}, threshold, kAlpha).verdict;
  };
  EXPECT_EQ(verdict(0.96, 1.04, 0.05), Verdict::same);
  EXPECT_EQ(verdict(0.94, 1.04, 0.05), Verdict::unclear);
  EXPECT_EQ(verdict(0.96, 1.06, 0.05), Verdict::unclear);
  EXPECT_EQ(verdict(1.02, 1.20, 0.05), Verdict::slower);
  EXPECT_EQ(verdict(0.99, 1.50, 0.05), Verdict::unclear) << "1 is in the interval";
  EXPECT_EQ(verdict(1.02, 1.06, 0.05), Verdict::unclear) << "slower, and perhaps by more";
  EXPECT_EQ(verdict(1.01, 1.04, 0.05), Verdict::same) << "slower, by too little to matter";
  EXPECT_EQ(verdict(0.80, 0.98, 0.05), Verdict::faster);
  EXPECT_EQ(verdict(1.01, 1.04, 0), Verdict::slower);
  EXPECT_EQ(judge(Values{1, 1, 1}, Values{9, 9, 9}, 0.05, kAlpha).verdict, Verdict::too_few);
  EXPECT_EQ(judge(Values{1, 1, 1}, Values{9, 9, 9}, 0.05, kAlpha).ratio, 9);
}

TEST(Judge, ExchangedSidesHaveTheExchangedVerdict) {
  test::Noise noise(5);
  int seen[5] = {};
  for (int i = 0; i < 1000; ++i) {
    const Values before = noise.times(8, 1, 0.03), after = noise.times(8, 0.9 + 0.0002 * i, 0.02);
    const Verdict forth = judge(before, after, 0.05, kAlpha).verdict;
    const Verdict back = judge(after, before, 0.05, kAlpha).verdict;
    const Verdict exchanged = back == Verdict::slower   ? Verdict::faster
                              : back == Verdict::faster ? Verdict::slower
                                                        : back;
    EXPECT_EQ(forth, exchanged) << i;
    ++seen[static_cast<int>(forth)];
  }
  for (const Verdict verdict : {Verdict::same, Verdict::slower, Verdict::faster, Verdict::unclear})
    EXPECT_GT(seen[static_cast<int>(verdict)], 5) << verdict_text(verdict);
}

// How many of 1000 pairs of runs that do not differ have this verdict.
struct Counts {
  int slower = 0, faster = 0, same = 0, unclear = 0;
  void add(Verdict verdict) {
    slower += verdict == Verdict::slower ? 1 : 0;
    faster += verdict == Verdict::faster ? 1 : 0;
    same += verdict == Verdict::same ? 1 : 0;
    unclear += verdict == Verdict::unclear ? 1 : 0;
  }
};

TEST(Comparison, IdenticalRunsAreHardlyEverSlower) {
  test::Noise noise(6);
  Counts any, by_five_percent;
  for (int i = 0; i < 1000; ++i) {
    const Side before{run_of(noise.times(20, 1, 0.15))}, after{run_of(noise.times(20, 1, 0.15))};
    any.add(verdict_of(before, after, kNoThreshold));
    by_five_percent.add(verdict_of(before, after, 0.05));
  }
  // Half of alpha each way: 25, and 25 + 3 * sqrt(25) at most by chance.
  EXPECT_GT(any.slower, 5) << "the interval is wider than asked for";
  EXPECT_LE(any.slower, 40);
  EXPECT_LE(any.faster, 40);
  EXPECT_LE(by_five_percent.slower, any.slower);
}

TEST(Comparison, ANoisyRunnerIsUnclearAndNotTheSame) {
  test::Noise noise(7);
  Counts slower_by_a_third, identical;
  for (int i = 0; i < 1000; ++i) {
    slower_by_a_third.add(verdict_of({run_of(noise.times(10, 1, 0.5))}, {run_of(noise.times(10, 1.33, 0.5))}, 0.05));
    identical.add(verdict_of({run_of(noise.times(10, 1, 0.5))}, {run_of(noise.times(10, 1, 0.5))}, 0.05));
  }
  EXPECT_EQ(slower_by_a_third.same, 0);
  EXPECT_GT(slower_by_a_third.unclear, 500);
  EXPECT_EQ(identical.same, 0);
  EXPECT_GT(identical.unclear, 900);
}

// Each run has a level of its own, which its iterations share.
Side runs(test::Noise& noise, std::size_t count, double between, double within) {
  Side side;
  for (std::size_t i = 0; i < count; ++i) side.push_back(run_of(noise.times(10, noise.time(1, between), within)));
  return side;
}

TEST(Comparison, SeveralRunsOfASideAreNotDeceivedByWhatChangesBetweenRuns) {
  test::Noise noise(8);
  Counts several, one;
  for (int i = 0; i < 1000; ++i) {
    several.add(verdict_of(runs(noise, 5, 0.05, 0.01), runs(noise, 5, 0.05, 0.01), kNoThreshold));
    one.add(verdict_of(runs(noise, 1, 0.05, 0.01), runs(noise, 1, 0.05, 0.01), 0.05));
  }
  EXPECT_LE(several.slower, 40);
  EXPECT_LE(several.faster, 40);
  EXPECT_GT(several.slower, 3) << "the interval is wider than asked for";
  // What one run a side cannot see, and docs/rondo-compare-runs.md says so: every fourth or fifth pair.
  EXPECT_GT(one.slower, 150);
}

TEST(Comparison, TurnsAreNotDeceivedByDriftAndRunsOneAfterTheOtherAre) {
  test::Noise noise(9);
  Counts turns, in_a_row;
  for (int i = 0; i < 1000; ++i) {
    // The machine gets 2 % slower from run to run, and each run wavers by 1 %.
    Values levels;
    for (int k = 0; k < 10; ++k) levels.push_back(noise.time(1 + 0.02 * k, 0.01));
    Side a, b, first, second;
    for (std::size_t k = 0; k < 10; ++k) {
      const RunResults run = run_of(noise.times(10, levels[k], 0.01));
      (k % 4 == 0 || k % 4 == 3 ? a : b).push_back(run);  // A B B A A B B A A B
      (k < 5 ? first : second).push_back(run);
    }
    ASSERT_EQ(a.size(), 5u);
    turns.add(verdict_of(a, b, kNoThreshold));
    in_a_row.add(verdict_of(first, second, kNoThreshold));
  }
  EXPECT_LE(turns.slower, 25);
  EXPECT_GT(in_a_row.slower, 900);
}

TEST(Comparison, SeveralRunsOfASideTellAChangeThatIsThere) {
  test::Noise noise(10);
  Counts slower;
  for (int i = 0; i < 200; ++i) {
    Side after = runs(noise, 5, 0.02, 0.02);
    for (RunResults& run : after)
      for (double& seconds : run.samples[0].seconds) seconds *= 1.15;
    slower.add(verdict_of(runs(noise, 5, 0.02, 0.02), after, 0.05));
  }
  EXPECT_GT(slower.slower, 190);
}

// Other work on the machine makes most iterations longer, and hardly ever all of a run.
TEST(Comparison, TheFastestIterationOfARunIsNotDisturbed) {
  test::Noise noise(11);
  const auto side = [&](double seconds) {
    Side runs;
    for (int i = 0; i < 6; ++i) {
      Values one = noise.times(10, 3 * seconds * (1 + i % 3), 0.3);
      one[static_cast<std::size_t>(i)] = noise.times(1, seconds, 0.002).front();
      runs.push_back(run_of(one, "r" + std::to_string(i)));
    }
    return runs;
  };
  ComparisonRules rules;
  const auto verdict = [&](const Side& before, const Side& after, Statistic statistic) {
    rules.statistic = statistic;
    const auto comparison = compare_sides(before, after, rules);
    return comparison ? comparison->rows.at(0).judged.verdict : Verdict::too_few;
  };
  const Side before = side(1), same = side(1), slower = side(1.2);
  EXPECT_EQ(verdict(before, same, Statistic::median), Verdict::unclear);
  EXPECT_EQ(verdict(before, same, Statistic::fastest), Verdict::same);
  EXPECT_EQ(verdict(before, slower, Statistic::fastest), Verdict::slower);
}

TEST(Comparison, ARowThatSomeFilesLackIsNamed) {
  Side before, after;
  for (int i = 0; i < 4; ++i) {
    before.push_back(run_of({1, 1.01}));
    after.push_back(run_of({1, 1.01}));
  }
  after[2].samples.clear();
  const auto comparison = compare_sides(before, after, {});
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->only_old.size(), 1u);
  EXPECT_EQ(comparison->only_old[0].name, "replay (seconds), and in 3 of 4 files of NEW");
  EXPECT_FALSE(passes(*comparison, {}));
  EXPECT_TRUE(passes(*comparison, {.metrics = {}, .allow_missing = true}));
  EXPECT_EQ(comparison->rows.at(0).new_samples, 3u);
  EXPECT_TRUE(passes(*compare_sides(after, before, {}), {})) << "of OLD it may be missing";
}

TEST(Comparison, FilesOfASideThatDifferAreNamedOnce) {
  Side before, after;
  for (const char* name : {"a", "b", "c", "d"}) {
    before.push_back(run_of({1, 1}, std::string("old-") + name));
    after.push_back(run_of({1, 1}, std::string("new-") + name));
  }
  for (Side* side : {&before, &after})
    for (RunResults& run : *side) run.circumstances.emplace_back("device", "one");
  EXPECT_TRUE(compare_sides(before, after, {})->differences.empty());
  before[2].circumstances[0].second = "two";
  after[0].circumstances[0].second = after[1].circumstances[0].second = "three";
  const auto comparison = compare_sides(before, after, {});
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->differences.size(), 2u);
  EXPECT_EQ(comparison->differences[0], "another device: old-a has one, old-c has two");
  EXPECT_EQ(comparison->differences[1], "another device: old-a has one, new-a has three");
  after[3].clamped_shaders = true;
  EXPECT_FALSE(compare_sides(before, after, {}));
}

TEST(Comparison, IterationsThatDriftAreToldOfWhereTheyAreTheSamples) {
  Values drifting, steady;
  for (int i = 0; i < 20; ++i) {
    drifting.push_back(1 + 0.001 * i);
    steady.push_back(1 + 0.001 * (i % 2));
  }
  const auto warnings = [](const Side& before, const Side& after) {
    return compare_sides(before, after, {})->warnings;
  };
  ASSERT_EQ(warnings({run_of(steady)}, {run_of(drifting, "new.json")}).size(), 1u);
  EXPECT_EQ(
      warnings({run_of(steady)}, {run_of(drifting, "new.json")})[0].find("new.json: the iterations of replay drift"),
      0u);
  EXPECT_TRUE(warnings({run_of(steady)}, {run_of(steady)}).empty());
  const Side several{run_of(drifting), run_of(drifting)};
  EXPECT_TRUE(warnings(several, several).empty());
  // Of several runs it is the runs that vary or do not.
  const Side apart{run_of({1, 1.01}), run_of({2, 2.01})}, alike{run_of({1, 2, 1}), run_of({1, 2, 1})};
  EXPECT_EQ(warnings(alike, apart),
            std::vector<std::string>{"NEW: the runs of replay vary by 47 %: the machine did other things"});
  EXPECT_EQ(warnings({run_of({1, 2, 1})}, {run_of({1, 1, 1})}),
            std::vector<std::string>{"r.json: the iterations of replay vary by 43 %: the machine did other things"});
}

TEST(Comparison, FewestSamplesAreThoseThatCanBeSignificant) {
  EXPECT_EQ(fewest_samples(0.05), 4u);
  EXPECT_EQ(fewest_samples(0.01), 5u);
  EXPECT_EQ(fewest_samples(0.11), 3u);
}

}  // namespace
}  // namespace rondo::analyzers
