// SPDX-License-Identifier: Apache-2.0
#include "analyzers/measure/comparison_text.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzers/text/json.h"
#include "analyzers/text/text.h"
#include "player/junit.h"

namespace rondo::analyzers {

namespace {

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-6) return text("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3) return text("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return text("{:.4g} ms", seconds * 1e3);
  return text("{:.4g} s", seconds);
}

std::string confidence_text(const ComparisonRules& rules) { return text("{:.4g} %", 100 * (1 - rules.alpha)); }

std::string interval_text(const Judgement& judged) {
  return judged.lower ? text("{:.3f} to {:.3f}", *judged.lower, *judged.upper) : "-";
}

std::string counts_of(const Comparison& comparison, bool gating) {
  const auto rows = [&](Verdict verdict) { return comparison.count(verdict, gating); };
  std::string words =
      text("{} slower, {} faster, {} the same, {} unclear", count_text(rows(Verdict::slower)),
           count_text(rows(Verdict::faster)), count_text(rows(Verdict::same)), count_text(rows(Verdict::unclear)));
  if (const std::size_t few = rows(Verdict::too_few); few != 0)
    append(words, ", {} with too few {} to tell", count_text(few),
           comparison.unit == Unit::run ? "runs" : "iterations");
  return words;
}

std::string conclusion(const Comparison& comparison, const ComparisonRules& rules) {
  std::string words = counts_of(comparison, true);
  if (comparison.missing() != 0) append(words, ", {} missing in NEW", count_text(comparison.missing()));
  append(words, " (by more than {:.4g} %, confidence {})", rules.threshold * 100, confidence_text(rules));
  const auto informs =
      std::count_if(comparison.rows.begin(), comparison.rows.end(), [](const ComparedRow& row) { return !row.gates; });
  if (informs != 0)
    append(words, "; {} that only {}: {}", plural(static_cast<std::size_t>(informs), "row"),
           informs == 1 ? "informs" : "inform", counts_of(comparison, false));
  if (!comparison.failures.empty()) words += "; NEW failed";
  return words;
}

// A sentence for comparisons of one file a side: what they cannot show. Empty where a side has several files.
std::string note_of(const Comparison& comparison) {
  if (comparison.unit == Unit::run) return {};
  return "one run a side: what differs between any two runs is taken for a change; rondo measure plays "
         "several in turns";
}

constexpr std::size_t kColumns = 8;
using Cells = std::vector<std::string>;

Cells head_of(const ComparisonRules& rules) {
  return {"row",     "metric", "old median", "new median", "ratio", confidence_text(rules) + " interval",
          "verdict", "status"};
}

Cells cells_of(const Comparison& comparison, const ComparedRow& row) {
  const auto times = [&](double median, std::size_t samples) {
    return text("{} of {}", seconds_text(median),
                comparison.unit == Unit::run ? plural(samples, "run") : count_text(samples));
  };
  return {printable(row.name),
          row.metric,
          times(row.old_median, row.old_samples),
          times(row.new_median, row.new_samples),
          text("{:.3f}", row.judged.ratio),
          interval_text(row.judged),
          verdict_text(row.judged.verdict),
          row.gates ? "gates" : "informs"};
}

// The lines beside the table: what is said, and the kind of line it is.
struct Remark {
  const char* kind;
  std::string words;
  bool loud = false;
};

std::vector<Remark> remarks_before(const Comparison& comparison, const ComparisonRules& rules) {
  std::vector<Remark> all;
  for (const std::string& failure : comparison.failures) all.push_back({"failed", failure, true});
  for (const std::string& line : comparison.differences)
    all.push_back({rules.differs_on_purpose ? "differs" : "warning", line});
  for (const std::string& warning : comparison.warnings) all.push_back({"warning", warning});
  return all;
}

std::vector<Remark> remarks_after(const Comparison& comparison, const ComparisonRules& rules) {
  std::vector<Remark> all;
  if (comparison.unit == Unit::run)
    all.push_back({"note", text("{} stands for a run; the ratio is the median over all pairs of a run of OLD and one "
                                "of NEW, not that of the medians",
                                rules.statistic == Statistic::fastest ? "its fastest iteration"
                                                                      : "the median of its iterations")});
  for (const Comparison::Missing& row : comparison.only_old) all.push_back({"only in OLD", row.name});
  for (const std::string& row : comparison.only_new) all.push_back({"only in NEW", row});
  if (const std::string words = note_of(comparison); !words.empty()) all.push_back({"note", words});
  return all;
}

// Names of captures and scopes are not ours: nothing of them is markup.
std::string in_markdown(const std::string& words) {
  std::string out;
  for (const char c : printable(words)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("|`*_[]\\~").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

bool is_loud(const ComparedRow& row) {
  const Verdict verdict = row.judged.verdict;
  return row.gates && verdict != Verdict::same && verdict != Verdict::faster;
}

constexpr const char* kComparisonTest = "the comparison";

player::Verdict as_test(const ComparedRow& row, const ComparisonRules& rules) {
  using Kind = player::Verdict::Kind;
  const Verdict verdict = row.judged.verdict;
  Kind kind = Kind::passed;
  if (verdict == Verdict::slower)
    kind = row.gates ? Kind::failed : Kind::skipped;
  else if (verdict == Verdict::unclear || verdict == Verdict::too_few)
    kind = row.gates && rules.require_clear ? Kind::failed : Kind::skipped;
  std::string why;
  if (kind != Kind::passed)
    why = text("{}{}: {} before, {} now, {:.3f} times as long; {} interval {}",
               row.gates ? "" : "informs only: ", verdict_text(verdict), seconds_text(row.old_median),
               seconds_text(row.new_median), row.judged.ratio, confidence_text(rules), interval_text(row.judged));
  return {text("{} ({})", row.name, row.metric), kind, why, row.new_median};
}

}  // namespace

std::string sentence_of_not_clear(const Comparison& comparison, const ComparisonRules& rules) {
  const std::size_t all = comparison.not_clear();
  if (all == 0) return {};
  std::string words;
  for (const ComparedRow& row : comparison.rows) {
    if (!row.gates || (row.judged.verdict != Verdict::unclear && row.judged.verdict != Verdict::too_few)) continue;
    words = row.judged.lower
                ? text("{} ({}) takes {} times as long", printable(row.name), row.metric, interval_text(row.judged))
                : text("{} ({}) has too few samples", printable(row.name), row.metric);
    break;
  }
  if (all > 1) append(words, ", and {} more like it", plural(all - 1, "row"));
  append(words, ": whether that is a change by more than {:.4g} % cannot be said; more {} narrow the interval",
         rules.threshold * 100,
         comparison.unit == Unit::run ? "runs (rondo measure --turns, or more files)"
                                      : "iterations (--loop) or several runs in turns (rondo measure)");
  if (!rules.require_clear) words += "; --require-clear makes this status 5";
  return words;
}

std::string comparison_as_text(const Comparison& comparison, const ComparisonRules& rules) {
  std::vector<Cells> table{head_of(rules)};
  for (const ComparedRow& row : comparison.rows) table.push_back(cells_of(comparison, row));
  std::size_t widths[kColumns] = {};
  for (const Cells& line : table)
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string words;
  const auto add = [&](const std::vector<Remark>& remarks) {
    for (const Remark& remark : remarks) append(words, "{}: {}\n", remark.kind, printable(remark.words));
  };
  add(remarks_before(comparison, rules));
  for (const Cells& line : table) {
    for (std::size_t i = 0; i + 1 < kColumns; ++i) append(words, "{:<{}}  ", line[i], widths[i]);
    append(words, "{}\n", line.back());
  }
  add(remarks_after(comparison, rules));
  append(words, "{}\n", conclusion(comparison, rules));
  return words;
}

std::string comparison_as_github(const Comparison& comparison, const ComparisonRules& rules) {
  std::string words = text("### Replay: {}\n\n", conclusion(comparison, rules));
  if (!comparison.rows.empty()) {
    for (const std::string& cell : head_of(rules)) append(words, "| {} ", cell);
    words += "|\n| --- | --- | ---: | ---: | ---: | ---: | --- | --- |\n";
    for (const ComparedRow& row : comparison.rows) {
      Cells cells = cells_of(comparison, row);
      for (std::string& cell : cells) cell = in_markdown(cell);
      if (is_loud(row)) cells[6] = text("**{}**", cells[6]);
      for (const std::string& cell : cells) append(words, "| {} ", cell);
      words += "|\n";
    }
    words += "\n";
  }
  for (const auto& remarks : {remarks_before(comparison, rules), remarks_after(comparison, rules)})
    for (const Remark& remark : remarks)
      append(words, "- {0}{1}{0}: {2}\n", remark.loud ? "**" : "", remark.kind, in_markdown(remark.words));
  if (const std::string unclear = sentence_of_not_clear(comparison, rules); !unclear.empty())
    append(words, "- **unclear**: {}\n", in_markdown(unclear));
  return words;
}

std::string comparison_as_junit(const Comparison& comparison, const ComparisonRules& rules, const std::string& suite) {
  using Kind = player::Verdict::Kind;
  std::vector<player::Verdict> verdicts;
  for (const ComparedRow& row : comparison.rows) verdicts.push_back(as_test(row, rules));
  for (const Comparison::Missing& row : comparison.only_old)
    verdicts.push_back(
        {row.name, row.gates && !rules.allow_missing ? Kind::failed : Kind::skipped, "is only in OLD", 0});
  for (const std::string& failure : comparison.failures)
    verdicts.push_back({"the new replay", Kind::error, failure, 0});
  const std::string subject = text("{} and {}", comparison.old_files, comparison.new_files);
  if (const std::string why = why_not_judged(comparison, rules); !why.empty() && passes(comparison, rules))
    verdicts.push_back({kComparisonTest, Kind::error, why, 0});
  return player::as_junit(suite, subject, verdicts);
}

std::string error_as_junit(const std::string& suite, const std::string& subject, const Error& error) {
  return player::as_junit(suite, subject, kComparisonTest, error);
}

std::string comparison_as_json(const Comparison& comparison, const ComparisonRules& rules, const Side& before,
                               const Side& after) {
  std::string words;
  JsonWriter json(words, /*indented=*/true);
  const auto real = [&](const char* key, std::optional<double> value) {
    json.key(key);
    if (value)
      json.floating_value(*value);
    else
      json.null();
  };
  const auto count = [&](const char* key, std::size_t value) { json.field(key, static_cast<std::uint64_t>(value)); };
  const auto list = [&](const char* key, const std::vector<std::string>& lines) {
    json.key(key);
    json.begin_array();
    for (const std::string& line : lines) json.string(line);
    json.end_array();
  };
  const auto files = [&](const char* key, const Side& side) {
    std::vector<std::string> names;
    for (const RunResults& results : side) names.push_back(results.path);
    list(key, names);
  };
  json.begin_object();
  json.field("old", comparison.old_files);
  json.field("new", comparison.new_files);
  files("old_files", before);
  files("new_files", after);
  json.field("sample", comparison.unit == Unit::run ? "run" : "iteration");
  json.field("statistic", rules.statistic == Statistic::fastest ? "fastest" : "median");
  real("threshold", rules.threshold);
  real("alpha", rules.alpha);
  json.field("gate", rules.gate == Gate::all ? "all" : "span");
  json.field("passes", passes(comparison, rules));
  count("slower", comparison.count(Verdict::slower, true) + comparison.count(Verdict::slower, false));
  count("judged", comparison.judged());
  count("slower_that_gate", comparison.count(Verdict::slower, true));
  count("not_clear_that_gate", comparison.not_clear());
  json.key("rows");
  json.begin_array();
  for (const ComparedRow& row : comparison.rows) {
    json.begin_object();
    json.field("row", row.name);
    json.field("metric", row.metric);
    json.field("verdict", verdict_text(row.judged.verdict));
    json.field("gates", row.gates);
    real("ratio", row.judged.ratio);
    real("lower", row.judged.lower);
    real("upper", row.judged.upper);
    real("p", row.judged.test.p);
    real("u", row.judged.test.u);
    json.field("exact", row.judged.test.exact);
    real("old_median_seconds", row.old_median);
    real("new_median_seconds", row.new_median);
    count("old_samples", row.old_samples);
    count("new_samples", row.new_samples);
    count("old_iterations", row.old_iterations);
    count("new_iterations", row.new_iterations);
    json.end_object();
  }
  json.end_array();
  std::vector<std::string> missing;
  for (const Comparison::Missing& one : comparison.only_old) missing.push_back(one.name);
  list("only_old", missing);
  list("only_new", comparison.only_new);
  list("failures", comparison.failures);
  if (rules.differs_on_purpose) list("differences", comparison.differences);
  std::vector<std::string> warnings = rules.differs_on_purpose ? std::vector<std::string>() : comparison.differences;
  warnings.insert(warnings.end(), comparison.warnings.begin(), comparison.warnings.end());
  list("warnings", warnings);
  json.end_object();
  return words + "\n";
}

}  // namespace rondo::analyzers
