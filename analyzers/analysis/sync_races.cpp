// SPDX-License-Identifier: Apache-2.0
// The races of `rondo sync` (sync_findings.h).
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzers/analysis/sync_findings.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"

namespace rondo::analyzers {

namespace {

using graph::SyncQuestion;
using graph::SyncQuestions;

constexpr std::size_t kMostOthers = 8, kMostPlaces = 8;

// Where a command stands in its submit: the same in each frame that does the same.
class Ordinals {
 public:
  std::uint64_t of(const SyncQuestions& questions, std::uint32_t node) {
    if (ordinals_.empty()) {
      std::uint64_t submit = 0, next = 0;
      for (std::uint32_t i = 0; i < questions.nodes(); ++i) {
        const auto& one = questions.executed(i);
        if (!one.works) {  // there are as many of these as objects happen to end
          ordinals_.push_back(0);
          continue;
        }
        if (one.submit != submit) next = 0;
        submit = one.submit;
        ordinals_.push_back(next++);
      }
    }
    return ordinals_[node];
  }

 private:
  std::vector<std::uint64_t> ordinals_;
};

SyncSide side_of(const SyncQuestions& questions, std::uint32_t node) {
  SyncSide side;
  side.executed = questions.executed(node);
  side.on_host = questions.place(node).queue == graph::SyncLog::kHost;
  side.presents = questions.place(node).queue == graph::SyncLog::kPresent;
  return side;
}

void add_kind(SyncSide& side, graph::AccessKind kind, std::uint32_t part) {
  if (part != SyncQuestion::kNoPart) {
    side.is_transition = true;
    return;
  }
  side.stages |= VkPipelineStageFlags2{1} << kind.stage;
  side.access |= VkAccessFlags2{1} << kind.access;
}

// False: they are there, or there are too many.
bool add_words(SyncRace& race, std::string words) {
  if (std::find(race.words.begin(), race.words.end(), words) != race.words.end()) return false;
  if (race.words.size() >= kMostPlaces) {
    race.more_places += 1;
    return false;
  }
  race.words.push_back(std::move(words));
  return true;
}

// Where both touch, with its words as they are while the capture is walked.
struct Where {
  GraphPlace place;
  std::string words;
};
Where where_of(const GraphWalk& walk, const graph::Need& need) {
  Where where{place_of(walk, need.space, need.begin, need.end), {}};
  where.words = place_text(walk, where.place);
  return where;
}

std::uint8_t hazard_bit(graph::Hazard hazard) {
  return hazard == graph::Hazard::raw ? graph::kRaw : hazard == graph::Hazard::war ? graph::kWar : graph::kWaw;
}

// What unordered writes of the device cover in one space.
class Written {
 public:
  void add(const graph::Need& need) {
    is_possible_ = is_possible_ || need.possible;
    ranges_.emplace_back(need.begin, need.end);
  }
  // After the last one.
  void settle() {
    std::sort(ranges_.begin(), ranges_.end());
    for (std::size_t i = 1; i < ranges_.size(); ++i)
      ranges_[i].second = std::max(ranges_[i].second, ranges_[i - 1].second);
  }
  // A possible need has no range that anybody knows.
  bool meets(const graph::Need& need) const {
    if (is_possible_ || need.possible || need.hazard == graph::Hazard::waw) return true;
    const auto after = std::lower_bound(ranges_.begin(), ranges_.end(), std::pair(need.end, std::uint64_t{0}));
    return after != ranges_.begin() && std::prev(after)->second > need.begin;
  }

 private:
  // By their begins. After settle() the end is the highest one of all that begin before it.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
  bool is_possible_ = false;
};

// The races that a second walk of the capture finds, those of one cause together.
class Races {
 public:
  Races(const SyncQuestions& questions, const graph::SyncVerdicts& verdicts, const GraphWalk& walk,
        const WorkSpan& span)
      : questions_(questions), verdicts_(verdicts), walk_(walk), span_(span) {}

  static bool is_race(const SyncQuestions& questions, const graph::SyncVerdicts& verdicts, std::uint32_t question) {
    const SyncQuestion& one = questions.all()[question];
    return (verdicts.is_race[question] || one.is_foreign) && !one.is_quiet;
  }

  void ask(std::uint32_t question, const graph::Need& need) {
    if (!is_race(questions_, verdicts_, question)) return;
    if (!held_.empty() && held_.front().need.to.node != need.to.node) settle();
    if (!questions_.executed(need.to.node).is_ambiguous) return take(question, need, nullptr, false);
    held_.push_back({question, need, where_of(walk_, need)});
  }

  // An ambiguous host write has bytes that the device may have written. Where it races with a write of the device, they
  // are probably the bytes of that write. A race with what read these bytes since then is none either.
  void settle() {
    std::map<std::uint32_t, Written> written;  // by space
    for (const Held& one : held_)
      if (one.need.hazard == graph::Hazard::waw) written[one.need.space].add(one.need);
    for (auto& [space, all] : written) all.settle();
    for (const Held& one : held_) {
      const auto found = written.find(one.need.space);
      take(one.question, one.need, &one.where, found != written.end() && found->second.meets(one.need));
    }
    held_.clear();
  }

