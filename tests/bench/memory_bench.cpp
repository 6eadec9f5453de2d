// SPDX-License-Identifier: Apache-2.0
// What finding host writes costs a frame: the program touches a part of a
// persistently mapped 64 MiB and submits. The time is its writes, the scan and
// the comparison; what is recorded is counted, not written anywhere.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "layer/memory/kernel.h"
#include "layer/memory/tracker.h"

namespace {

using namespace rondo::memory;

constexpr std::size_t mapped_bytes = std::size_t{64} << 20;
constexpr std::size_t pages = mapped_bytes / page_bytes;

// One counter in every touched page (`dense` = 0), or the whole page.
void write_frame(std::byte* host, std::size_t percent, bool dense, std::uint64_t frame) {
  const std::size_t touched = pages * percent / 100;
  for (std::size_t i = 0; i < touched; ++i) {
    std::byte* const at = host + i * 100 / percent % pages * page_bytes;
    if (dense)
      std::memset(at, static_cast<int>(frame & 0xff), page_bytes);
    else
      std::memcpy(at, &frame, sizeof frame);
  }
}

void count(benchmark::State& state, std::uint64_t recorded) {
  state.counters["recorded_bytes"] =
      benchmark::Counter(static_cast<double>(recorded), benchmark::Counter::kAvgIterations);
}

void frames(benchmark::State& state, Mechanism mechanism, bool adapts = true) {
  const auto tracker = Tracker::create(name(mechanism));
  if (tracker->mechanism() != mechanism) {
    state.SkipWithError(tracker->message().c_str());
    return;
  }
  std::unique_ptr<AliasMemory> memory;
  void* mapping = nullptr;
  std::unique_ptr<Tracked> tracked;
  if (mechanism == Mechanism::alias) {
    memory = tracker->allocate(mapped_bytes, page_bytes);
    mapping = memory->program_side();
    tracked = tracker->track(*memory, Initial::zeros);
  } else {
    mapping = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tracked = tracker->track(mapping, mapped_bytes, Initial::zeros);
  }
  auto* const host = static_cast<std::byte*>(mapping);
  tracked->adapt(adapts);
  std::memset(host, 1, mapped_bytes);
  tracked->collect(0, whole, Device::idle);
  std::uint64_t frame = 0;
  std::uint64_t recorded = 0;
  for (auto _ : state) {
    write_frame(host, static_cast<std::size_t>(state.range(0)), state.range(1) != 0, ++frame);
    for (Tracked* found : tracker->scan())
      for (const Range& range : found->changes(Device::idle)) recorded += range.size;
  }
  count(state, recorded);
  tracked.reset();
  if (memory == nullptr) munmap(mapping, mapped_bytes);
}

void untracked(benchmark::State& state) {
  std::vector<std::byte> memory(mapped_bytes, std::byte{1});
  std::uint64_t frame = 0;
  for (auto _ : state) {
    write_frame(memory.data(), static_cast<std::size_t>(state.range(0)), state.range(1) != 0, ++frame);
    benchmark::ClobberMemory();
  }
}

void many_memories(benchmark::State& state) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) {
    state.SkipWithError(tracker->message().c_str());
    return;
  }
  const bool together = state.range(1) != 0;
  std::vector<std::unique_ptr<AliasMemory>> memory;
  std::vector<std::unique_ptr<Tracked>> tracked;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    memory.push_back(tracker->allocate(64 * 1024, page_bytes));
    tracked.push_back(tracker->track(*memory.back(), Initial::zeros));
  }
  std::uint64_t frame = 0;
  for (auto _ : state) {
    ++frame;
    std::memcpy(memory[frame % memory.size()]->program_side(), &frame, sizeof frame);
    if (together) {
      for (Tracked* found : tracker->scan()) benchmark::DoNotOptimize(found->changes(Device::idle).size());
    } else {
      for (const auto& each : tracked) benchmark::DoNotOptimize(each->collect(0, whole, Device::idle).size());
    }
  }
}

void refresh(benchmark::State& state) {
  const auto tracker = Tracker::create("alias");
  if (tracker->mechanism() != Mechanism::alias) {
    state.SkipWithError(tracker->message().c_str());
    return;
  }
  const auto memory = tracker->allocate(mapped_bytes, page_bytes);
  const auto tracked = tracker->track(*memory, Initial::zeros);
  std::memset(memory->device_side(), 1, mapped_bytes);
  tracked->refresh(0, whole, Refresh::everything);
  std::uint64_t frame = 0;
  for (auto _ : state) {
    write_frame(memory->device_side(), static_cast<std::size_t>(state.range(0)), false, ++frame);
    benchmark::DoNotOptimize(tracked->refresh(0, whole, Refresh::everything).size());
  }
}

void every_share(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"percent", "dense"})->Unit(benchmark::kMicrosecond);
  for (const int dense : {0, 1})
    for (const int percent : {1, 20, 100}) bench->Args({percent, dense});
}

BENCHMARK(untracked)->Apply(every_share);
BENCHMARK_CAPTURE(frames, alias, Mechanism::alias)->Apply(every_share);
BENCHMARK_CAPTURE(frames, alias_always_watched, Mechanism::alias, false)->Apply(every_share);
BENCHMARK_CAPTURE(frames, pagemap, Mechanism::pagemap)->Apply(every_share);
BENCHMARK_CAPTURE(frames, scan, Mechanism::scan)->Apply(every_share);
BENCHMARK(many_memories)
    ->ArgNames({"memories", "together"})
    ->ArgsProduct({{1, 64, 4096}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(refresh)->ArgName("percent")->Arg(1)->Arg(20)->Arg(100)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
