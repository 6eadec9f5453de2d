// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` costs above the work graph: nodes of four touches each, with barriers between them, without the
// capture that they come from. The time of a node must not grow with their number.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "analyzers/analysis/graph/needs.h"
#include "analyzers/analysis/graph/sync_verdicts.h"

namespace {

using namespace rondo;
using namespace rondo::graph;

// Each space is a buffer that is not bound.
struct Buffers final : SpaceFacts {
  const SpaceInfo& info(std::uint32_t) const override { return one; }
  ObjectId only_on(std::uint32_t, std::uint64_t, std::uint64_t) const override { return ObjectId::null; }
  SpaceInfo one{SpaceInfo::Kind::buffer, ObjectId::null, {}};
};

struct Asking final : NeedSink {
  void needs(std::uint32_t node, std::span<const Need> all) override { questions.needs(node, all, *from, spaces); }
  Buffers spaces;
  SyncQuestions questions;
  const Needs* from = nullptr;
};

enum Pattern {
  one_barrier,   // a barrier after ten nodes, the same command each time: a command buffer that is executed again
  new_barriers,  // … another command each time, from stage to stage: frames that are recorded again
  kinds,         // … of one of 64 kinds
  buffers,       // … that names the buffers that the nodes have written
};

model::Barrier barrier_of(VkPipelineStageFlags2 from, VkAccessFlags2 from_access, VkPipelineStageFlags2 to,
                          VkAccessFlags2 to_access) {
  model::Barrier one;
  one.src_stages = from;
  one.src_access = from_access;
  one.dst_stages = to;
  one.dst_access = to_access;
  return one;
}

void sync_of(benchmark::State& state) {
  const auto nodes = static_cast<std::uint32_t>(state.range(0));
  const auto pattern = static_cast<Pattern>(state.range(1));
  constexpr VkPipelineStageFlags2 kStages[] = {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_COPY_BIT,
                                               VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  constexpr VkAccessFlags2 kWrite = VK_ACCESS_2_MEMORY_WRITE_BIT,
                           kAny = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  std::uint64_t asked = 0, races = 0, superfluous = 0;
  for (auto _ : state) {
    std::mt19937 random(1);
    Asking asking;
    Needs needs(asking);
    asking.from = &needs;
    SyncQuestions& questions = asking.questions;
    const std::uint32_t reads =
        needs.number_of({VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT, false, false, 0});
    const std::uint32_t writes = needs.number_of(
        {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, false, false, 0});
    access::Recorded recorded;
    access::Executed executed;
    executed.recorded = &recorded;
    executed.queue = static_cast<ObjectId>(1);
    executed.submit = 0;
    std::vector<std::uint32_t> written;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (node % 10 == 0) {
        std::vector<model::Effect> effects;
        if (pattern == buffers)
          for (std::size_t i = 0; i < written.size(); ++i) {
            model::Barrier one = barrier_of(kStages[0], kWrite, kStages[0], kAny);
            one.kind = model::Barrier::Kind::buffer;
            effects.emplace_back(one);
          }
        else if (pattern == kinds)
          effects.emplace_back(barrier_of(kStages[random() % 4], random() % 2 != 0 ? kWrite : kAny,
                                          kStages[random() % 4], random() % 2 != 0 ? kAny : kWrite));
        else
          effects.emplace_back(barrier_of(kStages[0], kWrite, kStages[0], kAny));
        executed.command = CommandId::vkCmdPipelineBarrier2;
        executed.record = pattern == one_barrier ? 1 : node + 1;
        executed.effects = effects;
        questions.command(executed);
        std::size_t i = 0;
        for (const SyncLog::Ranged& one : questions.log.ranged())
          needs.mark(written[i++], 0, 65536,
                     [&](std::uint32_t history) { return questions.histories.add(history, one.op); });
        executed.effects = {};
        written.clear();
      }
      executed.command = CommandId::vkCmdDispatch;
      executed.record = node;
      questions.command(executed);
      questions.node(needs.begin(), executed);
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t resource = i == 3 ? node % 1000 : (node % 1000 + 10 * (i + 1)) % 1000;
        needs.touch(resource, 0, 65536, i != 3 ? reads : writes, i != 3, i == 3);
        if (i == 3) written.push_back(resource);
      }
      needs.end();
    }
    const SyncVerdicts verdicts = find_verdicts(questions);
    asked = questions.all().size();
    races = superfluous = 0;
    for (const bool race : verdicts.is_race) races += race ? 1 : 0;
    for (const SyncResult& one : verdicts.syncs) superfluous += one.verdict == SyncVerdict::superfluous ? 1 : 0;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.SetItemsProcessed(state.iterations() * nodes);
  state.counters["questions"] = static_cast<double>(asked);
  state.counters["races"] = static_cast<double>(races);
  state.counters["superfluous"] = static_cast<double>(superfluous);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
}

BENCHMARK(sync_of)
    ->ArgNames({"nodes", "pattern"})
    ->ArgsProduct({{10000, 100000, 1000000}, {one_barrier, new_barriers, kinds, buffers}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
