// SPDX-License-Identifier: Apache-2.0
// rondo compare-runs: is a replay slower than it was? CI's gate.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "analyzers/cli.h"
#include "analyzers/commands.h"
#include "analyzers/json.h"
#include "analyzers/output.h"
#include "analyzers/run_results.h"
#include "analyzers/statistics.h"
#include "analyzers/text.h"
#include "player/junit.h"
#include "player/times.h"

namespace rondo::analyzers {

namespace {

enum class Verdict : unsigned char { same, slower, faster, too_few };

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower: return "slower";
    case Verdict::faster: return "faster";
    case Verdict::too_few: return "too few";
    case Verdict::same: break;
  }
  return "same";
}

constexpr double kMuchVariation = 0.2;

struct Limits {
  double threshold = 0.05, alpha = 0.05;
};

struct Row {
  std::string name, metric;
  std::size_t olds = 0, news = 0;  // samples
  double old_median = 0, new_median = 0;
  double ratio = 1;
  MannWhitney test;
  Verdict verdict = Verdict::same;
};

struct Compared {
  std::vector<Row> rows;
  std::vector<std::string> only_old, only_new;  // "row (metric)"
  std::vector<std::string> warnings;
  std::vector<std::string> failures;  // of NEW; those of OLD are warnings
  bool may_miss = false;              // rows of OLD
  std::string asked;                  // --metric

  // Whether what NEW took can be gone by.
  bool whole() const { return failures.empty() && (may_miss || only_old.empty()); }
  std::size_t count(Verdict verdict) const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.verdict == verdict; }));
  }
  std::size_t judged() const { return rows.size() - count(Verdict::too_few); }
};

Row compare(const RunResults::Samples& before, const RunResults::Samples& after, const Limits& limits) {
  Row row;
  row.name = before.row;
  row.metric = before.metric;
  row.olds = before.seconds.size();
  row.news = after.seconds.size();
  row.old_median = median(before.seconds);
  row.new_median = median(after.seconds);
  if (row.old_median > 0)
    row.ratio = row.new_median / row.old_median;
  else
    row.ratio = row.new_median > 0 ? HUGE_VAL : 1;
  row.test = mann_whitney(before.seconds, after.seconds);
  if (least_p(row.olds, row.news) >= limits.alpha) {
    row.verdict = Verdict::too_few;
  } else if (row.test.p < limits.alpha) {
    // Alike both ways: with the files exchanged, what is slower is faster.
    if (row.ratio > 1 + limits.threshold) row.verdict = Verdict::slower;
    if (row.ratio < 1 / (1 + limits.threshold)) row.verdict = Verdict::faster;
  }
  return row;
}

// What the two do not have in common, so that times may differ for it.
void compare_circumstances(const RunResults& before, const RunResults& after, Compared& compared) {
  const auto value = [](const RunResults& results, const std::string& name) {
    for (const auto& [key, text] : results.circumstances)
      if (key == name) return printable(text);
    return std::string("nothing");
  };
  std::vector<std::string> names;
  for (const RunResults* results : {&before, &after})
    for (const auto& [key, text] : results->circumstances)
      if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  for (const std::string& name : names)
    if (value(before, name) != value(after, name))
      compared.warnings.push_back(text("another {}: {} has {}, {} has {}", printable(name), before.path,
                                       value(before, name), after.path, value(after, name)));
}

Compared compare(const RunResults& before, const RunResults& after, const std::vector<std::string>& asked,
                 const Limits& limits) {
  Compared compared;
  compare_circumstances(before, after, compared);
  for (const auto* lines : {&before.warnings, &before.failures, &after.warnings})
    compared.warnings.insert(compared.warnings.end(), lines->begin(), lines->end());
  compared.failures = after.failures;
  for (const RunResults* results : {&before, &after})
    for (const RunResults::Samples& one : results->samples)
      if (one.metric == "seconds" && one.row == results->samples.front().row && one.seconds.size() > 1)
        if (const double variation = player::spread_of(one.seconds).variation; variation > kMuchVariation)
          compared.warnings.push_back(text("{}: the iterations of {} vary by {:.0f} %: the machine did other things", results->path,
                                           one.row, 100 * variation));
  const auto wanted = [&](const std::string& metric) {
    return std::find(asked.begin(), asked.end(), metric) != asked.end();
  };
  for (const RunResults::Samples& one : before.samples) {
    if (!wanted(one.metric)) continue;
    if (const RunResults::Samples* other = after.find(one.row, one.metric); other != nullptr)
      compared.rows.push_back(compare(one, *other, limits));
    else
      compared.only_old.push_back(text("{} ({})", one.row, one.metric));
  }
  for (const RunResults::Samples& one : after.samples)
    if (wanted(one.metric) && before.find(one.row, one.metric) == nullptr)
      compared.only_new.push_back(text("{} ({})", one.row, one.metric));
  return compared;
}

