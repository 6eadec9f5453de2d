// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` finds in a capture: races, and synchronization that orders nothing, too little or too much. No
// device. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/analysis/graph/sync_verdicts.h"
#include "analyzers/analysis/graph_places.h"
#include "analyzers/analysis/graph_rows.h"
#include "analyzers/analysis/graph_walk.h"
#include "analyzers/analysis/work_span.h"

namespace rondo::analyzers {

enum class SyncRule : std::uint8_t {
  race,         // nothing orders what must be ordered
  ineffective,  // it comes near to ordering a race, and orders nothing else
  superfluous,  // nothing needs it
  too_wide,     // less would do
  replaceable,  // a semaphore between batches of one queue: a barrier would do
  needed,       // no finding: without it there would be a race
  unknown,      // no finding: nobody knows what it is for
  ambiguous,    // no finding: a race with a host write that may be the device's own write
};
inline constexpr SyncRule kSyncRules[] = {SyncRule::race, SyncRule::ineffective, SyncRule::superfluous,
                                          SyncRule::too_wide, SyncRule::replaceable};
std::string_view word_of(SyncRule rule);

// The same for the same cause.
std::string finding_id(const std::string& cause);

// One of the two commands of a race.
struct SyncSide {
  graph::SyncQuestions::Executed executed;
  bool is_transition = false;  // its layout transition
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 access = 0;
  bool on_host = false, presents = false;
};

struct SyncRace {
  SyncSide from, to;
  std::uint8_t hazards = 0;        // of graph::NeedKind: kRaw, kWar, kWaw, kLifetime, kOwner
  std::vector<GraphPlace> places;  // the first ranges
  std::vector<std::string> words;  // the same, as they were named then; of kLifetime the objects
  std::uint64_t more_places = 0;   // ranges that are not there
  bool possible = false;           // perhaps they do not touch the same bytes
  bool executes = false;           // it is ordered, but what was written is not made visible
  bool is_one_queue = true;
  bool is_one_pass = false;  // both are in the same render pass
  std::array<std::uint32_t, 2> families{graph::SyncLog::kNoFamily, graph::SyncLog::kNoFamily};  // of their queues
};

// True if the first side of the race is an acquire (vkAcquireNextImageKHR).
bool is_of_acquire(const SyncRace& race);
// A shader makes one of its accesses.
bool has_shader(const SyncRace& race);

// A barrier, or a part of one, that could be narrower.
struct SyncNarrow {
  std::uint32_t barrier = 0;  // index into SyncOp::barriers
  model::Barrier now{}, enough{};
  bool is_unused = false;  // nothing needs it
};

// What playing the capture showed of a finding (analyzers/prove).
struct SyncProof {
  bool is_proven = false;
  std::string text;            // the sentence after "proven: " or "not proven: "
  std::uint64_t loops = 0;     // in which contents were compared
  std::uint64_t together = 0;  // findings that were left out at once
  std::string object;          // of a race: where the first byte differs
  std::optional<std::uint64_t> byte, submit;
};

struct SyncFinding {
  SyncRule rule{};
  std::string id;  // the same for the same cause, in another capture of the program too
  // Findings of one cause count as one: this is the first of them.
  std::uint64_t occurrences = 0;
  std::vector<ItemName> others;      // the first others: their records, and the submits that execute them
  SyncRace race;                     // of race and ambiguous; of ineffective: the race that it nearly orders
  std::uint32_t sync = 0;            // of others: index into SyncLog::syncs()
  std::vector<std::uint32_t> syncs;  // of all occurrences, likewise
  std::vector<SyncNarrow> narrow;    // of a too wide one
  std::uint64_t needed_like = 0;     // of a superfluous one: commands that say the same and are needed
  std::optional<SyncProof> proof;    // of --prove; nothing: it was not tried
};

struct SyncFindings {
  std::vector<SyncFinding> all;  // by rule, then in the order of the capture
  std::uint64_t operations = 0;  // that the capture has: commands, and dependencies of render passes
  std::uint64_t needed = 0, superfluous = 0, unknown = 0;  // of these
  GraphTotals totals;
};

// Walks the capture, twice where it has races. `questions` and `verdicts` hold what the findings refer to.
class SyncAnalysis {
 public:
  // Only findings of the span are kept and counted: commands that the span executes, and races whose second command it
  // executes.
  // What is needed is looked for in the whole capture.
  static Result<SyncAnalysis> of(const std::string& path, const SpanRequest& span = {});

  const SyncFindings& findings() const { return findings_; }
  SyncFindings& findings() { return findings_; }
  const graph::SyncOp& sync(std::uint32_t number) const { return questions_->log.syncs()[number]; }
  const graph::SyncResult& result(std::uint32_t number) const { return verdicts_.syncs[number]; }
  const graph::SyncQuestions& questions() const { return *questions_; }
  // The barriers of a needed command that could be narrower.
  std::vector<SyncNarrow> narrower(std::uint32_t sync) const;
  GraphWalk& walk() { return *walk_; }
  const GraphWalk& walk() const { return *walk_; }

 private:
  SyncAnalysis() = default;
  Result<void> find_races(const std::string& path);
  void find_operations();
  SyncNarrow narrowed(std::uint32_t sync, std::uint32_t barrier) const;

  std::unique_ptr<graph::SyncQuestions> questions_;
  std::unique_ptr<GraphWalk> walk_;
  WorkSpan span_;
  graph::SyncVerdicts verdicts_;
  SyncFindings findings_;
  std::map<std::uint32_t, SyncRace> races_;  // by question, the first need of each
};

}  // namespace rondo::analyzers
