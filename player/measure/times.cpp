// SPDX-License-Identifier: Apache-2.0
#include "player/measure/times.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "format/printable.h"

namespace rondo::player {

double thread_cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::int64_t ticks_since(std::uint64_t zero, std::uint64_t ticks, std::uint64_t mask) {
  const std::uint64_t since = (ticks - zero) & mask;
  return static_cast<std::int64_t>(since > mask / 2 ? since | ~mask : since);
}

std::int64_t covered_by(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::int64_t covered = 0, until = intervals.front().first;
  for (const auto& [begin, end] : intervals) {
    if (end > until) covered += end - std::max(begin, until);
    until = std::max(until, end);
  }
  return covered;
}

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Spread spread;
  spread.min = values.front();
  spread.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  spread.p95 = values[(n * 95 + 99) / 100 - 1];
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  if (n > 1 && mean > 0) spread.variation = std::sqrt(squares / static_cast<double>(n - 1)) / mean;
  return spread;
}

std::string times_table(const std::vector<IterationTimes>& iterations, const IntervalTimes& intervals) {
  constexpr std::size_t kMostRows = 50;
  char line[200];
  std::snprintf(line, sizeof line, "%-28s %10s %10s %10s %10s\n",
                ("ms, of " + std::to_string(iterations.size())).c_str(), "min", "median", "p95", "variation");
  std::string text = line;
  std::vector<double> values;
  // value(i): of iteration i.
  const auto row = [&](const std::string& name, const auto& value) {
    values.clear();
    for (std::size_t i = 0; i < iterations.size(); ++i) values.push_back(value(i));
    const Spread s = spread_of(values);
    std::snprintf(line, sizeof line, "%-28.100s %10.3f %10.3f %10.3f %8.1f %%\n", name.c_str(), s.min * 1e3,
                  s.median * 1e3, s.p95 * 1e3, s.variation * 1e2);
    text += line;
  };
  row("first submit to last wait", [&](std::size_t i) { return iterations[i].work; });
  row("whole span", [&](std::size_t i) { return iterations[i].span; });
  row("processor time of its thread", [&](std::size_t i) { return iterations[i].cpu; });
  if (iterations.front().gpu) row("the device's work", [&](std::size_t i) { return iterations[i].gpu.value_or(0); });
  if (iterations.front().label)
    row("the label's commands", [&](std::size_t i) { return iterations[i].label.value_or(0); });
  for (std::size_t k = 0; k < std::min(intervals.names.size(), kMostRows); ++k)
    row(printable(intervals.names[k]), [&](std::size_t i) { return intervals.of(i)[k]; });
  if (intervals.names.size() > kMostRows)
    text += "… and " + std::to_string(intervals.names.size() - kMostRows) + " more: --report has them\n";
  return text;
}

}  // namespace rondo::player
