// SPDX-License-Identifier: Apache-2.0
// Waves and longest paths (graph/need_lists.h, graph/has_paths.h, analysis/waves.h): answers in closed form, and all
// pairs of accesses of random programs.
#include <algorithm>
#include <bit>

#include "analyzers/analysis/graph_nodes.h"
#include "analyzers/analysis/waves.h"
#include "tests/unit/sync_oracle.h"
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using graph::PathStep;
using test::SyncScene;
using Lengths = std::vector<std::uint64_t>;

// The relations of a capture, apart from what is printed of them.
struct Relations final : analyzers::GraphVisitor {
  explicit Relations(const std::string& path) : all(questions) {
    auto walk = analyzers::GraphWalk::open(path);
    analyzers::BothVisit both(all, *this);
    EXPECT_TRUE(walk && walk->run(both, &questions));
    for (std::uint32_t i = 0; i < all.item_of.size(); ++i)
      nodes.push_back({questions.place(i), all.stages[i], all.item_of[i], all.submit_of[i], all.transitions[i]});
    has.emplace(graph::find_has_steps(questions.log, nodes), needs.items());
  }
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> of, std::span<const graph::Piece>) override {
    needs.item(item.number, of);
    return true;
  }
  void join(std::uint32_t join, std::span<const std::uint32_t> items) override { needs.join(join, items); }

  // The first operations of commands that could be left out, and are executed once.
  std::vector<std::uint32_t> commands() const {
    std::vector<std::uint32_t> found;
    for (const graph::HasStepOperation& one : has->operations()) {
      const std::uint32_t sync = questions.log.ops()[one.op].sync;
      if (one.is_signal || sync == graph::SyncLog::kNone || questions.log.syncs()[sync].times != 1) continue;
      if (found.empty() || found.back() != one.first) found.push_back(one.first);
    }
    return found;
  }
  std::uint32_t sync_of(std::uint32_t operation) const {
    return questions.log.ops()[has->operations()[operation].op].sync;
  }

  graph::SyncQuestions questions;
  analyzers::GraphNodes all;
  std::vector<graph::HasNode> nodes;
  graph::NeedLists needs;
  std::optional<graph::HasPaths> has;
};

std::vector<std::uint32_t> items_of(const std::vector<PathStep>& path) {
  std::vector<std::uint32_t> items;
  for (const PathStep& step : path) items.push_back(step.item);
  return items;
}

constexpr SyncScene::Scopes kAllToAll{test::scene::kAllStages, test::scene::kAny, test::scene::kAllStages,
                                      test::scene::kAny};

TEST(LongestPaths, OfAChainAreTheSumOfItsItems) {
  SyncScene s;
  s.begin(s.commands);
  s.fill(s.a);                                                                                    // item 0
  s.barrier({test::scene::kClear, test::scene::kWrite, test::scene::kCopy, test::scene::kRead});  // c1
  s.copy(s.a, s.b);                                                                               // item 1
  s.barrier({test::scene::kCopy, test::scene::kWrite, test::scene::kCopy, test::scene::kRead});   // c3
  s.copy(s.b, s.c);                                                                               // item 2
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  const Relations found(s.file.path());
  const Lengths lengths{5, 7, 11};
  EXPECT_EQ(found.needs.ends({lengths, {}}, true), (Lengths{5, 12, 23}));
  EXPECT_EQ(found.has->ends({lengths, {}}), (Lengths{5, 12, 23}));
  EXPECT_EQ(items_of(found.needs.longest(lengths, true)), (std::vector<std::uint32_t>{0, 1, 2}));
  const std::vector<PathStep> path = found.has->longest(lengths);
  EXPECT_EQ(items_of(path), (std::vector<std::uint32_t>{0, 1, 2}));
  // Without c1 the first copy waits for nothing: 7 + 11. Without c3 the second copy waits for c1 alone: 5 + 11.
  EXPECT_EQ(found.has->costs(lengths, found.commands()), (Lengths{5, 7}));
  EXPECT_EQ(found.needs.leads(2, 0), true);
  EXPECT_EQ(found.needs.leads(1, 0), true);
}

