// SPDX-License-Identifier: Apache-2.0
// The graph of what a program orders (graph/has.h): by hand, and against SyncOrder for all pairs of random programs.
#include <bit>
#include <set>

#include "analyzers/analysis/graph/has.h"
#include "analyzers/analysis/graph_nodes.h"
#include "tests/unit/sync_oracle.h"
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using graph::HasLink;
using graph::HasLinkKind;
using test::SyncScene;

struct Found {
  graph::SyncQuestions questions;
  std::vector<graph::HasNode> nodes;
  graph::HasGraph graph;

  explicit Found(const std::string& path) {
    auto walk = analyzers::GraphWalk::open(path);
    analyzers::GraphNodes all(questions);
    EXPECT_TRUE(walk && walk->run(all, &questions));
    for (std::uint32_t i = 0; i < all.item_of.size(); ++i)
      nodes.push_back({questions.place(i), all.stages[i], all.item_of[i], all.submit_of[i], all.transitions[i]});
    graph = graph::find_has(questions.log, nodes, all.items);
  }

  std::uint64_t record(std::uint32_t operation) const {
    return questions.log.ops()[graph.operations[operation].op].record;
  }
  // An operation, and all before it along links of one kind that have the stage.
  void add_all(std::uint32_t operation, HasLinkKind kind, unsigned stage, std::set<std::uint32_t>& into) const {
    if (!into.insert(operation).second) return;
    for (const HasLink& link : graph.operations[operation].links)
      if (link.kind == kind && (link.stages >> stage & 1) != 0) add_all(link.operation, kind, stage, into);
  }
  // The operations to which the graph leads from a node, in one stage.
  std::vector<bool> reached_from(std::uint32_t from, unsigned from_stage) const {
    const auto count = static_cast<std::uint32_t>(graph.operations.size());
    std::vector<bool> reached(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      std::set<std::uint32_t> firsts;
      add_all(i, HasLinkKind::first, from_stage, firsts);
      for (const std::uint32_t one : firsts) {
        const auto& items = graph.operations[one].items;
        if (std::count(items.begin(), items.end(), nodes[from].item) != 0) reached[i] = true;
      }
      // The first scope of an operation is that of its signal, too, with what chains there.
      for (unsigned stage = 0; stage < 64 && !reached[i]; ++stage) {
        std::set<std::uint32_t> scopes, befores;
        add_all(i, HasLinkKind::first, stage, scopes);
        for (const std::uint32_t scope : scopes)
          for (const HasLink& link : graph.operations[scope].links)
            if (link.kind == HasLinkKind::chain && (link.stages >> stage & 1) != 0)
              add_all(link.operation, HasLinkKind::second, stage, befores);
        reached[i] = std::any_of(befores.begin(), befores.end(), [&](std::uint32_t one) { return reached[one]; });
      }
    }
    return reached;
  }
  // Whether it leads on to another node, in one stage.
  bool leads(const std::vector<bool>& reached, std::uint32_t to, unsigned to_stage) const {
    std::set<std::uint32_t> befores;
    for (const HasLink& link : graph.after[nodes[to].item])
      if ((link.stages >> to_stage & 1) != 0) add_all(link.operation, HasLinkKind::second, to_stage, befores);
    return std::any_of(befores.begin(), befores.end(), [&](std::uint32_t one) { return reached[one]; });
  }
};

std::vector<std::uint32_t> operations_after(const Found& found, std::uint32_t item) {
  std::vector<std::uint32_t> all;
  for (const HasLink& link : found.graph.after[item]) all.push_back(link.operation);
  return all;
}

