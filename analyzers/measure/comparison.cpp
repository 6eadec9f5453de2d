// SPDX-License-Identifier: Apache-2.0
#include "analyzers/measure/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyzers/text/text.h"
#include "player/measure/times.h"

namespace rondo::analyzers {

namespace {

constexpr double kMuchVariation = 0.2;

// Above this, neighbours are alike by more than chance: of n independent values the correlation varies by 1 /
// sqrt(n).
double much_correlation(std::size_t iterations) {
  return std::max(0.5, 2.5 / std::sqrt(static_cast<double>(iterations)));
}

// A row and metric of a side, with the iterations of each file that has it.
struct SideRow {
  std::string name, metric;
  bool is_whole = false;
  std::vector<std::vector<double>> runs;

  std::string text_of() const { return text("{} ({})", name, metric); }
  std::size_t iterations() const {
    std::size_t all = 0;
    for (const auto& run : runs) all += run.size();
    return all;
  }
  std::vector<double> samples(Unit unit, Statistic statistic) const {
    if (unit == Unit::iteration) return runs.front();
    std::vector<double> of_runs;
    for (const auto& run : runs)
      of_runs.push_back(statistic == Statistic::fastest ? *std::min_element(run.begin(), run.end()) : median(run));
    return of_runs;
  }
};

class SideRows {
 public:
  SideRows(const Side& side, const std::vector<std::string>& metrics) {
    for (const RunResults& results : side)
      for (const RunResults::Samples& one : results.samples) {
        if (std::find(metrics.begin(), metrics.end(), one.metric) == metrics.end()) continue;
        const auto [at, added] = places_.try_emplace({one.row, one.metric}, rows_.size());
        if (added) rows_.push_back({one.row, one.metric, one.is_whole, {}});
        rows_[at->second].runs.push_back(one.seconds);
      }
  }
  const std::vector<SideRow>& all() const { return rows_; }  // in the order of the files
  const SideRow* find(const SideRow& like) const {
    const auto at = places_.find({like.name, like.metric});
    return at == places_.end() ? nullptr : &rows_[at->second];
  }

 private:
  std::vector<SideRow> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

ComparedRow compare_row(const SideRow& before, const SideRow& after, Unit unit, const ComparisonRules& rules) {
  const std::vector<double> olds = before.samples(unit, rules.statistic), news = after.samples(unit, rules.statistic);
  ComparedRow row;
  row.name = before.name;
  row.metric = before.metric;
  row.gates = rules.gate == Gate::all || before.is_whole;
  row.old_samples = olds.size();
  row.new_samples = news.size();
  row.old_iterations = before.iterations();
  row.new_iterations = after.iterations();
  row.old_median = median(olds);
  row.new_median = median(news);
  row.judged = judge(olds, news, rules.threshold, rules.alpha);
  return row;
}

// What the files do not have in common, so that times may differ for it. Each further value of a fact is told
// once.
std::vector<std::string> differences_of(const std::vector<const RunResults*>& files) {
  const auto value = [](const RunResults& results, const std::string& name) {
    for (const auto& [key, text] : results.circumstances)
      if (key == name) return printable(text);
    return std::string("nothing");
  };
  std::vector<std::string> names, lines;
  for (const RunResults* results : files)
    for (const auto& [key, text] : results->circumstances)
      if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  for (const std::string& name : names) {
    const std::string first = value(*files.front(), name);
    std::vector<std::string> told{first};
    for (const RunResults* results : files) {
      const std::string its = value(*results, name);
      if (std::find(told.begin(), told.end(), its) != told.end()) continue;
      lines.push_back(
          text("another {}: {} has {}, {} has {}", printable(name), files.front()->path, first, results->path, its));
      told.push_back(its);
    }
  }
  return lines;
}

// Of the first row of a side. `side_name`: "OLD".
void warn_of_samples(const Side& side, const char* side_name, Unit unit, Statistic statistic,
                     std::vector<std::string>& warnings) {
  const SideRows rows(side, {"seconds"});
  if (rows.all().empty()) return;
  const SideRow& first = rows.all().front();
  const std::vector<double> samples = first.samples(unit, statistic);
  if (const double variation = player::spread_of(samples).variation; variation > kMuchVariation)
    warnings.push_back(text("{}: the {} of {} vary by {:.0f} %: the machine did other things",
                            unit == Unit::run ? side_name : side.front().path,
                            unit == Unit::run ? "runs" : "iterations", first.name, 100 * variation));
  if (unit == Unit::iteration && serial_correlation(samples) > much_correlation(samples.size()))
    warnings.push_back(
        text("{}: the iterations of {} drift: each is like the one before, and the interval is too narrow",
             side.front().path, first.name));
}

Result<void> check_comparable(const std::vector<const RunResults*>& files) {
  for (const RunResults* one : files) {
    const RunResults& first = *files.front();
    if (one->kind != first.kind)
      return fail(Status::usage, text("{} and {}: one is a report of player, the other google-benchmark's: nothing in "
                                      "them can be compared",
                                      first.path, one->path));
    if (one->clamped_shaders != first.clamped_shaders) {
      const RunResults& clamped = first.clamped_shaders ? first : *one;
      const RunResults& other = first.clamped_shaders ? *one : first;
      return fail(Status::usage,
                  text("{}: its shaders were clamped (player --clamp-shaders), and those of {} were not: that is "
                       "slower, and nothing in them can be compared",
                       clamped.path, other.path));
    }
  }
  return {};
}

}  // namespace

std::string names_of(const Side& side) {
  std::vector<std::string> names;
  for (const RunResults& results : side) names.push_back(results.path);
  return listed(names);
}

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::unclear:
      return "unclear";
    case Verdict::too_few:
      return "too few";
    case Verdict::same:
      break;
  }
  return "same";
}

