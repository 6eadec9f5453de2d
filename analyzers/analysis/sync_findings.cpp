// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/sync_findings.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "analyzers/analysis/graph/scopes.h"
#include "analyzers/text/text.h"
#include "format/codec/schema.h"
#include "format/digest.h"

namespace rondo::analyzers {

namespace {

using graph::SyncOp;
using graph::SyncQuestion;
using graph::SyncQuestions;
using graph::SyncVerdict;

constexpr std::size_t kMostOtherSyncs = 8;

const char* command_name(CommandId command) { return codec::info(command).name; }

// Of the flags that a barrier says, those that are enough for what is used. `expand`: what a flag stands for. `widen`:
// with what else is in its scope.
template <class Expand, class Widen>
VkFlags64 enough(VkFlags64 said, VkFlags64 used, VkFlags64 wide, const Expand& expand, const Widen& widen) {
  VkFlags64 kept = 0;
  for (VkFlags64 rest = used; rest != 0; rest &= rest - 1) {
    const VkFlags64 one = rest & ~(rest - 1);
    VkFlags64 by = said & one;
    // A word that stands for few others is as good as they are.
    for (VkFlags64 words = said & ~wide; words != 0 && by == 0; words &= words - 1)
      if (const VkFlags64 word = words & ~(words - 1); (expand(word) & one) != 0) by = word;
    if (by == 0 && (expand(said) & one) != 0) by = one;
    for (VkFlags64 words = said & ~wide; words != 0 && by == 0; words &= words - 1)
      if (const VkFlags64 word = words & ~(words - 1); (widen(expand(word)) & one) != 0) by = word;
    kept |= by != 0 ? by : one;
  }
  return kept;
}

// Which one of the fragment tests touches depth and stencil a shader says, so a barrier may name both.
VkPipelineStageFlags2 both_tests(VkPipelineStageFlags2 stages, VkPipelineStageFlags2 said) {
  constexpr VkPipelineStageFlags2 kTests =
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  return (stages & kTests) != 0 ? stages | (kTests & said) : stages;
}

bool is_first_form(CommandId command) {
  return command == CommandId::vkCmdPipelineBarrier || command == CommandId::vkCmdWaitEvents;
}
constexpr VkFlags64 kOldFlags = 0xffffffff;
// The command has the words of the first form alone. A dependency of subpasses has others where a VkMemoryBarrier2 is
// chained to it: one that says none of them may have none.
bool has_first_words(const SyncOp& sync, const model::Barrier& one) {
  return is_first_form(sync.command) ||
         (sync.kind == SyncOp::Kind::dependency &&
          ((one.src_stages | one.dst_stages | one.src_access | one.dst_access) & ~kOldFlags) == 0);
}
// The words that the first form has for these.
VkPipelineStageFlags2 first_form_stages(VkPipelineStageFlags2 stages) {
  VkPipelineStageFlags2 said = stages & kOldFlags;
  for (VkPipelineStageFlags2 rest = stages & ~kOldFlags; rest != 0; rest &= rest - 1)
    for (const VkPipelineStageFlags2 word :
         {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT})
      if ((graph::first_stages(word) & rest & ~(rest - 1)) != 0) said |= word;
  return said;
}
VkAccessFlags2 first_form_access(VkAccessFlags2 access) {
  VkAccessFlags2 said = access & kOldFlags;
  for (VkAccessFlags2 rest = access & ~kOldFlags; rest != 0; rest &= rest - 1)
    for (const VkAccessFlags2 word : {VK_ACCESS_2_SHADER_READ_BIT, VK_ACCESS_2_SHADER_WRITE_BIT})
      if ((graph::all_accesses(word) & rest & ~(rest - 1)) != 0) said |= word;
  return said;
}

}  // namespace

std::string finding_id(const std::string& cause) {
  return to_string(digest_of(std::as_bytes(std::span(cause.data(), cause.size())))).substr(0, 12);
}

std::string_view word_of(SyncRule rule) {
  switch (rule) {
    case SyncRule::race:
      return "race";
    case SyncRule::ineffective:
      return "ineffective";
    case SyncRule::superfluous:
      return "superfluous";
    case SyncRule::too_wide:
      return "too-wide";
    case SyncRule::replaceable:
      return "replaceable";
    case SyncRule::needed:
      return "needed";
    case SyncRule::unknown:
      return "unknown";
    case SyncRule::ambiguous:
      return "ambiguous";
  }
  return "";
}

Result<SyncAnalysis> SyncAnalysis::of(const std::string& path, const SpanRequest& request) {
  SyncAnalysis made;
  made.questions_ = std::make_unique<SyncQuestions>();
  auto walk = GraphWalk::open(path);
  if (!walk) return tl::unexpected(walk.error());
  made.walk_ = std::make_unique<GraphWalk>(std::move(*walk));
  auto span = WorkSpan::find(*made.walk_, request);
  if (!span) return tl::unexpected(span.error());
  made.span_ = std::move(*span);
  NoVisit visitor;
  const auto totals = made.walk_->run(visitor, made.questions_.get());
  if (!totals) return tl::unexpected(totals.error());
  made.findings_.totals = *totals;
  made.verdicts_ = graph::find_verdicts(*made.questions_);
  made.findings_.totals.too_many = totals->too_many || made.verdicts_.too_many;
  made.walk_->find_damage(made.findings_.totals);
  RONDO_TRY(made.find_races(path));
  made.find_operations();
  return made;
}

SyncNarrow SyncAnalysis::narrowed(std::uint32_t sync, std::uint32_t barrier) const {
  const graph::SyncUse& use = verdicts_.syncs[sync].uses[barrier];
  SyncNarrow narrow;
  narrow.barrier = barrier;
  narrow.now = narrow.enough = questions_->log.syncs()[sync].barriers[barrier];
  narrow.is_unused = !use.any;
  const auto same = [](VkFlags64 flags) { return flags; };
  model::Barrier& to = narrow.enough;
  // What orders a transition of another command must have all commands in its first scope.
  if ((use.src_stages & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) == 0)
    to.src_stages = enough(to.src_stages, both_tests(use.src_stages, to.src_stages), graph::kWideStages,
                           graph::first_stages, graph::with_earlier);
  // What only reads before a barrier needs an order alone: to name its access does nothing.
  to.src_access = enough(to.src_access, use.src_access & (model::kWrites | to.src_access), graph::kWideAccesses,
                         graph::all_accesses, same);
  const bool first_words = has_first_words(questions_->log.syncs()[sync], narrow.now);
  if (first_words) {
    to.src_stages = first_form_stages(to.src_stages);
    to.src_access = first_form_access(to.src_access);
  }
  // No later work in the capture uses the new layout. So the second scope stays as the program says it.
  if (use.dst_stages == 0) return narrow;
  to.dst_stages = enough(to.dst_stages, both_tests(use.dst_stages, to.dst_stages), graph::kWideStages,
                         graph::second_stages, graph::with_later);
  to.dst_access = enough(to.dst_access, use.dst_access, graph::kWideAccesses, graph::all_accesses, same);
  if (first_words) {
    to.dst_stages = first_form_stages(to.dst_stages);
    to.dst_access = first_form_access(to.dst_access);
  }
  return narrow;
}

namespace {

// Words that stand for nothing where they are.
VkPipelineStageFlags2 said_first(VkPipelineStageFlags2 stages) {
  return stages & ~VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT};
}
VkPipelineStageFlags2 said_second(VkPipelineStageFlags2 stages) {
  return stages & ~VkPipelineStageFlags2{VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT};
}

// An access that reads does nothing in a first scope: it makes nothing available, and nothing wider.
bool is_narrower(const SyncNarrow& one) {
  if (one.is_unused) return true;
  return said_first(one.enough.src_stages) != said_first(one.now.src_stages) ||
         said_second(one.enough.dst_stages) != said_second(one.now.dst_stages) ||
         (one.now.src_access & ~one.enough.src_access & model::kWrites) != 0 ||
         (one.now.dst_access & ~one.enough.dst_access) != 0;
}

std::string barrier_words(const model::Barrier& one) {
  return text("{:#x} {:#x} {:#x} {:#x} {}", one.src_stages, one.src_access, one.dst_stages, one.dst_access,
              static_cast<int>(one.kind));
}

std::string kind_words(const SyncOp& sync) {
  std::string words = command_name(sync.command);
  for (const model::Barrier& one : sync.barriers)
    append(words, " {} {}", barrier_words(one), static_cast<std::uint64_t>(one.resource));
  return words;
}

}  // namespace

