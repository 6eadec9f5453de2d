// SPDX-License-Identifier: Apache-2.0
// What the needs of the work graph cost: nodes of four touches each, without the capture that they come from. The time
// of a node must not grow with their number.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <span>

#include "analyzers/analysis/graph/needs.h"

namespace {

using namespace rondo::graph;

struct Count final : NeedSink {
  void needs(std::uint32_t, std::span<const Need> all) override { needs_told += all.size(); }
  std::uint64_t needs_told = 0;
};

enum Pattern {
  frames,     // each node reads three resources and writes a fourth, the same ones in each frame of 1,000 nodes
  scattered,  // pieces of 256 bytes to 4 KiB anywhere in 4 MiB, one of four written
  readers,    // all nodes read one resource, and every thousandth writes a piece of it
};

void needs_of(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto pattern = static_cast<Pattern>(state.range(1));
  std::uint64_t told = 0, segments = 0, held = 0;
  for (auto _ : state) {
    std::mt19937 random(1);
    Count count;
    Needs needs(count);
    const std::uint32_t way = needs.number_of({1, 1, false, false, 0});
    for (std::uint32_t node = 0; node < nodes; ++node) {
      needs.begin();
      for (std::uint32_t i = 0; i < 4; ++i) {
        if (pattern == frames) {
          const std::uint32_t resource = i == 3 ? node % 1000 : (node % 1000 + 7 * (i + 1)) % 1000;
          needs.touch(resource, 0, 65536, way, i != 3, i == 3);
        } else if (pattern == scattered) {
          const std::uint64_t begin = random() % (4u << 20), size = 256 + random() % 3840;
          needs.touch(0, begin, begin + size, way, i != 3, i == 3);
        } else if (i == 0) {
          const std::uint64_t piece = node / 1000 % 8 * 4096;
          if (node % 1000 == 999)
            needs.touch(0, piece, piece + 4096, way, false, true);
          else
            needs.touch(0, 0, 8 * 4096, way, true, false);
        } else {
          needs.touch(1 + node % 1000 * 4 + i, 0, 4096, way, i == 1, i == 2);
        }
      }
      needs.end();
    }
    told = count.needs_told;
    segments = needs.segments();
    held = needs.held();
  }
  state.SetItemsProcessed(state.iterations() * nodes);
  state.counters["needs"] = static_cast<double>(told);
  state.counters["segments"] = static_cast<double>(segments);
  state.counters["held"] = static_cast<double>(held);
}

BENCHMARK(needs_of)
    ->ArgNames({"nodes", "pattern"})
    ->ArgsProduct({{10000, 100000, 1000000}, {frames, scattered, readers}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