Judgement judge(std::span<const double> before, std::span<const double> after, double threshold, double alpha) {
  Judgement judged;
  judged.test = mann_whitney(before, after);
  const auto ratio = log_ratio(before, after, alpha);
  if (!ratio) {
    const double from = median({before.begin(), before.end()}), to = median({after.begin(), after.end()});
    judged.ratio = from == to ? 1 : to / from;
    return judged;
  }
  judged.ratio = std::exp(ratio->median);
  judged.lower = std::exp(ratio->lower);
  judged.upper = std::exp(ratio->upper);
  // In logarithms both directions are exactly alike: with the sides exchanged, what is slower is faster.
  const double limit = std::log1p(threshold);
  if (ratio->lower > 0 && ratio->median > limit)
    judged.verdict = Verdict::slower;
  else if (ratio->upper < 0 && ratio->median < -limit)
    judged.verdict = Verdict::faster;
  else if (ratio->lower >= -limit && ratio->upper <= limit)
    judged.verdict = Verdict::same;
  else
    judged.verdict = Verdict::unclear;
  return judged;
}

std::size_t Comparison::count(Verdict verdict, bool gating) const {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [&](const ComparedRow& row) {
    return row.judged.verdict == verdict && row.gates == gating;
  }));
}

std::size_t Comparison::judged() const {
  return rows.size() - count(Verdict::too_few, true) - count(Verdict::too_few, false);
}

std::size_t Comparison::missing() const {
  return static_cast<std::size_t>(
      std::count_if(only_old.begin(), only_old.end(), [](const Missing& one) { return one.gates; }));
}

std::size_t Comparison::not_clear() const { return count(Verdict::unclear, true) + count(Verdict::too_few, true); }

Result<Comparison> compare_sides(const Side& before, const Side& after, const ComparisonRules& rules) {
  std::vector<const RunResults*> files;
  for (const Side* side : {&before, &after})
    for (const RunResults& results : *side) files.push_back(&results);
  RONDO_TRY(check_comparable(files));
  Comparison comparison;
  comparison.unit = before.size() > 1 || after.size() > 1 ? Unit::run : Unit::iteration;
  comparison.old_files = names_of(before);
  comparison.new_files = names_of(after);
  comparison.differences = differences_of(files);
  const auto take = [](std::vector<std::string>& to, const std::vector<std::string>& lines) {
    to.insert(to.end(), lines.begin(), lines.end());
  };
  for (const RunResults& results : before) {
    take(comparison.warnings, results.warnings);
    take(comparison.warnings, results.failures);
  }
  for (const RunResults& results : after) {
    take(comparison.warnings, results.warnings);
    take(comparison.failures, results.failures);
  }
  warn_of_samples(before, "OLD", comparison.unit, rules.statistic, comparison.warnings);
  warn_of_samples(after, "NEW", comparison.unit, rules.statistic, comparison.warnings);

  const SideRows olds(before, rules.metrics), news(after, rules.metrics);
  for (const SideRow& row : olds.all()) {
    const SideRow* const other = news.find(row);
    if (other != nullptr) comparison.rows.push_back(compare_row(row, *other, comparison.unit, rules));
    const std::size_t have = other == nullptr ? 0 : other->runs.size();
    if (have == after.size()) continue;
    comparison.only_old.push_back(
        {have == 0 ? row.text_of() : text("{}, and in {} of {} files of NEW", row.text_of(), have, after.size()),
         rules.gate == Gate::all || row.is_whole});
  }
  for (const SideRow& row : news.all())
    if (olds.find(row) == nullptr) comparison.only_new.push_back(row.text_of());
  return comparison;
}

std::string why_not_judged(const Comparison& comparison, const ComparisonRules& rules) {
  std::size_t gating = 0;
  for (const ComparedRow& row : comparison.rows) gating += row.gates ? 1 : 0;
  const std::string files = text("{} and {}", comparison.old_files, comparison.new_files);
  if (gating == 0) {
    return text("{}: no row of {} {}is in both: nothing is compared{}", files, listed(rules.metrics),
                rules.gate == Gate::span ? "of the whole span " : "",
                comparison.rows.empty() ? "" : " that gates; see --gate all");
  }
  if (gating > comparison.count(Verdict::too_few, true)) return {};
  if (comparison.unit == Unit::run)
    return text(
        "{}: too few runs in every row that gates: with several files on a side each file is one sample, and "
        "--alpha {:.4g} takes {} files on each side",
        files, rules.alpha, fewest_samples(rules.alpha));
  return text("{}: too few iterations in every row: play more with --loop (or --benchmark_repetitions)", files);
}

bool passes(const Comparison& comparison, const ComparisonRules& rules) {
  return comparison.failures.empty() && comparison.count(Verdict::slower, true) == 0 &&
         (rules.allow_missing || comparison.missing() == 0) && !(rules.require_clear && comparison.not_clear() != 0);
}

std::size_t fewest_samples(double alpha) {
  std::size_t samples = 1;
  while (least_p(samples, samples) >= alpha) ++samples;
  return samples;
}

}  // namespace rondo::analyzers