  // `known`: where both touch; null: it is not known yet.
  void take(std::uint32_t question, const graph::Need& need, const Where* known, bool is_own_write) {
    const SyncQuestion& one = questions_.all()[question];
    const auto& from = questions_.executed(need.from.node);
    const auto& to = questions_.executed(need.to.node);
    const bool in_submits = from.submit != SyncQuestions::kNoSubmit && to.submit != SyncQuestions::kNoSubmit;
    const std::uint64_t apart = in_submits ? to.submit - from.submit : 0;
    bool fresh = false;
    Group& group =
        group_of({(from.submit == SyncQuestions::kNoSubmit ? 0 : 1) + 2 * ordinals_.of(questions_, need.from.node),
                  ordinals_.of(questions_, need.to.node), apart,
                  static_cast<std::uint64_t>(from.command) << 32 | static_cast<std::uint64_t>(to.command),
                  is_in_span(to), is_own_write ? SyncRule::ambiguous : SyncRule::race},
                 fresh);
    SyncRace& race = group.finding.race;
    if (fresh) {
      race.from = side_of(questions_, need.from.node);
      race.to = side_of(questions_, need.to.node);
      const auto& a = questions_.place(need.from.node);
      const auto& b = questions_.place(need.to.node);
      race.is_one_queue = a.queue == b.queue;
      race.is_one_pass = a.pass != 0 && a.pass == b.pass;
      race.families = {questions_.log.family_of(a.queue), questions_.log.family_of(b.queue)};
    }
    count(group, fresh, need.from.node, need.to.node, {to.record, to.submit});
    if (group.finding.occurrences == 1) {
      Where where = known != nullptr ? *known : where_of(walk_, need);
      if (add_words(race, std::move(where.words))) race.places.push_back(std::move(where.place));
    }
    if (verdicts_.is_race[question]) race.hazards = static_cast<std::uint8_t>(race.hazards | hazard_bit(need.hazard));
    if (one.is_foreign) race.hazards |= graph::kOwner;
    add_kind(race.from, one.from_kind, one.from_part);
    add_kind(race.to, one.to_kind, one.to_part);
    race.possible = race.possible || need.possible || one.possible || has_shader(race) || is_own_write;
    keep(group, question);
  }

  void ask_of_host(std::uint32_t question, const graph::HostNeed& need) {
    if (!is_race(questions_, verdicts_, question)) return;
    const SyncQuestion& one = questions_.all()[question];
    const SyncQuestions::OfHost& host = questions_.host(one);
    if (host.is_of_acquire()) return ask_of_acquire(question, need.object);
    // The command of the first is the last one of its batch, whichever that is. So it does not tell causes apart.
    const auto& objects = walk_.objects().objects();
    const HandleType type = objects.has(need.object) ? objects[need.object].type : HandleType::none;
    bool fresh = false;
    Group& group = group_of({static_cast<std::uint64_t>(type), 0, kOfHost,
                             static_cast<std::uint64_t>(host.call.command), is_in_span(host.call), SyncRule::race},
                            fresh);
    SyncRace& race = group.finding.race;
    if (fresh) {
      race.from.executed = host.command;
      race.to.executed = host.call;
      race.to.on_host = true;
      race.is_one_queue = false;
      race.hazards = graph::kLifetime;
    }
    count(group, fresh, static_cast<std::uint32_t>(host.command.record), static_cast<std::uint32_t>(host.call.record),
          {host.call.record, host.call.submit});
    if (race.words.size() < kMostPlaces) add_words(race, walk_.name(need.object));
    keep(group, question);
  }

  void ask_of_acquire(std::uint32_t question, ObjectId image) {
    const SyncQuestion& one = questions_.all()[question];
    const SyncQuestions::OfHost& host = questions_.host(one);
    bool fresh = false;
    Group& group = group_of(
        {0, ordinals_.of(questions_, host.node), kOfHost,
         static_cast<std::uint64_t>(host.command.command) << 32 | static_cast<std::uint64_t>(host.call.command),
         is_in_span(host.call), SyncRule::race},
        fresh);
    SyncRace& race = group.finding.race;
    if (fresh) {
      race.from.executed = host.command;
      race.from.presents = true;
      race.to = side_of(questions_, host.node);
      race.is_one_queue = false;
      race.hazards = graph::kWar;
    }
    count(group, fresh, static_cast<std::uint32_t>(host.command.record), host.node,
          {host.call.record, host.call.submit});
    if (group.finding.occurrences == 1) add_words(race, walk_.name(image));
    add_kind(race.to, host.to.kind, host.to.is_transition() ? 0 : SyncQuestion::kNoPart);
    keep(group, question);
  }

