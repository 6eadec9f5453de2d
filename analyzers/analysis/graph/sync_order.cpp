// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/sync_order.h"

#include <algorithm>
#include <bit>

#include "analyzers/analysis/graph/scopes.h"

namespace rondo::graph {

namespace {

// Of one access. More than these are not told apart any more.
constexpr std::size_t kMostEntries = 64;
// At most so many states are kept for later questions. A state that was dropped is computed again.
constexpr std::uint32_t kMostStates = 1u << 13;
constexpr std::uint32_t kFewest = 16;

// Where a semaphore orders what a barrier orders, too, the barrier is the one that goes. A wait of the host goes before
// any barriers.
constexpr std::uint32_t kSemaphoreCost = 1, kHostWaitCost = 1u << 20;

VkFlags64 bit(unsigned number) { return VkFlags64{1} << number; }

}  // namespace

std::uint32_t Histories::add(std::uint32_t history, std::uint32_t op) {
  const auto [found, fresh] =
      at_.try_emplace(std::uint64_t{history} << 32 | op, static_cast<std::uint32_t>(all_.size()));
  if (!fresh) return found->second;
  const SyncLog::Op& one = log_.ops()[op];
  const auto kind = kinds_.try_emplace(Numbers{all_[history].kind, one.call, one.own_shape},
                                       static_cast<std::uint32_t>(kinds_.size() + 1));
  all_.push_back({history, op, kind.first->second});
  return found->second;
}

SyncOrder::SyncOrder(const SyncLog& log, const Histories& histories, const std::vector<bool>& removed, Detail detail)
    : log_(log), histories_(histories), removed_(removed), detail_(detail), ops_of_(log.shapes()) {
  for (std::uint32_t i = 0; i < log.shapes(); ++i) {
    const SyncShape& shape = log.shape(i);
    shape_costs_.push_back(
        64 + static_cast<std::uint32_t>(std::popcount(shape.src_stages) + std::popcount(shape.dst_stages) +
                                        std::popcount(shape.src_access) + std::popcount(shape.dst_access)));
  }
  for (std::uint32_t i = 0; i < log.ops().size(); ++i)
    if (const SyncLog::Op& op = log.ops()[i]; !is_removed(op.sync)) ops_of_[op.shape].push_back(i);
  // To find the shapes that may change a state takes as long as to look at so many ops.
  one_by_one_ = std::max(kFewest, static_cast<std::uint32_t>(std::count_if(
                                      ops_of_.begin(), ops_of_.end(), [](const auto& ops) { return !ops.empty(); })));
  for (const std::vector<std::uint32_t>& ops : ops_of_) {
    std::vector<std::uint32_t>& others = others_of_.emplace_back(ops.size());
    for (std::size_t i = ops.size(); i-- != 0;)
      others[i] = i + 1 < ops.size() && log.ops()[ops[i + 1]].sync == log.ops()[ops[i]].sync
                      ? others[i + 1]
                      : static_cast<std::uint32_t>(i + 1);
  }
}

// Of the same shape; kNone: there is none.
std::uint32_t SyncOrder::next_of_another(std::uint32_t op) const {
  const std::uint32_t shape = log_.ops()[op].shape;
  const std::vector<std::uint32_t>& ops = ops_of_[shape];
  const auto at = std::lower_bound(ops.begin(), ops.end(), op);
  const std::uint32_t next = others_of_[shape][static_cast<std::size_t>(at - ops.begin())];
  return next < ops.size() ? ops[next] : kNone;
}

std::size_t SyncOrder::HashKey::operator()(const Key& key) const {
  std::size_t hash = key.time;
  for (const std::uint64_t value : {std::uint64_t{key.pass}, std::uint64_t{key.first_op}, std::uint64_t{key.history},
                                    std::uint64_t{key.queue} << 32 | std::uint64_t{key.subpass} << 16 |
                                        std::uint64_t{key.kind.stage} << 8 | key.kind.access})
    hash = (hash ^ value) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
}

SyncOrder::Key SyncOrder::key_of(const AccessAt& access, std::uint32_t history) const {
  Key key{};
  key.time = access.place.time;
  key.pass = access.place.pass;
  key.first_op = access.is_transition() ? access.first_op + 1 : 0;
  key.history = histories_.kind(history);
  key.queue = access.place.queue;
  key.subpass = access.place.subpass;
  key.kind = access.kind;
  return key;
}

// The state of an access that has met these ops of its own resource.
std::uint32_t SyncOrder::state_of(const AccessAt& from, std::uint32_t history) {
  if (kept_ >= kMostStates) {
    kept_ = 0;
    state_at_.clear();
    steps_.clear();
    sets_.clear();
  }
  std::vector<std::uint32_t> missing;  // the last one first
  std::uint32_t at = kNone;
  for (;; history = histories_.before(history)) {
    const auto [found, fresh] = state_at_.try_emplace(key_of(from, history), kept_);
    if (!fresh) {
      at = found->second;
      break;
    }
    if (history == Histories::kNone) {
      at = found->second;
      new_state(from, from.is_transition() ? from.first_op : from.place.time);
      break;
    }
    state_at_.erase(found);  // its number is not known yet
    missing.push_back(history);
  }
  for (; !missing.empty(); missing.pop_back()) {
    const std::uint32_t op = histories_.op(missing.back());
    advance(states_[at], op);
    const std::uint32_t made = kept_;
    State& state = new_state(from, op);
    for (const Entry& one : states_[at].entries)
      if (one.op < op) push(state, one);
    if (!is_removed(log_.ops()[op].sync))
      if (const auto entry = apply(state, op, true)) add(state, *entry);
    at = made;
    state_at_.emplace(key_of(from, missing.back()), at);
  }
  return at;
}

// States are used again, with their memory.
SyncOrder::State& SyncOrder::new_state(const AccessAt& access, std::uint32_t begin) {
  if (kept_ == states_.size()) states_.emplace_back();
  State& state = states_[kept_++];
  state.access = access;
  state.entries.clear();
  state.begin = state.next = begin;
  state.knows_coming = state.any_settled = false;
  state.coming.clear();
  return state;
}

std::uint32_t SyncOrder::cost_of(std::uint32_t number) const {
  const SyncLog::Op& op = log_.ops()[number];
  if (op.sync == SyncLog::kNone) return 0;
  switch (log_.syncs()[op.sync].kind) {
    case SyncOp::Kind::host_wait:
      return log_.syncs()[op.sync].costs_nothing ? 2 * kHostWaitCost : kHostWaitCost;
    case SyncOp::Kind::semaphore:
      return kSemaphoreCost;
    default:
      break;
  }
  return shape_costs_[op.own_shape];
}

// What the op does for the access, if the access is in its first scope. `local`: what is ordered in subpasses of its
// pass.
std::optional<SyncOrder::Entry> SyncOrder::apply(const State& state, std::uint32_t number, bool own,
                                                 std::span<const Local> local) {
  const SyncLog::Op& op = log_.ops()[number];
  const AccessAt& access = state.access;
  // A transition is of the resource of its own op.
  const bool is_its_op = access.is_transition() && number >= access.first_op && number < access.end_op;
  const SyncShape& shape = log_.shape(own || is_its_op ? op.own_shape : op.shape);
  const OpSets::Set self =
      op.sync != SyncLog::kNone && detail_ == Detail::needed ? OpSets::of(op.sync) : OpSets::kEmpty;
  Entry made;
  bool any = false;
  std::uint32_t before = kNone, cost = 0;
  const auto option = [&](OpSets::Set executes, bool is_available, OpSets::Set available, std::uint32_t step,
                          std::uint32_t step_cost) {
    made.executes = any ? sets_.common(made.executes, executes) : executes;
    const bool better =
        !any || (is_available && !made.is_available) || (is_available == made.is_available && step_cost < cost);
    if (better) {
      before = step;
      cost = step_cost;
    }
    if (is_available) made.available = made.is_available ? sets_.common(made.available, available) : available;
    made.is_available = made.is_available || is_available;
    any = true;
  };

  const bool of_subpass = shape.from_subpass != SyncShape::kAllBefore;
  if (is_its_op) {
    option(self, true, self, kNone, 0);
  } else if (access.place.queue == shape.from_queue && access.place.time <= op.after &&
             (shape.first & bit(access.kind.stage)) != 0 &&
             (!of_subpass ||
              (op.pass != 0 && op.pass == access.place.pass && shape.from_subpass == access.place.subpass))) {
    const bool is_available = access.is_transition() || ((shape.src_stages & bit(access.kind.stage)) != 0 &&
                                                         (shape.src_access & bit(access.kind.access)) != 0);
    option(self, is_available, self, kNone, 0);
  }
  const auto chain = [&](const Entry& one) {
    if (one.queue != shape.from_queue || one.op >= op.after || (one.second & shape.first) == 0) return;
    option(sets_.both(one.executes, self), one.is_available,
           one.is_available ? sets_.both(one.available, self) : OpSets::kEmpty, one.step, one.cost);
    if (shape.is_whole)
      option(sets_.both(one.executes, self), true, sets_.both(one.executes, self), one.step, one.cost);
  };
  for (const Entry& one : state.entries)
    if (!of_subpass || one.is_general) chain(one);
  if (of_subpass)
    for (const Local& one : local)
      if (one.subpass == shape.from_subpass) chain(one.entry);
  if (!any) return std::nullopt;

  made.op = number;
  made.queue = shape.to_queue;
  made.second = shape.second;
  made.dst_stages = shape.dst_stages;
  made.dst_access = shape.dst_access;
  made.is_general = shape.to_subpass == SyncShape::kAllAfter;
  made.cost = cost + cost_of(number);
  made.before = before;
  return made;
}

void SyncOrder::take_step(Entry& entry) {
  entry.step = static_cast<std::uint32_t>(steps_.size());
  steps_.push_back({entry.op, entry.before});
}

std::optional<SyncOrder::Entry> SyncOrder::apply(const State& state, std::uint32_t number, bool own) {
  const SyncLog::Op& op = log_.ops()[number];
  if (op.pass == 0 || log_.shape(op.shape).from_subpass == SyncShape::kAllBefore) return apply(state, number, own, {});
  const std::vector<Local> local = local_entries(state, op.pass, number);
  return apply(state, number, own, local);
}

// What is ordered before work in the subpasses of a pass, by the ops before the op `until`.
std::vector<SyncOrder::Local> SyncOrder::local_entries(const State& state, std::uint32_t pass, std::uint32_t until) {
  std::vector<Local> all;
  for (const std::uint32_t op : log_.ops_in(pass)) {
    if (op >= until) break;
    if (op < state.begin || is_removed(log_.ops()[op].sync)) continue;
    auto entry = apply(state, op, false, all);
    if (!entry) continue;
    take_step(*entry);
    all.push_back({log_.shape(log_.ops()[op].shape).to_subpass, *entry});
  }
  return all;
}

bool SyncOrder::dominates(const Entry& a, const Entry& b) {
  if (a.queue != b.queue || (b.is_general && !a.is_general) || (b.second & ~a.second) != 0) return false;
  if (!sets_.is_in(a.executes, b.executes)) return false;
  return !b.is_available || (a.is_available && (b.dst_stages & ~a.dst_stages) == 0 &&
                             (b.dst_access & ~a.dst_access) == 0 && sets_.is_in(a.available, b.available));
}

void SyncOrder::push(State& state, const Entry& entry) {
  state.entries.push_back(entry);
  state.any_settled = state.any_settled || is_settled(entry);
}

// False: it says nothing new.
bool SyncOrder::add(State& state, Entry entry) {
  for (const Entry& one : state.entries)
    if (dominates(one, entry)) return false;
  const std::size_t before = state.entries.size();
  if (before >= kMostEntries) {
    too_many_ = true;
    return false;
  }
  take_step(entry);
  push(state, entry);
  // Where two ops order the same, neither is needed for it.
  for (std::size_t i = 0; i < before && state.entries.size() < kMostEntries; ++i) {
    const Entry& one = state.entries[i];
    if (one.queue != entry.queue || (one.second & entry.second) == 0) continue;
    Entry both = one.cost <= entry.cost ? one : entry;
    both.op = entry.op;
    both.second = one.second & entry.second;
    both.dst_stages = one.dst_stages & entry.dst_stages;
    both.dst_access = one.dst_access & entry.dst_access;
    both.is_general = one.is_general && entry.is_general;
    both.is_available = one.is_available && entry.is_available;
    both.executes = sets_.common(one.executes, entry.executes);
    both.available = both.is_available ? sets_.common(one.available, entry.available) : OpSets::kEmpty;
    if (std::none_of(state.entries.begin(), state.entries.end(),
                     [&](const Entry& other) { return dominates(other, both); }))
      push(state, both);
  }
  return true;
}

// The access is ordered before all that the op could order, whatever is removed. Most accesses soon are.
bool SyncOrder::is_settled(const State& state, const SyncShape& shape) {
  if (!state.any_settled) return false;
  const bool to_all = shape.to_subpass == SyncShape::kAllAfter;
  return std::any_of(state.entries.begin(), state.entries.end(), [&](const Entry& one) {
    return one.queue == shape.to_queue && (one.is_general || !to_all) && (shape.second & ~one.second) == 0 &&
           is_settled(one) && (shape.dst_stages & ~one.dst_stages) == 0 && (shape.dst_access & ~one.dst_access) == 0;
  });
}

// Whether an op of this shape could say something new, whichever command it is of: one that the access has not met yet
// is needed for whatever it says.
bool SyncOrder::may_change(const State& state, const SyncShape& shape) {
  const AccessAt& access = state.access;
  bool any = false, is_available = false;
  // What is needed besides the op itself: as little as there can be.
  OpSets::Set executes = OpSets::kEmpty, available = OpSets::kEmpty;
  const auto option = [&](OpSets::Set to_execute, bool makes_available, OpSets::Set to_be_available) {
    executes = any ? sets_.common(executes, to_execute) : to_execute;
    if (makes_available) available = is_available ? sets_.common(available, to_be_available) : to_be_available;
    is_available = is_available || makes_available;
    any = true;
  };
  const bool of_subpass = shape.from_subpass != SyncShape::kAllBefore;
  const bool to_all = shape.to_subpass == SyncShape::kAllAfter;
  if (is_settled(state, shape)) return false;
  if (access.is_transition()) {
    for (std::uint32_t i = access.first_op; i < access.end_op; ++i)
      if (log_.shape(log_.ops()[i].shape) == shape || log_.shape(log_.ops()[i].own_shape) == shape)
        option(OpSets::kEmpty, true, OpSets::kEmpty);
  }
  if (access.place.queue == shape.from_queue && (shape.first & bit(access.kind.stage)) != 0 &&
      (!of_subpass || (access.place.pass != 0 && shape.from_subpass == access.place.subpass)))
    option(OpSets::kEmpty,
           access.is_transition() ||
               ((shape.src_stages & bit(access.kind.stage)) != 0 && (shape.src_access & bit(access.kind.access)) != 0),
           OpSets::kEmpty);
  for (const Entry& one : state.entries) {
    if (any && is_available && executes == OpSets::kEmpty && available == OpSets::kEmpty) break;  // it can't be less
    if (one.queue == shape.from_queue && (one.second & shape.first) != 0)
      option(one.executes, one.is_available || shape.is_whole, shape.is_whole ? one.executes : one.available);
  }
  if (!any) return false;
  return std::none_of(state.entries.begin(), state.entries.end(), [&](const Entry& one) {
    return one.queue == shape.to_queue && (one.is_general || !to_all) && (shape.second & ~one.second) == 0 &&
           sets_.is_in(one.executes, executes) &&
           (!is_available || (one.is_available && (shape.dst_stages & ~one.dst_stages) == 0 &&
                              (shape.dst_access & ~one.dst_access) == 0 && sets_.is_in(one.available, available)));
  });
}

// The first op of a shape at or after `from`; kNone: there is none.
std::uint32_t SyncOrder::first_op(std::uint32_t shape, std::uint32_t from) const {
  const std::vector<std::uint32_t>& ops = ops_of_[shape];
  if (ops.empty() || ops.back() < from) return kNone;
  return *std::lower_bound(ops.begin(), ops.end(), from);
}

void SyncOrder::find_coming(State& state, std::uint32_t from) {
  state.knows_coming = true;
  state.coming.clear();
  for (std::uint32_t shape = 0; shape < ops_of_.size(); ++shape) {
    if (ops_of_[shape].empty() || ops_of_[shape].back() < from || !may_change(state, log_.shape(shape))) continue;
    state.coming.push_back({shape, first_op(shape, from)});
  }
  find_next(state);
}

// After `added` was added. A shape that could say nothing new can do so now only by a chain with it. One that could say
// something new can do so still, unless `added` orders all that it orders.
void SyncOrder::change_coming(State& state, std::uint32_t from, const Entry& added) {
  coming_.clear();
  auto known = state.coming.begin();
  for (std::uint32_t number = 0; number < ops_of_.size(); ++number) {
    const bool is_known = known != state.coming.end() && known->shape == number;
    const std::uint32_t known_op = is_known ? (known++)->op : kNone;
    if (ops_of_[number].empty() || ops_of_[number].back() < from) continue;
    const SyncShape& shape = log_.shape(number);
    const bool chains = shape.from_queue == added.queue && (shape.first & added.second) != 0;
    const bool may_end = shape.to_queue == added.queue && (shape.second & ~added.second) == 0;
    if (!is_known && !chains) continue;
    if ((!is_known || may_end) && !may_change(state, shape)) continue;
    // With a chain also ops count that said nothing new before.
    const std::uint32_t op = chains || known_op < from ? first_op(number, from) : known_op;
    if (op != kNone) coming_.push_back({number, op});
  }
  std::swap(state.coming, coming_);
  find_next(state);
}

void SyncOrder::find_next(State& state) {
  state.next = kNone;
  for (const Coming& one : state.coming) state.next = std::min(state.next, one.op);
}

void SyncOrder::advance(State& state, std::uint32_t until) {
  while (!state.knows_coming && state.next < until) {
    if (state.next - state.begin >= one_by_one_) {
      find_coming(state, state.next);
      break;
    }
    const std::uint32_t op = state.next++;
    const SyncLog::Op& one = log_.ops()[op];
    const SyncShape& shape = log_.shape(one.shape);
    const bool is_its_op = op >= state.access.first_op && op < state.access.end_op;
    if ((shape.first == 0 && !is_its_op) || is_removed(one.sync) || is_settled(state, shape)) continue;
    if (const auto entry = apply(state, op, false)) add(state, *entry);
  }
  while (state.next < until) {
    const std::uint32_t op = state.next;
    const SyncLog::Op& one = log_.ops()[op];
    const auto entry = apply(state, op, false);
    if (entry && add(state, *entry)) {
      change_coming(state, op + 1, *entry);
      continue;
    }
    // The same command says nothing new the next time either. But an op that is of none may have come too early.
    std::uint32_t following = kNone;
    if (entry && one.sync != SyncLog::kNone) {
      following = next_of_another(op);
    } else {
      const std::vector<std::uint32_t>& ops = ops_of_[one.shape];
      if (const auto at = std::upper_bound(ops.begin(), ops.end(), op); at != ops.end()) following = *at;
    }
    for (Coming& coming : state.coming)
      if (coming.shape == one.shape) coming.op = following;
    find_next(state);
  }
}

}  // namespace rondo::graph