std::vector<SyncNarrow> SyncAnalysis::narrower(std::uint32_t sync) const {
  const SyncOp& op = questions_->log.syncs()[sync];
  std::vector<SyncNarrow> all;
  VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
  for (std::uint32_t i = 0; i < op.barriers.size(); ++i) {
    all.push_back(narrowed(sync, i));
    if (all.back().is_unused) continue;
    src_stages |= all.back().enough.src_stages;
    dst_stages |= all.back().enough.dst_stages;
  }
  // In the first form all barriers of a command have the same stages, and one that says nothing else is not written.
  const bool first_form = is_first_form(op.command);
  const auto says_nothing = [](const model::Barrier& one) {
    return one.kind == model::Barrier::Kind::memory && one.src_access == 0 && one.dst_access == 0;
  };
  if (first_form)
    for (SyncNarrow& one : all) {
      // The first form has no word for no stage.
      one.enough.src_stages = src_stages != 0 ? src_stages : VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;
      one.enough.dst_stages = dst_stages != 0 ? dst_stages : VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    }
  std::erase_if(all, [&](const SyncNarrow& one) {
    if ((one.now.dst_stages & VK_PIPELINE_STAGE_2_HOST_BIT) != 0) return true;
    return (first_form && op.barriers.size() > 1 && says_nothing(one.now)) || !is_narrower(one);
  });
  return all;
}