  // In the order of the capture; and by question what it is a race of.
  void finish(std::vector<SyncFinding>& out, std::map<std::uint32_t, SyncRace>& races) {
    settle();
    races = std::move(first_);
    std::map<std::string, int> seen;
    // To write over what was written and read since needs an order after the read. That is the race then, not the
    // write.
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::string>> after_reads;
    for (const auto& [pair, group] : groups_)
      if ((group.finding.race.hazards & graph::kWar) != 0)
        for (const std::string& place : group.finding.race.words)
          after_reads.emplace(group.finding.race.to.executed.record, group.finding.race.to.executed.at, place);
    for (const Pair* pair : in_order_) {
      Group& group = groups_.at(*pair);
      const SyncRace& race = group.finding.race;
      const auto comes_after_a_read = [&](const std::string& place) {
        return after_reads.count({race.to.executed.record, race.to.executed.at, place}) != 0;
      };
      if (race.hazards == graph::kWaw && race.more_places == 0 &&
          std::all_of(race.words.begin(), race.words.end(), comes_after_a_read))
        continue;
      // A question that many needs ask is named with all that this pair asks.
      if (group.finding.rule == SyncRule::race)
        for (const std::uint32_t question : group.questions) races[question] = race;
      if (!std::get<4>(*pair)) continue;
      std::string cause =
          text("{} {} {} {:#x} {:#x} {:#x} {:#x} {} {} {}", word_of(group.finding.rule),
               race.hazards == graph::kLifetime ? "" : codec::info(race.from.executed.command).name,
               codec::info(race.to.executed.command).name, race.from.stages, race.from.access, race.to.stages,
               race.to.access, race.words.front(), walk_.label_text(race.from.executed.label_path),
               walk_.label_text(race.to.executed.label_path));
      // Of the same words the place in the capture tells them apart.
      if (const int before = seen[cause]++; before != 0) append(cause, " {}", before);
      group.finding.id = finding_id(cause);
      out.push_back(std::move(group.finding));
    }
  }

 private:
  struct Group {
    SyncFinding finding;
    std::uint32_t from = 0, to = 0;  // of its last occurrence
    std::vector<std::uint32_t> questions;
  };
  // The last but one: the second command is in the span.
  using Pair = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, bool, SyncRule>;
  struct Held {
    std::uint32_t question = 0;
    graph::Need need;
    Where where;
  };
  static constexpr std::uint64_t kOfHost = UINT64_MAX;  // submits are not so far apart

  bool is_in_span(const SyncQuestions::Executed& one) const {
    return span_.has(one.at, one.submit, one.label_path, walk_);
  }

  Group& group_of(const Pair& pair, bool& fresh) {
    const auto found = groups_.try_emplace(pair);
    fresh = found.second;
    Group& group = found.first->second;
    if (fresh) {
      in_order_.push_back(&found.first->first);
      group.finding.rule = std::get<SyncRule>(pair);
      group.finding.race.executes = true;
    }
    return group;
  }
  static void count(Group& group, bool fresh, std::uint32_t from, std::uint32_t to, const ItemName& name) {
    if (!fresh && group.from == from && group.to == to) return;
    group.finding.occurrences += 1;
    group.from = from;
    group.to = to;
    if (!fresh && group.finding.others.size() < kMostOthers) group.finding.others.push_back(name);
  }
  void keep(Group& group, std::uint32_t question) {
    SyncRace& race = group.finding.race;
    race.executes = race.executes && verdicts_.executes[question];
    if (group.finding.rule == SyncRule::race) first_.try_emplace(question, race);
    if (group.questions.size() < kMostOthers) group.questions.push_back(question);
  }

  const SyncQuestions& questions_;
  const graph::SyncVerdicts& verdicts_;
  const GraphWalk& walk_;
  const WorkSpan& span_;
  Ordinals ordinals_;
  std::map<Pair, Group> groups_;
  std::vector<const Pair*> in_order_;
  std::map<std::uint32_t, SyncRace> first_;  // by question, as its first need was asked
  std::vector<Held> held_;                   // races of the ambiguous host write that was asked last
};

}  // namespace

bool is_of_acquire(const SyncRace& race) {
  return race.from.executed.command == CommandId::vkAcquireNextImageKHR ||
         race.from.executed.command == CommandId::vkAcquireNextImage2KHR;
}

bool has_shader(const SyncRace& race) {
  constexpr VkPipelineStageFlags2 kShaderStages =
      VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
      VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
      VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
      VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT |
      VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
  return ((race.from.stages | race.to.stages) & kShaderStages) != 0;
}

// What a race is about is known while the capture is walked: so it is walked again.
Result<void> SyncAnalysis::find_races(const std::string& path) {
  bool any = false;
  for (std::uint32_t i = 0; i < questions_->all().size() && !any; ++i) any = Races::is_race(*questions_, verdicts_, i);
  if (!any) return {};

  auto walk = GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  Races races(*questions_, verdicts_, *walk, span_);
  SyncQuestions again([&](std::uint32_t question, const graph::Need& need) { races.ask(question, need); },
                      [&](std::uint32_t question, const graph::HostNeed& need) { races.ask_of_host(question, need); });
  NoVisit visitor;
  const auto totals = walk->run(visitor, &again);
  if (!totals) return tl::unexpected(totals.error());
  races.finish(findings_.all, races_);
  walk_ = std::make_unique<GraphWalk>(std::move(*walk));
  return {};
}

}  // namespace rondo::analyzers
