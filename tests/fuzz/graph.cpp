// SPDX-License-Identifier: Apache-2.0
// The work graph of any file, what orders it, and the longest paths through both.
#include <algorithm>
#include <optional>
#include <vector>

#include "analyzers/analysis/graph/has_paths.h"
#include "analyzers/analysis/graph/need_lists.h"
#include "analyzers/analysis/graph/sync_verdicts.h"
#include "analyzers/analysis/graph/work_graph.h"
#include "analyzers/analysis/graph_nodes.h"
#include "format/reader.h"
#include "model/access/model.h"
#include "model/parameters.h"
#include "model/placement.h"
#include "model/stream.h"
#include "model/submits.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/targets.h"

namespace rondo::fuzz {

namespace {

constexpr access::Limits kGraphLimits{.executed = 1 << 18, .recorded = 1 << 15, .descriptors = 1 << 15};

// Batches begin where they are submitted: which one waits for which is the resolver's.
class Orders final : public model::SubmitSink {
 public:
  explicit Orders(std::optional<graph::WorkGraph>& work) : work_(work) {}
  void batch(const model::Batch& batch) override {
    work_->submitted(batch);
    work_->begins(batch);
    batches_.push_back(batch);
  }
  void host(const model::HostSync& sync) override { work_->host(sync); }
  void end_batches() {
    for (const model::Batch& one : batches_) work_->ends(one);
    batches_.clear();
  }

 private:
  std::optional<graph::WorkGraph>& work_;
  std::vector<model::Batch> batches_;
};

// Longest paths, where each item counts 1.
void expect_paths(const graph::SyncQuestions& questions, const graph::NeedLists& needs,
                  const analyzers::GraphNodes& nodes) {
  std::vector<graph::HasNode> all;
  for (std::uint32_t i = 0; i < nodes.item_of.size(); ++i)
    all.push_back({questions.place(i), nodes.stages[i], nodes.item_of[i], nodes.submit_of[i], nodes.transitions[i]});
  const graph::HasPaths has(graph::find_has_steps(questions.log, all), needs.items());
  const std::vector<std::uint64_t> ones(needs.items(), 1);
  const auto greatest = [](const std::vector<std::uint64_t>& ends) {
    return ends.empty() ? 0 : *std::max_element(ends.begin(), ends.end());
  };
  const std::uint64_t data = greatest(needs.ends({ones, {}}, true)), program = greatest(has.ends({ones, {}}));
  expect(data <= needs.items() && program <= needs.items(), "a path has each item once");
  expect(needs.longest(ones, true).size() == data, "the longest path that is told is as long as said");
  expect(has.longest(ones).size() == program, "the same of what the program orders");
  std::vector<std::uint32_t> commands;
  for (const graph::HasStepOperation& one : has.operations())
    if (!one.is_signal && (commands.empty() || commands.back() < one.first)) commands.push_back(one.first);
  for (const std::uint64_t cost : has.costs(ones, commands)) expect(cost <= program, "no command costs more than all");
}

}  // namespace

void graph(Bytes file) {
  const MemoryFile memory(file);
  ReaderOptions options;
  options.memory_budget = kReaderBudget;
  options.salvage = true;
  auto opened = Reader::open(memory.path(), options);
  if (!opened) return;
  model::Stream stream(**opened);
  model::Parameters parameters;
  model::Placement placement;
  graph::SyncQuestions questions;
  std::optional<graph::WorkGraph> work;
  Orders orders(work);
  model::Submits submits(orders);
  std::uint32_t items = 0;
  analyzers::GraphNodes nodes(questions);
  graph::NeedLists lists;
  access::Model model([&](const access::Executed& executed) { work->take(executed, 0); }, kGraphLimits,
                      model::kBarriers | model::kTransitions | model::kEvents | model::kQueries);
  const auto item = [&](const graph::Item& one, std::span<const graph::ItemNeed> needs,
                        std::span<const graph::Piece> pieces) {
    nodes.item(one, needs, pieces);
    lists.item(one.number, needs);
    expect(one.number == items++, "items are told in their order");
    for (const graph::ItemNeed& need : needs)
      expect(graph::is_join(need.from) || need.from < one.number, "an item needs earlier ones");
  };
  work.emplace(placement, model, stream.objects(),
               graph::WorkGraph::Sink{
                   item, [&](std::uint32_t join, std::span<const std::uint32_t> all) { lists.join(join, all); }},
               &questions);
  model::Step step;
  for (;;) {
    const auto more = stream.fetch(step);
    if (!more || !*more) break;
    if (step.command == nullptr || !stream.decode(step, {.max_bytes = 1 << 20})) continue;
    stream.resolve(step);
    if (!model::load(stream, step, parameters)) break;
    const model::Call call = model::call_of(stream, step, parameters);
    placement.take(call);
    work->call(call, 0);
    submits.take(call);
    model.take(call);
    orders.end_batches();
    if (step.submits != 0) work->finish();
    work->done();
  }
  work->finish();
  questions.finish();
  const graph::SyncVerdicts verdicts = graph::find_verdicts(questions);
  expect(verdicts.is_race.size() == questions.all().size(), "each question has an answer");
  expect(verdicts.syncs.size() == questions.log.syncs().size(), "each command has a verdict");
  expect_paths(questions, lists, nodes);
}

}  // namespace rondo::fuzz