void SyncAnalysis::find_operations() {
  std::map<std::string, std::size_t> at;  // findings, by their cause
  const auto& syncs = questions_->log.syncs();
  // The last one of its kind may be for work that the capture does not have. And one that was not needed may be at a
  // place of the program where others are.
  std::map<std::string, std::uint64_t> needed;
  for (std::uint32_t i = 1; i < syncs.size(); ++i)
    if (verdicts_.syncs[i].verdict == SyncVerdict::needed) needed[kind_words(syncs[i])] += 1;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> ordinals;  // by the submit that executes it
  for (std::uint32_t i = 1; i < syncs.size(); ++i) {
    const SyncOp& sync = syncs[i];
    const graph::SyncResult& result = verdicts_.syncs[i];
    const std::uint64_t ordinal = ordinals[{sync.at, sync.submit}]++;
    if (!span_.has(sync.at, sync.submit, sync.label_path, *walk_)) continue;
    findings_.operations += 1;
    SyncFinding finding;
    finding.sync = i;
    finding.syncs = {i};
    finding.occurrences = 1;
    SyncVerdict verdict = result.verdict;
    const bool is_of_host = sync.kind == SyncOp::Kind::host_wait;
    if (verdict == SyncVerdict::superfluous && !result.is_followed && !is_of_host &&
        (!findings_.totals.cut.empty() || needed.count(kind_words(sync)) != 0))
      verdict = SyncVerdict::unknown;
    // Programs wait for all before they end, whatever they know.
    if (verdict == SyncVerdict::superfluous && sync.costs_nothing && !result.is_followed)
      verdict = SyncVerdict::unknown;
    // What it comes near to is no race, if the device itself has made the write of the host.
    const auto race = races_.find(result.race);
    if (verdict == SyncVerdict::ineffective && race == races_.end()) verdict = SyncVerdict::unknown;
    switch (verdict) {
      case SyncVerdict::superfluous:
        finding.rule = SyncRule::superfluous;
        findings_.superfluous += 1;
        if (const auto like = needed.find(kind_words(sync)); like != needed.end()) finding.needed_like = like->second;
        break;
      case SyncVerdict::ineffective:
        finding.rule = SyncRule::ineffective;
        finding.race = race->second;
        break;
      case SyncVerdict::needed:
      case SyncVerdict::unknown:
        (verdict == SyncVerdict::needed ? findings_.needed : findings_.unknown) += 1;
        finding.rule = verdict == SyncVerdict::needed ? SyncRule::needed : SyncRule::unknown;
        // Where it is part of a race it must first be corrected.
        if (result.verdict == SyncVerdict::needed && result.race == UINT32_MAX) finding.narrow = narrower(i);
        if (!finding.narrow.empty()) finding.rule = SyncRule::too_wide;
        if (verdict == SyncVerdict::needed && sync.kind == SyncOp::Kind::semaphore && sync.is_one_queue)
          finding.rule = SyncRule::replaceable;
        break;
    }
    std::string cause = text("{} {} {} {}", word_of(finding.rule), command_name(sync.command), ordinal,
                             walk_->label_text(sync.label_path));
    for (const model::Barrier& one : sync.barriers) append(cause, " {}", barrier_words(one));
    for (const SyncNarrow& one : finding.narrow) append(cause, " {} {}", one.barrier, barrier_words(one.enough));
    finding.id = finding_id(cause);
    const auto [found, fresh] = at.try_emplace(cause, findings_.all.size());
    if (fresh) {
      findings_.all.push_back(std::move(finding));
      continue;
    }
    SyncFinding& first = findings_.all[found->second];
    first.occurrences += 1;
    first.syncs.push_back(i);
    if (first.others.size() < kMostOtherSyncs) first.others.push_back({sync.record, sync.submit});
  }
  std::stable_sort(findings_.all.begin(), findings_.all.end(),
                   [](const SyncFinding& a, const SyncFinding& b) { return a.rule < b.rule; });
}

}  // namespace rondo::analyzers
