// SPDX-License-Identifier: Apache-2.0
#include "tests/barriers/found_races.h"

#include "analyzers/analysis/graph/sync_verdicts.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/sync_findings.h"
#include "analyzers/text/text.h"

namespace rondo::barriers {

namespace {

using Executed = graph::SyncQuestions::Executed;

RacePair pair_between(const Executed& from, const Executed& to, RacePair::Kind kind) {
  return {from.record, from.at, to.record, to.at, kind};
}

RacePair renumbered(RacePair pair, const OldNumbers& numbers) {
  for (std::uint64_t* number : {&pair.from, &pair.from_at, &pair.to, &pair.to_at}) *number = numbers.of(*number);
  return pair;
}

// All races of the questions. What each need is of is known in a second walk.
Result<void> add_pairs(const std::string& path, const OldNumbers& numbers, FoundRaces& found) {
  analyzers::NoVisit visitor;
  graph::SyncQuestions questions;
  auto walk = analyzers::GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  if (const auto totals = walk->run(visitor, &questions); !totals) return tl::unexpected(totals.error());
  const graph::SyncVerdicts verdicts = graph::find_verdicts(questions);
  found.too_many = found.too_many || verdicts.too_many;

  const auto is_race = [&](std::uint32_t number) {
    const graph::SyncQuestion& one = questions.all()[number];
    return (verdicts.is_race[number] || one.is_foreign) && !one.is_quiet && !questions.is_read_back(one);
  };
  const auto add = [&](const Executed& from, const Executed& to, RacePair::Kind kind) {
    found.pairs.insert(renumbered(pair_between(from, to, kind), numbers));
  };
  graph::SyncQuestions again(
      [&](std::uint32_t number, const graph::Need& need) {
        if (!is_race(number)) return;
        const Executed& from = questions.executed(need.from.node);
        const Executed& to = questions.executed(need.to.node);
        if (verdicts.is_race[number]) add(from, to, static_cast<RacePair::Kind>(need.hazard));
        if (questions.all()[number].is_foreign) add(from, to, RacePair::owner);
      },
      [&](std::uint32_t number, const graph::HostNeed&) {
        // Who leaves out a wait for a fence resets no fence either. The edits leave out the wait alone.
        if (!is_race(number) || questions.keeps_nothing(questions.all()[number])) return;
        const auto& host = questions.host(questions.all()[number]);
        add(host.command, host.call, RacePair::lifetime);
      });
  auto second = analyzers::GraphWalk::open(path);
  if (!second) return tl::unexpected(second.error());
  if (const auto totals = second->run(visitor, &again); !totals) return tl::unexpected(totals.error());
  return {};
}

}  // namespace

std::string text_of(const RacePair& pair) {
  static constexpr const char* kWords[] = {"RAW", "WAR", "WAW", "LIFETIME", "OWNER"};
  const auto command = [](std::uint64_t record, std::uint64_t at) {
    return record == at ? analyzers::text("{}", record) : analyzers::text("{}@{}", record, at);
  };
  return analyzers::text("{} {} -> {}", kWords[pair.kind], command(pair.from, pair.from_at),
                         command(pair.to, pair.to_at));
}

std::uint64_t OldNumbers::of(std::uint64_t number) const {
  for (const std::uint64_t one : left_out_)
    if (one <= number) ++number;
  return number;
}

RacePair pair_of(const graph::SyncQuestions& questions, const graph::SyncQuestion& question) {
  const bool is_of_host = question.host != graph::SyncQuestion::kNoHost;
  return pair_between(questions.from_command(question), questions.to_command(question),
                      is_of_host ? RacePair::lifetime : static_cast<RacePair::Kind>(question.hazard));
}

Result<FoundRaces> races_of(const std::string& path, const OldNumbers& numbers) {
  FoundRaces found;
  const auto analysis = analyzers::SyncAnalysis::of(path);
  if (!analysis) return tl::unexpected(analysis.error());
  for (const analyzers::SyncFinding& one : analysis->findings().all) {
    if (one.rule != analyzers::SyncRule::race) continue;
    found.findings += one.occurrences;
    constexpr std::uint8_t kBits[] = {graph::kRaw, graph::kWar, graph::kWaw, graph::kLifetime, graph::kOwner};
    for (const RacePair::Kind kind : {RacePair::raw, RacePair::war, RacePair::waw, RacePair::lifetime, RacePair::owner})
      if ((one.race.hazards & kBits[kind]) != 0)
        found.named.insert(renumbered(pair_between(one.race.from.executed, one.race.to.executed, kind), numbers));
  }
  if (found.findings != 0) RONDO_TRY(add_pairs(path, numbers, found));
  return found;
}

}  // namespace rondo::barriers
