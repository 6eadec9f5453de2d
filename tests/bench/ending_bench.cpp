// SPDX-License-Identifier: Apache-2.0
// What `rondo capture` does with a whole capture when its program has ended: the line that sums it up, and the
// question whether any player replays it. ending_bench CAPTURE… [--benchmark_…]
#include <benchmark/benchmark.h>

#include <string>

#include "analyzers/launch/replayable.h"
#include "analyzers/read/summary.h"

namespace {

using namespace rondo::analyzers;

void sum_up(benchmark::State& state, const std::string& path) {
  for ([[maybe_unused]] const auto& iteration : state)
    if (!summarize(path)) state.SkipWithError("it cannot be read");
}

void ask_whether_replayable(benchmark::State& state, const std::string& path) {
  for ([[maybe_unused]] const auto& iteration : state)
    if (!why_not_replayable(path, {.just_recorded = true}).empty()) state.SkipWithError("it cannot be replayed");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    const std::string path = argv[i];
    benchmark::RegisterBenchmark(("sum_up " + path).c_str(), sum_up, path)->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("replayable " + path).c_str(), ask_whether_replayable, path)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