// ---- what is said of it

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds < 1e-6) return text("{:.4g} ns", seconds * 1e9);
  if (seconds < 1e-3) return text("{:.4g} us", seconds * 1e6);
  if (seconds < 1) return text("{:.4g} ms", seconds * 1e3);
  return text("{:.4g} s", seconds);
}

std::string conclusion(const Compared& compared, const Limits& limits) {
  const auto rows = [&](Verdict verdict) { return count_text(compared.count(verdict)); };
  std::string words = text("{} slower, {} faster, {} the same (more than {:.4g} % and p < {:.4g})", rows(Verdict::slower),
                           rows(Verdict::faster), rows(Verdict::same), limits.threshold * 100, limits.alpha);
  if (const std::size_t few = compared.count(Verdict::too_few); few != 0)
    append(words, ", {} with too few iterations to tell", count_text(few));
  if (!compared.only_old.empty()) append(words, ", {} missing in NEW", count_text(compared.only_old.size()));
  if (!compared.failures.empty()) words += "; NEW failed";
  return words;
}

struct Cells {
  std::string cells[7];
};
const Cells kHead{{"row", "metric", "old median", "new median", "ratio", "p", "verdict"}};

Cells cells_of(const Row& row) {
  return {{printable(row.name), row.metric, text("{} of {}", seconds_text(row.old_median), count_text(row.olds)),
           text("{} of {}", seconds_text(row.new_median), count_text(row.news)), text("{:.3f}", row.ratio),
           text("{:.2g}", row.test.p), verdict_text(row.verdict)}};
}

