// SPDX-License-Identifier: Apache-2.0
#include "player/measure/benchmark.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <deque>
#include <sstream>
#include <string_view>
#include <vector>

#include "format/printable.h"
#include "player/loop/iterations.h"
#include "player/unexpected_words.h"

namespace rondo::player {

namespace {

// "frames:120:125", "scope:prefill#3".
std::string row_name(const SpanRequest& request) {
  if (request.kind == SpanRequest::Kind::whole) return "replay/whole";
  if (request.kind == SpanRequest::Kind::scope)
    return "replay/scope:" + request.name + (request.occurrence ? "#" + std::to_string(*request.occurrence) : "");
  return std::string("replay/") + (request.kind == SpanRequest::Kind::frames ? "frames:" : "submits:") +
         std::to_string(request.first) + ":" + std::to_string(request.last);
}

// google-benchmark prints its help and leaves with 0 where it does not know such a value.
Result<void> check_value(std::string_view flag, const std::string& option, const std::vector<std::string>& values) {
  if (!flag.starts_with(option + "=")) return {};
  const std::string wrong = none_of(flag.substr(option.size() + 1), values);
  if (wrong.empty()) return {};
  return fail(Status::usage, option + ": " + wrong);
}

// Options of google-benchmark that a misspelt one may mean. Its library knows which there are, and has no list.
const std::vector<std::string> kBenchmarkOptions{
    "--benchmark_list_tests",      "--benchmark_filter",        "--benchmark_min_time",
    "--benchmark_min_warmup_time", "--benchmark_repetitions",   "--benchmark_enable_random_interleaving",
    "--benchmark_format",          "--benchmark_out",           "--benchmark_report_aggregates_only",
    "--benchmark_out_format",      "--benchmark_color",         "--benchmark_display_aggregates_only",
    "--benchmark_context",         "--benchmark_perf_counters", "--benchmark_counters_tabular",
    "--benchmark_time_unit"};

// "--benchmark_fromat=json: google-benchmark has no such option; the closest is --benchmark_format".
std::string unknown_flag(const std::string& flag) {
  const std::string option = flag.substr(0, flag.find('='));
  const auto known = std::find(kBenchmarkOptions.begin(), kBenchmarkOptions.end(), option);
  if (known != kBenchmarkOptions.end()) return flag + ": google-benchmark has no such value of this option";
  return flag + ": google-benchmark has no such option" + closest_text(option, kBenchmarkOptions);
}

// The runs of a row, for the report. In front of those that it gives results of, google-benchmark tries how often to
// iterate, ever more often, and warms up.
struct Runs {
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;  // numbers
  std::string row;
  ::benchmark::IterationCount each = 0;  // iterations of a run
  std::vector<IterationTimes> times;     // of the last runs, which are of so many all
  std::vector<double> intervals;         // likewise, iteration after iteration

  void begin(::benchmark::IterationCount iterations) {
    if (iterations == each) return;
    each = iterations;
    times.clear();
    intervals.clear();
  }
  void add(const IterationTimes& one, const std::vector<double>& seconds) {
    if (times.size() + intervals.size() >= kMostKept) return;
    times.push_back(one);
    intervals.insert(intervals.end(), seconds.begin(), seconds.end());
  }
  // All but the last `runs` were trials, too.
  void keep(std::int64_t runs) {
    const std::size_t wanted = static_cast<std::size_t>(runs * each);
    if (times.size() <= wanted) return;
    const std::size_t names = intervals.size() / times.size();
    const std::size_t trials = times.size() - wanted;
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(trials));
    intervals.erase(intervals.begin(), intervals.begin() + static_cast<std::ptrdiff_t>(trials * names));
  }
};

// google-benchmark warns if its library is a debug build, as Debian's is. The warning is left out: the player times
// each iteration itself, so the library's own speed is not in the times. Other warnings stay.
std::string without_debug_warning(const std::string& about) {
  std::istringstream lines(about);
  std::string rest;
  for (std::string line; std::getline(lines, line);)
    if (line.find("Library was built as DEBUG") == std::string::npos) rest += line + "\n";
  return rest;
}

// What --benchmark_format asks for, and how many runs of a row the results are of.
class Reporter : public ::benchmark::BenchmarkReporter {
 public:
  explicit Reporter(std::deque<Runs>& all) : all_(all), printer_(*::benchmark::CreateDefaultDisplayReporter()) {}

  bool ReportContext(const Context& context) override {
    printer_.SetOutputStream(&GetOutputStream());
    std::ostringstream about;
    printer_.SetErrorStream(&about);
    const bool goes_on = printer_.ReportContext(context);
    GetErrorStream() << without_debug_warning(about.str());
    printer_.SetErrorStream(&GetErrorStream());
    return goes_on;
  }
  void ReportRuns(const std::vector<Run>& report) override {
    for (Runs& runs : all_)
      if (runs.row == report.front().run_name.function_name) runs.keep(report.front().repetitions);
    printer_.ReportRuns(report);
  }
  void Finalize() override { printer_.Finalize(); }

 private:
  std::deque<Runs>& all_;
  ::benchmark::BenchmarkReporter& printer_;  // google-benchmark's own
};

class Row {
 public:
  static constexpr std::size_t kAll = SIZE_MAX;
  Row(Iterations& iterations, std::size_t interval, Runs& runs, Result<void>& failed)
      : iterations_(iterations), interval_(interval), runs_(runs), failed_(failed) {}