TEST(LongestPaths, OfADiamondGoThroughItsLongerSide) {
  SyncScene s;
  s.begin(s.commands);
  s.fill(s.a);
  s.barrier(kAllToAll);
  s.copy(s.a, s.b);
  s.copy(s.a, s.c);
  s.barrier(kAllToAll);
  s.copy(s.c, s.b);
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  const Relations found(s.file.path());
  const Lengths lengths{4, 3, 9, 2}, ones{1, 1, 1, 1};
  EXPECT_EQ(found.needs.ends({ones, {}}, true), (Lengths{1, 2, 2, 3}));
  EXPECT_EQ(found.needs.ends({lengths, {}}, true), (Lengths{4, 7, 13, 15}));
  EXPECT_EQ(items_of(found.needs.longest(lengths, true)), (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(found.has->ends({lengths, {}}), (Lengths{4, 7, 13, 15}));
  EXPECT_EQ(found.needs.leads(2, 1), false);
  // In parts of their own nothing comes before an item.
  const std::vector<std::uint32_t> parts{0, 0, 1, 1};
  EXPECT_EQ(found.needs.ends({lengths, parts}, true), (Lengths{4, 7, 9, 11}));
  EXPECT_EQ(found.has->ends({lengths, parts}), (Lengths{4, 7, 9, 11}));
}

TEST(LongestPaths, OfSeveralQueuesGoThroughTheirSemaphores) {
  SyncScene s;
  const VkQueue other = s.other_queue(0x91);
  const VkSemaphore semaphore = s.semaphore(0x601);
  const VkCommandBuffer more = s.command_buffer(0x21), last = s.command_buffer(0x22);
  s.go(s.commands);
  s.fill(s.a);  // item 0
  s.submit(s.queue, s.commands, {.signal = semaphore});
  s.go(more);
  s.fill(s.b);  // item 1: after the signal, and for nobody
  s.submit(s.queue, more, {});
  s.go(last);
  s.copy(s.a, s.c);  // item 2
  s.submit(other, last, {.wait = semaphore});
  s.capture.finish();
  const Relations found(s.file.path());
  EXPECT_EQ(found.has->ends({Lengths{5, 100, 7}, {}}), (Lengths{5, 100, 12}));
  EXPECT_EQ(found.needs.ends({Lengths{5, 100, 7}, {}}, true), (Lengths{5, 100, 12}));
  ASSERT_EQ(found.commands().size(), 1U);
  EXPECT_EQ(found.has->costs(Lengths{5, 1, 7}, found.commands()), Lengths{5});
  EXPECT_EQ(found.has->costs(Lengths{5, 10, 7}, found.commands()), Lengths{2});
  EXPECT_EQ(found.has->costs(Lengths{5, 100, 7}, found.commands()), Lengths{0});
}

TEST(Waves, AreThoseOfTheDataAndRegionsThoseOfTheProgram) {
  SyncScene s;
  s.begin(s.commands);
  const VkBuffer d = s.bound(0x304, 768);
  for (const VkBuffer one : {s.a, s.b, s.c, d})
    for (int i = 0; i < 3; ++i) {
      s.fill(one);
      s.barrier(kAllToAll);
    }
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  const auto waves = analyzers::Waves::of(s.file.path(), {}, nullptr);
  ASSERT_TRUE(waves) << waves.error().message;
  EXPECT_EQ(waves->all().items, 12U);
  EXPECT_EQ(waves->all().waves, 3U);
  EXPECT_EQ(waves->all().certain_waves, 3U);
  EXPECT_EQ(waves->all().regions, 12U);
  const std::vector<analyzers::Wave> all = waves->waves();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].items, (std::vector<std::uint32_t>{0, 3, 6, 9}));
  EXPECT_EQ(all[0].regions, (std::vector<std::uint32_t>{1, 4, 7, 10}));
  EXPECT_EQ(all[2].items, (std::vector<std::uint32_t>{2, 5, 8, 11}));
  // Nothing comes after the last barrier. Each other one makes the path longer by one item; ten are told.
  EXPECT_EQ(waves->candidates(), 11U);
  const std::vector<analyzers::WaveCost> costs = waves->costs();
  EXPECT_EQ(costs.size(), analyzers::Waves::kMostCosts);
  EXPECT_TRUE(std::all_of(costs.begin(), costs.end(), [](const auto& one) { return one.saves == 1; }));
  // Three of the eleven order work of two buffers.
  std::size_t unneeded = 0;
  for (const std::optional<bool>& one : waves->needed_steps()) unneeded += one == false ? 1 : 0;
  EXPECT_EQ(unneeded, 3U);
}

TEST(Waves, HaveOneRunOfDeviceWorkWhereTheHostWaitsForNothing) {
  SyncScene s;
  std::uint64_t number = 0x21;
  for (const VkBuffer one : {s.a, s.b, s.c}) {
    const VkCommandBuffer commands = s.command_buffer(number++);
    s.go(commands);
    s.fill(one);
    s.submit(s.queue, commands, {});
    s.wait_idle(s.queue);
  }
  s.capture.finish();
  const auto waves = analyzers::Waves::of(s.file.path(), {}, nullptr);
  ASSERT_TRUE(waves) << waves.error().message;
  EXPECT_EQ(waves->all().waves, 1U);
  EXPECT_EQ(waves->all().regions, 3U);
  const std::vector<analyzers::Partition> runs = waves->partitions();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].items, 3U);
  EXPECT_EQ(runs[0].submits, 3U);
  EXPECT_EQ(runs[0].end, analyzers::Partition::End::capture);
  EXPECT_EQ(waves->idle_waits().size(), 2U);  // the last one is before the end of the program, which knows its results
}