std::string as_text(const Compared& compared, const Limits& limits) {
  std::vector<Cells> table{kHead};
  for (const Row& row : compared.rows) table.push_back(cells_of(row));
  std::size_t widths[7] = {};
  for (const Cells& line : table)
    for (std::size_t i = 0; i < 7; ++i) widths[i] = std::max(widths[i], line.cells[i].size());
  std::string words;
  for (const std::string& failure : compared.failures) append(words, "failed: {}\n", printable(failure));
  for (const std::string& warning : compared.warnings) append(words, "warning: {}\n", printable(warning));
  for (const Cells& line : table) {
    for (std::size_t i = 0; i < 6; ++i) append(words, "{:<{}}  ", line.cells[i], widths[i]);
    append(words, "{}\n", line.cells[6]);
  }
  for (const std::string& row : compared.only_old) append(words, "only in OLD: {}\n", printable(row));
  for (const std::string& row : compared.only_new) append(words, "only in NEW: {}\n", printable(row));
  append(words, "{}\n", conclusion(compared, limits));
  return words;
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

std::string as_github(const Compared& compared, const Limits& limits) {
  std::string words = text("### Replay: {}\n\n", conclusion(compared, limits));
  if (!compared.rows.empty()) {
    for (const std::string& cell : kHead.cells) append(words, "| {} ", cell);
    words += "|\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n";
    for (const Row& row : compared.rows) {
      const Cells cells = cells_of(row);
      for (std::size_t i = 0; i < 6; ++i) append(words, "| {} ", in_markdown(cells.cells[i]));
      const char* const loud = row.verdict == Verdict::slower || row.verdict == Verdict::too_few ? "**" : "";
      append(words, "| {}{}{} |\n", loud, cells.cells[6], loud);
    }
    words += "\n";
  }
  for (const std::string& failure : compared.failures) append(words, "- **failed**: {}\n", in_markdown(failure));
  for (const std::string& warning : compared.warnings) append(words, "- warning: {}\n", in_markdown(warning));
  for (const std::string& row : compared.only_old) append(words, "- only in OLD: {}\n", in_markdown(row));
  for (const std::string& row : compared.only_new) append(words, "- only in NEW: {}\n", in_markdown(row));
  return words;
}

// Empty, or why no row has a verdict.
std::string why_not_judged(const Compared& compared, const RunResults& before, const RunResults& after) {
  if (compared.rows.empty())
    return text("{} and {}: no row of {} is in both: nothing is compared", before.path, after.path, compared.asked);
  if (compared.judged() == 0)
    return text("{} and {}: too few iterations in every row: play more with --loop (or --benchmark_repetitions)",
                before.path, after.path);
  return {};
}

constexpr const char* kRunsSuite = "rondo compare-runs";
constexpr const char* kRunsTest = "the comparison";

// A row and what NEW lacks or failed in is a test each. Where no row has a verdict, that is a test, too.
std::string as_junit(const Compared& compared, const RunResults& before, const RunResults& after) {
  using Kind = player::Verdict::Kind;
  std::vector<player::Verdict> verdicts;
  for (const Row& row : compared.rows) {
    const Kind kind = row.verdict == Verdict::slower    ? Kind::failed
                      : row.verdict == Verdict::too_few ? Kind::skipped
                                                        : Kind::passed;
    std::string why;
    if (kind != Kind::passed)
      why = text("{}: {} before, {} now, {:.3f} times as long, p = {:.2g}", verdict_text(row.verdict),
                 seconds_text(row.old_median), seconds_text(row.new_median), row.ratio, row.test.p);
    verdicts.push_back({text("{} ({})", row.name, row.metric), kind, why, row.new_median});
  }
  for (const std::string& row : compared.only_old)
    verdicts.push_back({row, compared.may_miss ? Kind::skipped : Kind::failed, "is only in OLD", 0});
  for (const std::string& failure : compared.failures) verdicts.push_back({"the new replay", Kind::error, failure, 0});
  if (const std::string why = why_not_judged(compared, before, after); !why.empty() && compared.whole())
    verdicts.push_back({kRunsTest, Kind::error, why, 0});
  return player::as_junit(kRunsSuite, text("{} and {}", before.path, after.path), verdicts);
}

std::string as_json(const Compared& compared, const Limits& limits, const RunResults& before, const RunResults& after) {
  std::string words;
  JsonWriter json(words, /*indented=*/true);
  const auto real = [&](const char* key, double value) {
    json.key(key);
    json.floating_value(value);
  };
  const auto list = [&](const char* key, const std::vector<std::string>& lines) {
    json.key(key);
    json.begin_array();
    for (const std::string& line : lines) json.string(line);
    json.end_array();
  };
  json.begin_object();
  json.field("old", before.path);
  json.field("new", after.path);
  real("threshold", limits.threshold);
  real("alpha", limits.alpha);
  json.field("slower", static_cast<std::uint64_t>(compared.count(Verdict::slower)));
  json.field("judged", static_cast<std::uint64_t>(compared.judged()));
  json.key("rows");
  json.begin_array();
  for (const Row& row : compared.rows) {
    json.begin_object();
    json.field("row", row.name);
    json.field("metric", row.metric);
    json.field("verdict", verdict_text(row.verdict));
    real("ratio", row.ratio);
    real("p", row.test.p);
    real("u", row.test.u);
    json.field("exact", row.test.exact);
    real("old_median_seconds", row.old_median);
    real("new_median_seconds", row.new_median);
    json.field("old_samples", static_cast<std::uint64_t>(row.olds));
    json.field("new_samples", static_cast<std::uint64_t>(row.news));
    json.end_object();
  }
  json.end_array();
  list("only_old", compared.only_old);
  list("only_new", compared.only_new);
  list("failures", compared.failures);
  list("warnings", compared.warnings);
  json.end_object();
  return words + "\n";
}

// ---- the command line

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
    return fail(Status::usage, text("--threshold: '{}' is {:.4g} %: write {}% if that is meant, or {}% for as many percent",
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

Result<std::vector<std::string>> parse_metrics(const std::string& given) {
  std::vector<std::string> names;
  for (std::size_t from = 0; from <= given.size();) {
    const std::size_t to = std::min(given.find(',', from), given.size());
    const std::string name = given.substr(from, to - from);
    if (std::find(metrics().begin(), metrics().end(), name) == metrics().end())
      return fail(Status::usage,
                  text("--metric: '{}' is none of seconds, span_seconds, cpu_seconds, gpu_seconds, label_seconds",
                       printable(name)));
    names.push_back(name);
    from = to + 1;
  }
  return names;
}

Result<std::pair<RunResults, RunResults>> read_both(const std::string& old_file, const std::string& new_file) {
  auto before = read_run_results(old_file);
  if (!before) return tl::unexpected(before.error());
  auto after = read_run_results(new_file);
  if (!after) return tl::unexpected(after.error());
  if (before->kind != after->kind)
    return fail(Status::usage, text("{} and {}: one is a report of player, the other google-benchmark's: nothing in "
                                    "them can be compared", old_file, new_file));
  if (before->clamped_shaders != after->clamped_shaders)
    return fail(
        Status::usage,
        text("{}: its shaders were clamped (player --clamp-shaders), and those of {} were not: that is "
             "slower, and nothing in them can be compared",
             before->clamped_shaders ? old_file : new_file, before->clamped_shaders ? new_file : old_file));
  return std::pair(std::move(*before), std::move(*after));
}

}  // namespace

Result<int> run_compare_runs(Arguments args) {
  std::string old_file, new_file, threshold = "5%", alpha = "0.05", metric = "seconds,gpu_seconds,label_seconds", format = "text";
  Cli cli("rondo compare-runs",
          "Says whether what replays took is slower than it was: of two reports of player (--report, with --loop)\n"
          "or two JSON files of google-benchmark. Each row by a Mann-Whitney test of its iterations.");
  cli.positional("OLD.json", "what it took before", old_file);
  cli.positional("NEW.json", "what it takes now", new_file);
  cli.value("--threshold", "5%", "medians that differ by less are the same (default 5%; also 0.05)", threshold);
  cli.value("--alpha", "P", "how unlikely a difference has to be by chance, for each row (default 0.05)", alpha);
  cli.value("--metric", "NAME,...", "seconds, span_seconds, cpu_seconds, gpu_seconds, label_seconds (default: all but span_ and cpu_seconds)",
            metric);
  bool may_miss = false;
  cli.flag("--allow-missing", "a row or metric that only OLD has is named and does not change the status", may_miss);
  cli.choice("--format", {"text", "json", "github", "junit"},
             "github: a Markdown table for $GITHUB_STEP_SUMMARY; junit: XML for CI, a test a row", format);
  cli.footer("Exit: 0 nothing is slower, 5 a row is, or is missing in NEW, or NEW is of a replay that failed,\n"
             "2 nothing could be compared or wrong usage, 3 a file is no such result.");
  const auto parsed = cli.parse(args);
  if (!parsed) return tl::unexpected(parsed.error());
  if (!*parsed) return 0;

  Limits limits;
  auto number = parse_threshold(threshold);
  if (!number) return tl::unexpected(number.error());
  limits.threshold = *number;
  number = parse_alpha(alpha);
  if (!number) return tl::unexpected(number.error());
  limits.alpha = *number;
  const auto asked = parse_metrics(metric);
  if (!asked) return tl::unexpected(asked.error());
  const auto reports = read_both(old_file, new_file);
  if (!reports) {
    if (format == "junit") {
      Output out;
      out.write(player::as_junit(kRunsSuite, text("{} and {}", old_file, new_file), kRunsTest, reports.error()));
      RONDO_TRY(out.finish());
    }
    return tl::unexpected(reports.error());
  }
  const auto& [before, after] = *reports;

  Compared compared = compare(before, after, *asked, limits);
  compared.may_miss = may_miss;
  compared.asked = metric;
  Output out;
  if (format == "json")
    out.write(as_json(compared, limits, before, after));
  else if (format == "junit")
    out.write(as_junit(compared, before, after));
  else
    out.write(format == "github" ? as_github(compared, limits) : as_text(compared, limits));
  RONDO_TRY(out.finish());
  if (compared.count(Verdict::slower) != 0 || !compared.whole()) return static_cast<int>(Status::different);
  if (const std::string why = why_not_judged(compared, before, after); !why.empty()) return fail(Status::usage, why);
  return 0;
}

}  // namespace rondo::analyzers