  void operator()(::benchmark::State& state) {
    runs_.begin(state.max_iterations);
    double span = 0, cpu = 0, gpu = 0, label = 0;
    bool has_gpu = true, has_label = true;
    for (auto turn : state) {
      static_cast<void>(turn);
      const auto times = failed_ ? iterations_.next() : tl::unexpected<Error>(failed_.error());
      if (!times) {
        failed_ = tl::unexpected<Error>(times.error());
        return state.SkipWithError("the replay failed");
      }
      state.SetIterationTime(interval_ == kAll ? times->work : iterations_.interval_seconds()[interval_]);
      span += times->span;
      cpu += times->cpu;
      gpu += times->gpu.value_or(0);
      label += times->label.value_or(0);
      has_gpu = has_gpu && times->gpu.has_value();
      has_label = has_label && times->label.has_value();
      runs_.add(*times, iterations_.interval_seconds());
    }
    if (interval_ != kAll) return;
    // As the report calls them: compare-runs reads both.
    const auto each = ::benchmark::Counter::kAvgIterations;
    state.counters["span_seconds"] = ::benchmark::Counter(span, each);
    state.counters["cpu_seconds"] = ::benchmark::Counter(cpu, each);
    if (has_gpu) state.counters["gpu_seconds"] = ::benchmark::Counter(gpu, each);
    if (has_label) state.counters["label_seconds"] = ::benchmark::Counter(label, each);
    state.counters["submits"] = static_cast<double>(iterations_.counts_in_span().submits);
    state.counters["calls"] = static_cast<double>(iterations_.counts_in_span().calls);
  }

 private:
  Iterations& iterations_;
  std::size_t interval_;
  Runs& runs_;
  Result<void>& failed_;
};

}  // namespace

Result<void> become_benchmark_program(char**) { return {}; }

Result<void> take_benchmark_flags(const std::vector<std::string>& flags) {
  static std::string program = "player";  // it keeps pointers
  static std::vector<std::string> kept;
  kept = flags;
  std::vector<char*> words{program.data()};
  for (std::string& flag : kept) {
    for (const char* option : {"--benchmark_format", "--benchmark_out_format"})
      RONDO_TRY(check_value(flag, option, {"console", "json", "csv"}));
    RONDO_TRY(check_value(flag, "--benchmark_time_unit", {"ns", "us", "ms", "s"}));
    words.push_back(flag.data());
  }
  words.push_back(nullptr);
  int count = static_cast<int>(words.size() - 1);
  ::benchmark::SetDefaultTimeUnit(::benchmark::kMillisecond);  // unless --benchmark_time_unit is given
  ::benchmark::Initialize(&count, words.data());
  if (count > 1) return fail(Status::usage, unknown_flag(words[1]));
  return {};
}

Result<void> benchmark(const Options& options, Iterations& iterations, Outcome& outcome) {
  Result<void> failed;
  std::deque<Runs> all;  // stay where they are
  const auto add = [&](const std::string& raw, std::size_t interval) {
    const std::string name = printable(raw);  // google-benchmark escapes quotes and backslashes alone
    all.emplace_back().row = name;
    ::benchmark::RegisterBenchmark(name.c_str(), Row(iterations, interval, all.back(), failed))->UseManualTime();
  };
  add(row_name(options.span), Row::kAll);
  if (options.span.kind == SpanRequest::Kind::scope)
    for (std::size_t i = 0; i < iterations.interval_names().size(); ++i)
      add("replay/scope:" + iterations.interval_names()[i], i);
  ::benchmark::AddCustomContext("player", RONDO_VERSION);
  for (std::size_t i = 0; i < outcome.devices.size(); ++i)
    ::benchmark::AddCustomContext("device" + (i == 0 ? "" : std::to_string(i)), printable(outcome.devices[i]));
  ::benchmark::AddCustomContext("capture", printable(options.file));
  ::benchmark::AddCustomContext("capture_digest", outcome.capture_digest);
  ::benchmark::AddCustomContext("span", printable(outcome.span));
  if (options.verify) ::benchmark::AddCustomContext("verification", "--verify");
  std::string replaced;
  for (const Replaced& one : outcome.replaced) replaced += (replaced.empty() ? "" : ", ") + one.selector;
  if (!replaced.empty()) ::benchmark::AddCustomContext("choice of replaced shaders", printable(replaced));
  if (outcome.shaders.clamped) ::benchmark::AddCustomContext("clamped_shaders", outcome.shaders.clamped->numbers());
  Reporter reporter(all);
  const std::size_t rows = ::benchmark::RunSpecifiedBenchmarks(&reporter);
  ::benchmark::Shutdown();
  outcome.intervals.names = iterations.interval_names();
  for (const Runs& runs : all) {
    outcome.rows.insert(outcome.rows.end(), runs.times.size(), runs.row);
    outcome.iterations.insert(outcome.iterations.end(), runs.times.begin(), runs.times.end());
    outcome.intervals.seconds.insert(outcome.intervals.seconds.end(), runs.intervals.begin(), runs.intervals.end());
  }
  if (failed && rows == 0) return fail(Status::usage, "--benchmark_filter: no row has such a name");
  return failed;
}

}  // namespace rondo::player