TEST(Has, LinksItemsToTheOperationsBetweenThem) {
  SyncScene s;
  s.begin(s.commands);
  s.fill(s.a);                                                                                    // c0, item 0
  s.barrier({test::scene::kClear, test::scene::kWrite, test::scene::kCopy, test::scene::kRead});  // c1
  s.copy(s.a, s.b);                                                                               // c2, item 1
  s.copy(s.a, s.c);                                                                               // c3, item 2
  s.barrier({test::scene::kCopy, 0, test::scene::kClear, 0});                                     // c4
  s.fill(s.a);                                                                                    // c5, item 3
  s.GraphScene::submit(s.commands);
  s.capture.finish();
  const Found found(s.file.path());
  // The submit itself orders what the host did before; then both barriers.
  ASSERT_EQ(found.graph.operations.size(), 3U);
  EXPECT_EQ(s.name(found.record(1)), "c1");
  EXPECT_EQ(s.name(found.record(2)), "c4");
  EXPECT_EQ(found.graph.operations[0].items, std::vector<std::uint32_t>{});
  EXPECT_EQ(found.graph.operations[1].items, std::vector<std::uint32_t>{0});
  EXPECT_EQ(found.graph.operations[2].items, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(found.graph.operations[2].submit, 0U);
  // What c1 orders chains: c4 waits for the copies, which wait for c1.
  const auto& links = found.graph.operations[2].links;
  EXPECT_TRUE(std::any_of(links.begin(), links.end(), [](const HasLink& link) {
    return link.operation == 1 && link.kind == HasLinkKind::chain && (link.stages & test::scene::kCopy) != 0;
  }));
  EXPECT_EQ(operations_after(found, 0), std::vector<std::uint32_t>{0});
  EXPECT_EQ(operations_after(found, 1), std::vector<std::uint32_t>{1});
  EXPECT_EQ(operations_after(found, 2), std::vector<std::uint32_t>{1});
  EXPECT_EQ(operations_after(found, 3), std::vector<std::uint32_t>{2});
}

TEST(Has, HasASignalWhereTheFirstScopeOfAWaitEnds) {
  SyncScene s;
  const VkSemaphore semaphore = s.semaphore(0x601);
  const VkCommandBuffer more = s.command_buffer(0x21), last = s.command_buffer(0x22);
  s.go(s.commands);
  s.fill(s.a);  // item 0
  s.submit(s.queue, s.commands, {.signal = semaphore});
  s.go(more);
  s.fill(s.b);  // item 1: after the signal
  s.submit(s.queue, more, {});
  s.go(last);
  s.copy(s.a, s.c);  // item 2
  s.submit(s.queue, last, {.wait = semaphore, .wait_stages = test::scene::kCopy});
  s.capture.finish();
  const Found found(s.file.path());
  const auto signal = std::find_if(found.graph.operations.begin(), found.graph.operations.end(),
                                   [](const graph::HasOperation& one) { return one.is_signal && !one.items.empty(); });
  ASSERT_NE(signal, found.graph.operations.end());
  EXPECT_EQ(signal->items, std::vector<std::uint32_t>{0});
  const auto leads = [&](std::uint32_t from, std::uint32_t to) {
    return found.leads(found.reached_from(from, std::countr_zero(test::scene::kClear)), to,
                       std::countr_zero(test::scene::kCopy));
  };
  EXPECT_TRUE(leads(0, 2));
  EXPECT_FALSE(leads(1, 2));
}

TEST(Has, IsLinearInTheSizeOfTheCapture) {
  const auto size_of = [](int count) {
    SyncScene s;
    s.begin(s.commands);
    for (int i = 0; i < count; ++i) {
      s.fill(s.a);
      s.barrier({test::scene::kClear, test::scene::kWrite, test::scene::kCopy, test::scene::kRead});
      s.copy(s.a, s.b);
      s.barrier({test::scene::kCopy, test::scene::kRead, test::scene::kClear, test::scene::kWrite});
    }
    s.GraphScene::submit(s.commands);
    s.capture.finish();
    const Found found(s.file.path());
    std::size_t size = 0;
    for (const graph::HasOperation& one : found.graph.operations) size += one.items.size() + one.links.size();
    for (const auto& links : found.graph.after) size += links.size();
    return size;
  };
  const std::size_t hundred = size_of(100), two_hundred = size_of(200);
  EXPECT_GT(hundred, 400U);
  EXPECT_LE(two_hundred, 2 * hundred + 8);  // the first ones have fewer links
}

TEST(HasOfRandomPrograms, LeadsFromEachAccessToThoseThatComeAfterIt) {
  std::size_t yes = 0, no = 0;
  for (unsigned seed = 0; seed < 100 && !::testing::Test::HasFailure(); ++seed) {
    test::SyncWorld world(seed);
    world.scene().capture.finish();
    const Found found(world.scene().file.path());
    const std::vector<bool> none(found.questions.log.syncs().size());
    graph::SyncOrder order(found.questions.log, found.questions.histories, none);
    const auto is_looked_at = [&](const graph::HasNode& one) {
      return !one.is_transition && std::popcount(one.stages) == 1;
    };
    for (std::uint32_t from = 0; from < found.nodes.size(); ++from) {
      const graph::HasNode& a = found.nodes[from];
      if (!is_looked_at(a)) continue;
      const graph::AccessAt first{{static_cast<std::uint8_t>(std::countr_zero(a.stages)), 0}, a.place, 0, 0};
      const std::vector<bool> reached = found.reached_from(from, first.kind.stage);
      for (std::uint32_t to = from + 1; to < found.nodes.size(); ++to) {
        const graph::HasNode& b = found.nodes[to];
        if (!is_looked_at(b)) continue;
        const graph::AccessAt second{{static_cast<std::uint8_t>(std::countr_zero(b.stages)), 0}, b.place, 0, 0};
        const bool is_ordered = order.ask(first, graph::Histories::kNone, second, false).executes;
        EXPECT_EQ(found.leads(reached, to, second.kind.stage), is_ordered)
            << "seed " << seed << ", node " << from << " (" << found.questions.executed(from).record << ") and " << to
            << " (" << found.questions.executed(to).record << ")";
        (is_ordered ? yes : no) += 1;
      }
    }
  }
  EXPECT_GT(yes, 1000U);
  EXPECT_GT(no, 1000U);
}

}  // namespace
}  // namespace rondo
