// SPDX-License-Identifier: Apache-2.0
// The relation NEEDS against a look at all pairs.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>

#include "analyzers/analysis/graph/needs.h"

namespace rondo {
namespace {

using graph::Hazard;
using graph::Need;
using graph::Needs;

struct Kept final : graph::NeedSink {
  void needs(std::uint32_t node, std::span<const Need> all) override {
    for (const Need& need : all) {
      EXPECT_EQ(need.to.node, node);
      EXPECT_TRUE(graph::is_join(node) || graph::is_join(need.from.node) || need.from.node < node);
    }
    by_node[node].assign(all.begin(), all.end());
  }
  // Nodes that `node` needs at once: joins are what they stand for.
  std::set<std::uint32_t> before(std::uint32_t node) const {
    std::set<std::uint32_t> all;
    if (const auto found = by_node.find(node); found != by_node.end())
      for (const Need& need : found->second) {
        if (!graph::is_join(need.from.node))
          all.insert(need.from.node);
        else
          all.merge(before(need.from.node));
      }
    return all;
  }
  std::map<std::uint32_t, std::vector<Need>> by_node;
};

struct Touched {
  std::uint32_t node, space;
  std::uint64_t begin, end;
  bool reads, writes;
};

// All that each node needs, through others or not.
using Closure = std::vector<std::set<std::uint32_t>>;
Closure closure(std::uint32_t nodes, const std::function<std::set<std::uint32_t>(std::uint32_t)>& before) {
  Closure all(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node)
    for (const std::uint32_t one : before(node)) {
      all[node].insert(one);
      all[node].insert(all[one].begin(), all[one].end());
    }
  return all;
}

bool conflict(const Touched& a, const Touched& b) {
  return a.space == b.space && a.begin < b.end && b.begin < a.end && (a.writes || b.writes);
}

TEST(GraphNeeds, AreThoseOfAllPairs) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Kept kept;
    Needs needs(kept);
    const std::uint32_t nodes = 2 + below(seed % 20 == 0 ? 300 : 30), width = 1 + below(40), writers = 1 + below(6);
    std::vector<Touched> touched;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      ASSERT_EQ(needs.begin(), node);
      for (std::uint32_t i = below(4); i != 0; --i) {
        const std::uint64_t begin = below(width), end = begin + 1 + below(width);
        const bool writes = below(writers) == 0;
        const Touched one{node, below(2), begin, end, !writes || below(3) == 0, writes};
        needs.touch(one.space, one.begin, one.end, needs.number_of({below(3), below(2), false}), one.reads, one.writes);
        touched.push_back(one);
      }
      needs.end();
    }
    // Each need is one of two touches, in the range where they meet.
    for (const auto& [node, all] : kept.by_node)
      for (const Need& need : all) {
        if (graph::is_join(node) || graph::is_join(need.from.node)) continue;
        const bool reads = need.hazard == Hazard::raw, wrote = need.hazard != Hazard::war;
        const auto covers = [&](std::uint32_t of, bool as_reader) {
          for (std::uint64_t at = need.begin; at < need.end; ++at)
            if (std::none_of(touched.begin(), touched.end(), [&](const Touched& one) {
                  return one.node == of && one.space == need.space && one.begin <= at && at < one.end &&
                         (as_reader ? one.reads : one.writes);
                }))
              return false;
          return true;
        };
        EXPECT_TRUE(need.begin < need.end && covers(need.to.node, reads) && covers(need.from.node, !wrote)) << seed;
      }
    const Closure found = closure(nodes, [&](std::uint32_t node) { return kept.before(node); });
    const Closure expected = closure(nodes, [&](std::uint32_t node) {
      std::set<std::uint32_t> before;
      for (const Touched& to : touched)
        for (const Touched& from : touched)
          if (to.node == node && from.node < node && conflict(from, to)) before.insert(from.node);
      return before;
    });
    ASSERT_EQ(found, expected) << "seed " << seed;
  }
}

