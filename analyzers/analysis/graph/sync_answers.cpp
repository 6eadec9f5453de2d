// SPDX-License-Identifier: Apache-2.0
// How SyncOrder answers: what orders the first access before the second one, and by which ops.
#include "analyzers/analysis/graph/scopes.h"
#include "analyzers/analysis/graph/sync_order.h"

namespace rondo::graph {

namespace {

// All stages. SyncLog gives this second scope to a submit and to a wait of the host.
constexpr VkPipelineStageFlags2 kEverything = ~VkPipelineStageFlags2{0};

VkFlags64 bit_of(unsigned number) { return VkFlags64{1} << number; }

// A stage by which two ops chain: it is in the second scope of one and in the first scope of the other. A stage that
// both barriers name comes first.
VkPipelineStageFlags2 meeting_stage(const SyncShape& before, const SyncShape& after) {
  const VkPipelineStageFlags2 both = before.second & after.first;
  for (const VkPipelineStageFlags2 some : {both & before.dst_stages & after.src_stages, both})
    if (const VkPipelineStageFlags2 narrow = some & ~kWideStages; narrow != 0) return narrow & ~(narrow - 1);
  return both & ~(both - 1);
}

}  // namespace

bool SyncOrder::sees(const Entry& entry, const AccessAt& to) {
  if (!entry.is_available) return false;
  return to.is_transition() ||
         ((entry.dst_stages & bit_of(to.kind.stage)) != 0 && (entry.dst_access & bit_of(to.kind.access)) != 0);
}

// Finds the entries of the state that put its access before the access `to`.
void SyncOrder::find(State& state, const AccessAt& to, std::vector<Entry>& out) {
  out.clear();
  if (to.is_transition()) {
    for (std::uint32_t op = to.first_op; op < to.end_op; ++op) {
      if (is_removed(log_.ops()[op].sync)) continue;
      advance(state, op);
      State then = state;
      std::erase_if(then.entries, [&](const Entry& one) { return one.op >= op; });
      if (auto entry = apply(then, op, true)) {
        take_step(*entry);
        out.push_back(*entry);
      }
    }
    // A submit of the host is before all that the batch does, its transitions too.
    advance(state, to.first_op);
    for (const Entry& one : state.entries)
      if (one.op < to.first_op && one.queue == to.place.queue && one.is_general && one.second == kEverything)
        out.push_back(one);
    return;
  }
  advance(state, to.place.time);
  const auto reaches = [&](const Entry& one) {
    return one.op < to.place.time && one.queue == to.place.queue && (one.second & bit_of(to.kind.stage)) != 0;
  };
  for (const Entry& one : state.entries)
    if (one.is_general && reaches(one)) out.push_back(one);
  if (to.place.pass == 0 || log_.ops_in(to.place.pass).empty()) return;
  for (const Local& one : local_entries(state, to.place.pass, to.place.time))
    if (one.subpass == to.place.subpass && reaches(one.entry)) out.push_back(one.entry);
}

SyncOrder::Answer SyncOrder::ask(const AccessAt& from, std::uint32_t history, const AccessAt& to, bool memory) {
  find(states_[state_of(from, history)], to, found_);
  Answer answer;
  bool any = false;
  for (const Entry& one : found_) {
    answer.executes = true;
    answer.sees = answer.sees || sees(one, to);
    if (memory && !sees(one, to)) continue;
    const OpSets::Set needed = memory ? one.available : one.executes;
    answer.needed = any ? sets_.common(answer.needed, needed) : needed;
    any = true;
  }
  return answer;
}

void SyncOrder::way(const AccessAt& from, std::uint32_t history, const AccessAt& to, bool memory,
                    std::vector<Used>& out) {
  out.clear();
  find(states_[state_of(from, history)], to, found_);
  const Entry* best = nullptr;
  for (const Entry& one : found_)
    if ((!memory || sees(one, to)) && (best == nullptr || one.cost < best->cost)) best = &one;
  if (best == nullptr) return;
  for (std::uint32_t step = best->step; step != kNone; step = steps_[step].before) {
    Used used;
    used.op = steps_[step].op;
    const SyncShape& shape = log_.shape(log_.ops()[used.op].own_shape);
    if (out.empty()) {
      if (!to.is_transition()) {
        used.dst_stage = bit_of(to.kind.stage);
        used.dst_access = bit_of(to.kind.access);
      }
    } else {
      const VkPipelineStageFlags2 stage = meeting_stage(shape, log_.shape(log_.ops()[out.back().op].own_shape));
      used.dst_stage = stage;
      out.back().src_stage = stage;
    }
    out.push_back(used);
  }
  Used& first = out.back();
  const bool is_own = from.is_transition() && first.op >= from.first_op && first.op < from.end_op;
  if (is_own) return;
  first.src_stage = bit_of(from.kind.stage);
  // What a transition wrote is available.
  if (!from.is_transition()) first.src_access = bit_of(from.kind.access);
}

}  // namespace rondo::graph
