// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` says of random programs against the oracle (sync_oracle.h), which looks at all pairs of accesses.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "analyzers/analysis/graph/sync_verdicts.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/sync_findings.h"
#include "tests/unit/sync_oracle.h"

namespace rondo {
namespace {

using graph::SyncVerdict;
using test::OracleRace;
using Races = std::set<OracleRace>;

struct NoVisitor final : analyzers::GraphVisitor {
  bool item(const graph::Item&, std::span<const graph::ItemNeed>, std::span<const graph::Piece>) override {
    return true;
  }
};

std::string text_of(const Races& races) {
  std::ostringstream out;
  for (const OracleRace& one : races)
    out << ' '
        << (one.hazard == OracleRace::raw   ? "RAW"
            : one.hazard == OracleRace::war ? "WAR"
                                            : "WAW")
        << ' ' << one.from << ' ' << one.to << ';';
  return out.str();
}

Races without(const Races& all, const Races& some) {
  Races rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::inserter(rest, rest.end()));
  return rest;
}

// As the oracle names what can be removed.
std::uint64_t key_of(const graph::SyncOp& one) {
  if (one.kind != graph::SyncOp::Kind::semaphore) return one.record;
  return test::SyncProgram::wait_key(one.record, one.index / 1024, one.index % 1024);
}

// Of a capture: its races, and the records of its synchronization commands by verdict.
struct Said {
  Races races;
  std::set<std::uint64_t> removed;
  std::map<std::uint64_t, Races> needed;  // with what would race without it; the first ones
};

Said said_of(const std::string& path) {
  Said said;
  NoVisitor visitor;
  graph::SyncQuestions questions;
  auto walk = analyzers::GraphWalk::open(path);
  EXPECT_TRUE(walk && walk->run(visitor, &questions));
  const graph::SyncVerdicts verdicts = graph::find_verdicts(questions);
  EXPECT_FALSE(verdicts.too_many);
  // What each need is of is known in a second walk.
  graph::SyncQuestions again([&](std::uint32_t question, const graph::Need& need) {
    if (!verdicts.is_race[question]) return;
    said.races.insert({questions.executed(need.from.node).record, questions.executed(need.to.node).record,
                       static_cast<OracleRace::Hazard>(need.hazard)});
  });
  auto second = analyzers::GraphWalk::open(path);
  EXPECT_TRUE(second && second->run(visitor, &again));
  for (std::size_t i = 1; i < verdicts.syncs.size(); ++i) {
    const SyncVerdict verdict = verdicts.syncs[i].verdict;
    if (verdict == SyncVerdict::superfluous || verdict == SyncVerdict::ineffective)
      said.removed.insert(key_of(questions.log.syncs()[i]));
    if (verdict != SyncVerdict::needed) continue;
    Races& all = said.needed[key_of(questions.log.syncs()[i])];
    for (const std::uint32_t number : verdicts.syncs[i].needs) {
      const graph::SyncQuestion& need = questions.all()[number];
      if (need.host != graph::SyncQuestion::kNoHost) continue;  // a lifetime
      all.insert({questions.executed(need.from).record, questions.executed(need.to).record,
                  static_cast<OracleRace::Hazard>(need.hazard)});
    }
  }
  return said;
}

// All that could be narrower, as it is enough.
test::SyncProgram::Narrowed narrowed_of(const std::string& path, const test::SyncProgram& program) {
  test::SyncProgram::Narrowed all;
  const auto analysis = analyzers::SyncAnalysis::of(path);
  EXPECT_TRUE(analysis);
  const auto syncs = analysis->questions().log.syncs();
  for (std::uint32_t i = 1; i < syncs.size(); ++i) {
    const graph::SyncResult& result = analysis->result(i);
    if (result.verdict != SyncVerdict::needed || result.race != UINT32_MAX || syncs[i].barriers.empty()) continue;
    const std::vector<std::size_t> order = program.in_call_order(syncs[i].record);
    // The first form has a barrier more where it has none for all memory: that has the stages.
    const std::size_t more = syncs[i].barriers.size() - order.size();
    for (const analyzers::SyncNarrow& one : analysis->narrower(i)) {
      if (one.barrier < more) continue;
      test::SyncProgram::Scopes& to = all[syncs[i].record][order[one.barrier - more]];
      // In the first form the stages are the command's.
      const bool keeps_stages = !one.is_unused || syncs[i].command == CommandId::vkCmdPipelineBarrier ||
                                syncs[i].command == CommandId::vkCmdWaitEvents;
      if (keeps_stages) to.from = one.enough.src_stages, to.to = one.enough.dst_stages;
      if (!one.is_unused) to.from_access = one.enough.src_access, to.to_access = one.enough.dst_access;
    }
  }
  return all;
}

// RONDO_SYNC_WORLDS: how many; 10,000 take a minute.
unsigned worlds() {
  const char* const given = std::getenv("RONDO_SYNC_WORLDS");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1000;
}

TEST(SyncWorlds, AgreeWithALookAtAllPairs) {
  std::size_t with_races = 0, removed = 0, needed = 0, narrowed = 0;
  for (unsigned seed = 0; seed < worlds() && !::testing::Test::HasFailure(); ++seed) {
    test::SyncWorld world(seed);
    world.scene().capture.finish();
    const Said said = said_of(world.scene().file.path());
    const Races races = world.races();
    with_races += races.empty() ? 0 : 1;
    EXPECT_EQ(text_of(said.races), text_of(races)) << "seed " << seed;

    // All that is called superfluous is removed together: no race that was not there before.
    const Races reduced = world.races(said.removed);
    EXPECT_EQ(text_of(without(reduced, races)), "") << "seed " << seed;
    // What is left is narrowed, all of it together: no race either.
    const test::SyncProgram::Narrowed enough = narrowed_of(world.scene().file.path(), world.program());
    EXPECT_EQ(text_of(without(world.races(said.removed, enough), races)), "") << "seed " << seed;
    narrowed += enough.size();
    // Of what is left each one is removed in turn: a race, if it is called needed, and else none.
    for (const std::uint64_t record : world.removable()) {
      if (said.removed.count(record) != 0) continue;
      std::set<std::uint64_t> also = said.removed;
      also.insert(record);
      const Races more = without(world.races(also), reduced);
      const auto found = said.needed.find(record);
      EXPECT_TRUE(more.empty() || found != said.needed.end()) << "seed " << seed << ", record " << record;
      if (found == said.needed.end()) continue;
      // A pair of records may race in one of its executions already.
      EXPECT_EQ(text_of(without(without(found->second, more), reduced)), "")
          << "seed " << seed << ", record " << record;
      needed += more.empty() ? 0 : 1;
    }
    removed += said.removed.size();
  }
  EXPECT_GT(with_races, worlds() / 10);
  EXPECT_GT(removed, worlds() / 10);
  EXPECT_GT(needed, worlds() / 10);
  EXPECT_GT(narrowed, worlds() / 10);
}

}  // namespace
}  // namespace rondo