// Every pair with nothing between that writes the bytes is told at once, with its hazard.
TEST(GraphNeeds, SayWhatIsNearest) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Kept kept;
    Needs needs(kept);
    // By byte: the last writer, and who read since.
    std::map<std::uint64_t, std::pair<std::uint32_t, std::set<std::uint32_t>>> bytes;
    for (std::uint32_t node = 0; node < 40; ++node) {
      std::set<std::tuple<std::uint32_t, Hazard, std::uint64_t>> expected, found;
      needs.begin();
      const std::uint64_t begin = below(20), end = begin + 1 + below(10);
      const bool writes = below(2) == 0, reads = !writes || below(2) == 0;
      needs.touch(0, begin, end, needs.number_of({}), reads, writes);
      needs.end();
      for (std::uint64_t at = begin; at < end; ++at) {
        const auto [byte, fresh] = bytes.try_emplace(at, graph::Ref::kNone, std::set<std::uint32_t>());
        auto& [writer, readers] = byte->second;
        if (writer != graph::Ref::kNone && reads) expected.insert({writer, Hazard::raw, at});
        if (writer != graph::Ref::kNone && writes) expected.insert({writer, Hazard::waw, at});
        if (writes)
          for (const std::uint32_t reader : readers) expected.insert({reader, Hazard::war, at});
        if (writes) writer = node;
        if (writes)
          readers.clear();
        else
          readers.insert(node);
      }
      for (const Need& need : kept.by_node[node])
        for (std::uint64_t at = need.begin; at < need.end; ++at) found.insert({need.from.node, need.hazard, at});
      ASSERT_EQ(found, expected) << "seed " << seed << " node " << node;
    }
  }
}

// Two sides that may meet: all earlier touches of the other side, of which one at least writes.
TEST(GraphNeeds, SidesOfACellMeet) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    Kept kept;
    Needs needs(kept);
    struct Met {
      std::uint32_t side;
      bool writes;
    };
    std::vector<Met> met;
    const std::uint32_t writers = 1 + below(8);
    for (std::uint32_t node = 0; node < 250; ++node) {
      const Met one{below(2), below(writers) == 0};
      needs.begin();
      needs.meet(7, one.side == 0 ? Needs::Side::one : Needs::Side::other, 3, needs.number_of({}), !one.writes,
                 one.writes);
      needs.end();
      std::set<std::uint32_t> expected;
      for (std::uint32_t from = 0; from < node; ++from)
        if (met[from].side != one.side && (met[from].writes || one.writes)) expected.insert(from);
      ASSERT_EQ(kept.before(node), expected) << "seed " << seed << " node " << node;
      for (const Need& need : kept.by_node[node]) EXPECT_TRUE(need.possible && need.space == 3);
      met.push_back(one);
    }
  }
}

// A node that touches something in two ways needs nothing of itself, and later nodes need both ways.
TEST(GraphNeeds, WaysOfOneNodeAreKeptApart) {
  Kept kept;
  Needs needs(kept);
  const std::uint32_t vertex =
      needs.number_of({VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, false});
  const std::uint32_t fragment =
      needs.number_of({VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT, false});
  needs.begin();
  needs.touch(0, 0, 8, vertex, false, true);
  needs.touch(0, 4, 12, fragment, true, true);
  needs.end();
  EXPECT_TRUE(kept.by_node[0].empty());
  needs.begin();
  needs.touch(0, 0, 12, vertex, true, false);
  needs.end();
  const std::vector<Need> expected{{{0, vertex}, {1, vertex}, 0, 0, 8, Hazard::raw, false},
                                   {{0, fragment}, {1, vertex}, 0, 4, 12, Hazard::raw, false}};
  EXPECT_EQ(kept.by_node[1], expected);
}

// What is gone costs nothing.
TEST(GraphNeeds, ForgetWhatNothingTouches) {
  Kept kept;
  Needs needs(kept);
  for (std::uint32_t space = 0; space < 10000; ++space) {
    needs.begin();
    for (std::uint64_t at = 0; at < 8; ++at)
      needs.touch(space, 2 * at, 2 * at + 1, needs.number_of({}), true, at % 2 == 0);
    needs.meet(space, Needs::Side::one, 0, needs.number_of({}), true, true);
    needs.end();
    if (space != 0) needs.forget(space - 1);
    if (space != 0) needs.forget_cell(space - 1);
    EXPECT_LE(needs.segments(), 16u);
    EXPECT_LE(needs.held(), 64u);
  }
}

}  // namespace
}  // namespace rondo
