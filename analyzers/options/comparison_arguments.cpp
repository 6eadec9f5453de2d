// SPDX-License-Identifier: Apache-2.0
#include "analyzers/options/comparison_arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "analyzers/measure/comparison_text.h"
#include "analyzers/text/output.h"
#include "analyzers/text/text.h"

namespace rondo::analyzers {

namespace {

// "5%" or "0.05".
Result<double> parse_threshold(const std::string& given) {
  const bool percent = given.ends_with('%');
  const char* const end = given.data() + given.size() - (percent ? 1 : 0);
  double value = 0;
  const auto [behind, error] = std::from_chars(given.data(), end, value);
  if (error != std::errc() || behind != end || !std::isfinite(value) || value < 0)
    return fail(Status::usage, text("--threshold: '{}' is neither a percentage such as 5% nor a fraction such as 0.05",
                                    printable(given)));
  if (!percent && value >= 1)
    return fail(Status::usage,
                text("--threshold: '{}' is {:.4g} %: write {}% if that is meant, or {}% for as many percent",
                     printable(given), value * 100, value * 100, value));
  return percent ? value / 100 : value;
}

Result<double> parse_alpha(const std::string& given) {
  double value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || !(value > 0 && value < 1))
    return fail(Status::usage, text("--alpha: '{}' is no probability between 0 and 1", printable(given)));
  return value;
}

}  // namespace

void ComparisonArguments::add_to(Cli& cli) {
  cli.value("--threshold", "5%", "a change by this or less is none (default 5%; also 0.05)", threshold_);
  cli.value("--alpha", "P", "1 - P is the confidence of each interval (default 0.05: 95 %)", alpha_);
  cli.value("--metric", "NAME,...",
            "seconds, span_seconds, cpu_seconds, gpu_seconds, label_seconds (default: all but span_ and "
            "cpu_seconds)",
            metrics_);
  cli.choice("--statistic", {"median", "fastest"},
             "what stands for a run's iterations where runs are compared: their median, or the fastest one, which says "
             "more on a machine that is not quiet (default: of measure fastest, of compare-runs median)",
             statistic_);
  cli.choice("--gate", {"span", "all"},
             "which rows set the status: of the whole span (default), or all; the others only inform", gate_);
  cli.flag("--require-clear", "a row that gates and has no clear verdict is status 5", require_clear_);
  cli.flag("--allow-missing", "a row or metric that only OLD has is named and does not change the status",
           allow_missing_);
  cli.choice("--format", {"text", "json", "github", "junit"},
             "github: a Markdown table for $GITHUB_STEP_SUMMARY; junit: XML for CI, a test a row", format_);
}

Result<ComparisonRules> ComparisonArguments::rules() const {
  ComparisonRules rules;
  auto number = parse_threshold(threshold_);
  if (!number) return tl::unexpected(number.error());
  rules.threshold = *number;
  number = parse_alpha(alpha_);
  if (!number) return tl::unexpected(number.error());
  rules.alpha = *number;
  if (metrics_.empty()) return fail(Status::usage, "--metric is empty: name one of " + listed(metrics()));
  auto asked = parse_list("--metric", metrics_, metrics());
  if (!asked) return tl::unexpected(asked.error());
  rules.metrics = std::move(*asked);
  rules.statistic = statistic_ == "fastest" ? Statistic::fastest : Statistic::median;
  rules.gate = gate_ == "all" ? Gate::all : Gate::span;
  rules.allow_missing = allow_missing_;
  rules.require_clear = require_clear_;
  return rules;
}

Result<int> ComparisonArguments::print_error(const std::string& subject, const Error& error) const {
  if (format_ == "junit") {
    Output out;
    out.write(error_as_junit(command_, subject, error));
    RONDO_TRY(out.finish());
  }
  return tl::unexpected(error);
}

Result<int> ComparisonArguments::print(const Side& before, const Side& after, const ComparisonRules& rules) const {
  const auto comparison = compare_sides(before, after, rules);
  if (!comparison) return print_error(text("{} and {}", names_of(before), names_of(after)), comparison.error());
  Output out;
  if (format_ == "json")
    out.write(comparison_as_json(*comparison, rules, before, after));
  else if (format_ == "junit")
    out.write(comparison_as_junit(*comparison, rules, command_));
  else if (format_ == "github")
    out.write(comparison_as_github(*comparison, rules));
  else
    out.write(comparison_as_text(*comparison, rules));
  RONDO_TRY(out.finish());
  const std::string why = why_not_judged(*comparison, rules);
  // Also on standard error: standard output is often a file that nobody reads while the job passes.
  if (const std::string words = sentence_of_not_clear(*comparison, rules); !words.empty() && why.empty())
    say(text("unclear: {}", words));
  if (!passes(*comparison, rules)) return static_cast<int>(Status::different);
  if (!why.empty()) return fail(Status::usage, why);
  return 0;
}

}  // namespace rondo::analyzers
