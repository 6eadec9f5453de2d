// SPDX-License-Identifier: Apache-2.0
// What a packing costs. The time of a version must not grow with their number.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "analyzers/analysis/graph/pack.h"

namespace {

using namespace rondo::graph;

enum Pattern {
  short_lives,  // 50 versions are live at a time
  long_lives,   // a twentieth of all
  all_at_once,  // all of them
};

void pack_versions(benchmark::State& state) {
  const auto count = static_cast<std::uint32_t>(state.range(0));
  const auto pattern = static_cast<Pattern>(state.range(1));
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::vector<PackItem> items;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t from = random() % count;
    const std::uint32_t length = pattern == short_lives  ? random() % 100
                                 : pattern == long_lives ? random() % (count / 10)
                                                         : 2 * count;
    items.push_back({1 + random() % 100'000, 256, false, {{pattern == all_at_once ? i : from, from + length}}});
  }
  Packing packing;
  for (auto _ : state) packing = pack(items, 1);
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["over_bound"] = static_cast<double>(packing.bytes) / static_cast<double>(packing.lower_bound) - 1;
  state.counters["rough"] = packing.is_rough ? 1 : 0;
}

BENCHMARK(pack_versions)
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {short_lives, long_lives, all_at_once}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
