// SPDX-License-Identifier: Apache-2.0
// Did what replays take change? Two sides, each with the results of one run of the player or of several. One
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzers/measure/run_results.h"
#include "analyzers/measure/statistics.h"

namespace rondo::analyzers {

using Side = std::vector<RunResults>;    // a file for each run; one or more, all of one kind
std::string names_of(const Side& side);  // in a list

// What is taken for a sample. Iterations of one run share the state of the machine during that run, so with
// several files on a side only runs are independent: a run's sample is the median of its iterations, or its fastest
// one.
enum class Unit : unsigned char { iteration, run };

enum class Verdict : unsigned char {
  same,     // the whole interval is within the threshold, both ways
  slower,   // the whole interval is above 1, and the ratio above 1 + threshold
  faster,   // the same with the sides exchanged
  unclear,  // the interval reaches over what is asked: measure more
  too_few,  // no interval has the confidence that is asked for
};
const char* verdict_text(Verdict verdict);  // "slower"

// What stands for the iterations of a run. Other work on the machine only adds to times, so the fastest iteration says
// more on a machine that is not quiet; the median also shows what only some iterations do.
enum class Statistic : unsigned char { median, fastest };

enum class Gate : unsigned char { span, all };  // which rows set the status: those of the whole span, or all

struct ComparisonRules {
  double threshold = 0.05;  // a change by this fraction or less is none
  double alpha = 0.05;      // 1 - the confidence of the intervals
  Gate gate = Gate::span;
  Statistic statistic = Statistic::median;  // of runs, where there are several
  std::vector<std::string> metrics{"seconds", "gpu_seconds", "label_seconds"};
  bool allow_missing = false;       // in NEW, of what OLD has
  bool require_clear = false;       // rows that gate and are neither the same nor faster fail
  bool differs_on_purpose = false;  // device, capture and so on: differences are told, and are no warnings
};

// Of one row and metric. Ratios are times of NEW by times of OLD.
struct Judgement {
  Verdict verdict = Verdict::too_few;
  double ratio = 1;                    // as the interval; of too few samples that of the medians. Infinity: from 0
  std::optional<double> lower, upper;  // of the confidence interval; nothing: too few samples
  MannWhitney test;
};
// Compares the samples of two sides, in seconds. Each side has at least one.
Judgement judge(std::span<const double> before, std::span<const double> after, double threshold, double alpha);

struct ComparedRow {
  std::string name, metric;
  bool gates = true;                                   // else the row only informs
  std::size_t old_samples = 0, new_samples = 0;        // iterations or runs: Comparison::unit
  std::size_t old_iterations = 0, new_iterations = 0;  // of all files of a side
  double old_median = 0, new_median = 0;               // seconds, of the samples
  Judgement judged;
};

struct Comparison {
  Unit unit = Unit::iteration;
  std::vector<ComparedRow> rows;
  struct Missing {
    std::string name;  // "row (metric)"
    bool gates;
  };
  std::vector<Missing> only_old;  // also what some files of NEW lack
  std::vector<std::string> only_new;
  std::vector<std::string> differences;  // between files: device, capture, span, …
  std::vector<std::string> warnings;
  std::vector<std::string> failures;  // of NEW; those of OLD are warnings
  std::string old_files, new_files;   // their names, in a list

  std::size_t count(Verdict verdict, bool gating) const;  // rows
  std::size_t judged() const;                             // all rows that have not too few samples
  std::size_t missing() const;                            // of the rows that gate
  std::size_t not_clear() const;                          // rows that gate with unclear and too few
};

// Status::usage where the files cannot be compared: a report and google-benchmark's, or shaders clamped in
// some alone.
Result<Comparison> compare_sides(const Side& before, const Side& after, const ComparisonRules& rules);

// The sentence why no row that gates has a verdict; empty: one has.
std::string why_not_judged(const Comparison& comparison, const ComparisonRules& rules);

// Whether NEW passes: no row that gates is slower or missing, no replay failed, and all are clear if that is
// required.
bool passes(const Comparison& comparison, const ComparisonRules& rules);

// The fewest samples a side, alike on both, for which an interval of confidence 1 - alpha exists.
std::size_t fewest_samples(double alpha);

}  // namespace rondo::analyzers