TEST(Waves, EndARunWhereTheHostWritesWhatWorkHasReadAndReadsAgain) {
  SyncScene s;
  const VkCommandBuffer more = s.command_buffer(0x21);
  s.go(s.commands);
  s.copy(s.a, s.b);
  s.submit(s.queue, s.commands, {});
  s.wait_idle(s.queue);
  s.host_write(s.mem, 0, 256);
  const std::uint64_t write = s.capture.last_number();
  s.go(more);
  s.copy(s.a, s.c);
  s.submit(s.queue, more, {});
  s.capture.finish();
  const auto waves = analyzers::Waves::of(s.file.path(), {}, nullptr);
  ASSERT_TRUE(waves) << waves.error().message;
  const std::vector<analyzers::Partition> runs = waves->partitions();
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].end, analyzers::Partition::End::host_write);
  EXPECT_EQ(runs[0].by, write);
  EXPECT_EQ(runs[1].end, analyzers::Partition::End::capture);
  // The path of the data leads through the write of the host, which takes no time.
  EXPECT_EQ(waves->all().waves, 2U);
}

// --- Random programs, all pairs of accesses ---

bool is_ordered(graph::SyncOrder& order, const graph::HasNode& a, const graph::HasNode& b) {
  const auto stages = [](const graph::HasNode& one) {
    return one.stages != 0 ? one.stages : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  };
  for (VkPipelineStageFlags2 from = stages(a); from != 0; from &= from - 1)
    for (VkPipelineStageFlags2 to = stages(b); to != 0; to &= to - 1) {
      const graph::AccessAt first{{static_cast<std::uint8_t>(std::countr_zero(from)), 0}, a.place, 0, 0};
      const graph::AccessAt second{{static_cast<std::uint8_t>(std::countr_zero(to)), 0}, b.place, 0, 0};
      if (order.ask(first, graph::Histories::kNone, second, false).executes) return true;
    }
  return false;
}

std::uint64_t longest_of_pairs(const Relations& found, const Lengths& lengths, const std::vector<bool>& removed) {
  graph::SyncOrder order(found.questions.log, found.questions.histories, removed, graph::SyncOrder::Detail::order);
  Lengths starts(lengths.size());
  std::uint64_t longest = 0;
  for (std::size_t to = 0; to < found.nodes.size(); ++to) {
    const graph::HasNode& b = found.nodes[to];
    for (std::size_t from = 0; from < to && !b.is_transition; ++from) {
      const graph::HasNode& a = found.nodes[from];
      const std::uint64_t end = starts[a.item] + lengths[a.item];
      if (a.is_transition || a.item == b.item || end <= starts[b.item]) continue;
      if (is_ordered(order, a, b)) starts[b.item] = end;
    }
    longest = std::max(longest, starts[b.item] + lengths[b.item]);
  }
  return longest;
}

TEST(LongestPathsOfRandomPrograms, AreThoseOfAllPairs) {
  std::size_t costs_found = 0;
  for (unsigned seed = 0; seed < 100 && !::testing::Test::HasFailure(); ++seed) {
    test::SyncWorld world(seed);
    world.scene().capture.finish();
    const Relations found(world.scene().file.path());
    Lengths lengths(found.needs.items());
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = 1 + (seed * 31 + i * 17) % 9;
    for (const graph::HasNode& one : found.nodes)
      if (one.is_transition) lengths[one.item] = 0;
    std::vector<bool> removed(found.questions.log.syncs().size());
    const std::uint64_t longest = longest_of_pairs(found, lengths, removed);
    Lengths ends = found.has->ends({lengths, {}});
    ends.push_back(0);  // a program may have no items
    EXPECT_EQ(*std::max_element(ends.begin(), ends.end()), longest) << "seed " << seed;
    std::uint64_t sum = 0;
    for (const PathStep& step : found.has->longest(lengths)) sum += lengths[step.item];
    EXPECT_EQ(sum, longest) << "seed " << seed;
    const std::vector<std::uint32_t> commands = found.commands();
    const Lengths costs = found.has->costs(lengths, commands);
    ASSERT_EQ(costs.size(), commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
      removed[found.sync_of(commands[i])] = true;
      EXPECT_EQ(costs[i], longest - longest_of_pairs(found, lengths, removed))
          << "seed " << seed << ", record "
          << found.questions.log.ops()[found.has->operations()[commands[i]].op].record;
      removed[found.sync_of(commands[i])] = false;
      costs_found += costs[i] != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(costs_found, 50U);
}

TEST(NeedsOfRandomPrograms, HaveTheWavesOfTheirClosure) {
  for (unsigned seed = 0; seed < 100 && !::testing::Test::HasFailure(); ++seed) {
    test::SyncWorld world(seed);
    std::vector<std::set<std::uint32_t>> all, certain;
    world.scene().look([&](const test::KeptGraph& kept) {
      all = kept.closure(true);
      certain = kept.closure(false);
    });
    const Relations found(world.scene().file.path());
    const Lengths ones(found.needs.items(), 1);
    for (const bool possible : {false, true}) {
      const auto& before = possible ? all : certain;
      ASSERT_EQ(before.size(), ones.size());
      Lengths waves(ones.size());
      for (std::size_t i = 0; i < waves.size(); ++i) {
        for (const std::uint32_t one : before[i]) waves[i] = std::max(waves[i], waves[one]);
        waves[i] += 1;
      }
      EXPECT_EQ(found.needs.ends({ones, {}}, possible), waves) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace rondo
