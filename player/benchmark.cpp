// SPDX-License-Identifier: Apache-2.0
#include "player/benchmark.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "player/iterations.h"

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
Result<void> check_value(std::string_view flag, std::string_view option, std::initializer_list<std::string_view> values,
                         const char* what) {
  if (!flag.starts_with(option)) return {};
  if (std::find(values.begin(), values.end(), flag.substr(option.size())) != values.end()) return {};
  return fail(Status::usage, std::string(flag) + ": it is " + what);
}

class Row {
 public:
  static constexpr std::size_t kAll = SIZE_MAX;
  Row(Iterations& iterations, std::size_t interval, Outcome& outcome, Result<void>& failed)
      : iterations_(iterations), interval_(interval), outcome_(outcome), failed_(failed) {}

  void operator()(::benchmark::State& state) {
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
      if (outcome_.iterations.size() < kMostKept) outcome_.iterations.push_back(*times);
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
  static constexpr std::size_t kMostKept = std::size_t{1} << 20;  // for the report
  Iterations& iterations_;
  std::size_t interval_;
  Outcome& outcome_;
  Result<void>& failed_;
};

}  // namespace

Result<void> take_benchmark_flags(const std::vector<std::string>& flags) {
  static std::string program = "player";  // it keeps pointers
  static std::vector<std::string> kept;
  kept = flags;
  std::vector<char*> words{program.data()};
  for (std::string& flag : kept) {
    for (const char* option : {"--benchmark_format=", "--benchmark_out_format="})
      RONDO_TRY(check_value(flag, option, {"console", "json", "csv"}, "console, json or csv"));
    RONDO_TRY(check_value(flag, "--benchmark_time_unit=", {"ns", "us", "ms", "s"}, "ns, us, ms or s"));
    words.push_back(flag.data());
  }
  words.push_back(nullptr);
  int count = static_cast<int>(words.size() - 1);
  ::benchmark::SetDefaultTimeUnit(::benchmark::kMillisecond);  // unless --benchmark_time_unit is given
  ::benchmark::Initialize(&count, words.data());
  if (count > 1) return fail(Status::usage, std::string(words[1]) + ": google-benchmark has no such option, or not with this value");
  return {};
}

Result<void> benchmark(const Options& options, Iterations& iterations, Outcome& outcome) {
  Result<void> failed;
  const auto add = [&](const std::string& name, std::size_t interval) {
    ::benchmark::RegisterBenchmark(name.c_str(), Row(iterations, interval, outcome, failed))
        ->UseManualTime();
  };
  add(row_name(options.span), Row::kAll);
  if (options.span.kind == SpanRequest::Kind::scope)
    for (std::size_t i = 0; i < iterations.interval_names().size(); ++i)
      add("replay/scope:" + iterations.interval_names()[i], i);
  ::benchmark::AddCustomContext("player", RONDO_VERSION);
  for (std::size_t i = 0; i < outcome.devices.size(); ++i)
    ::benchmark::AddCustomContext("device" + (i == 0 ? "" : std::to_string(i)), outcome.devices[i]);
  ::benchmark::AddCustomContext("capture", options.file);
  ::benchmark::AddCustomContext("capture_digest", outcome.capture_digest);
  ::benchmark::AddCustomContext("span", outcome.span);
  const std::size_t rows = ::benchmark::RunSpecifiedBenchmarks();
  ::benchmark::Shutdown();
  if (failed && rows == 0) return fail(Status::usage, "--benchmark_filter: no row has such a name");
  return failed;
}

}  // namespace rondo::player
