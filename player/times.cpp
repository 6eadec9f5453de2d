// SPDX-License-Identifier: Apache-2.0
#include "player/times.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace rondo::player {

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

std::string times_table(const std::vector<IterationTimes>& iterations) {
  char line[160];
  std::snprintf(line, sizeof line, "%-28s %10s %10s %10s %10s\n", ("ms, of " + std::to_string(iterations.size())).c_str(),
                "min", "median", "p95", "variation");
  std::string text = line;
  const auto row = [&](const char* name, double IterationTimes::*member) {
    std::vector<double> values;
    for (const IterationTimes& one : iterations) values.push_back(one.*member);
    const Spread s = spread_of(std::move(values));
    std::snprintf(line, sizeof line, "%-28s %10.3f %10.3f %10.3f %8.1f %%\n", name, s.min * 1e3, s.median * 1e3,
                  s.p95 * 1e3, s.variation * 1e2);
    text += line;
  };
  row("first submit to last wait", &IterationTimes::work);
  row("whole span", &IterationTimes::span);
  row("processor time of its thread", &IterationTimes::cpu);
  return text;
}

}  // namespace rondo::player
