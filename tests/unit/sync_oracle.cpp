// SPDX-License-Identifier: Apache-2.0
// The oracle. First it executes the program: that gives one list of all that happens, in order. Then it takes each
// access and each piece of memory of that access, and follows the list from there on: which dependencies has the access
// in their first scope, directly or by a chain? So it knows for each later access of the piece whether it is ordered.
// Terms of the specification: "Execution and Memory Dependencies".
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>

#include "model/touch.h"
#include "tests/unit/sync_execution.h"
#include "tests/unit/sync_facts.h"

namespace rondo::test {
namespace {

using namespace sync;
using execution::Execution;
using execution::Op;
using Command = SyncFacts::Command;
using Dependency = SyncFacts::Dependency;

constexpr Stages kTransfers = kCopy | VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT | kClear;
// Layout transitions have a stage of their own here, which no command can name. ALL_COMMANDS has it.
constexpr Stages kTransitions = Stages{1} << 63;
constexpr Stages kEveryCommand = ~(kHost | kTop | kBottom);
constexpr Accesses kEveryAccess = ~Accesses{0};

// The order of the graphics pipeline. Compute begins with DRAW_INDIRECT, too. Transfers have no order among each other.
constexpr std::array<Stages, 12> kGraphics = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
    kVertex,
    VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT,
    VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
    kFragment,
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
};

// The stages that a mask names. An access scope has these alone: TOP_OF_PIPE and BOTTOM_OF_PIPE give it nothing.
Stages named(Stages mask) {
  Stages all = mask & ~(kTop | kBottom | kAll | kTransfer | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT);
  if ((mask & kTransfer) != 0) all |= kTransfers;
  if ((mask & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) != 0)
    for (const Stages one : kGraphics) all |= one;
  if ((mask & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) != 0)
    all |= VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
  if ((mask & kAll) != 0) all |= kEveryCommand;
  return all;
}
// The stages of a first execution scope: logically earlier stages are in it. TOP_OF_PIPE is NONE there, and
// BOTTOM_OF_PIPE is ALL_COMMANDS.
Stages first_stages(Stages mask) {
  Stages all = named(mask) | ((mask & kBottom) != 0 ? kEveryCommand : 0);
  for (std::size_t i = kGraphics.size(); i-- > 1;)
    if ((all & kGraphics[i]) != 0) all |= kGraphics[i - 1];
  if ((all & kCompute) != 0) all |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
  return all;
}
// The stages of a second execution scope: logically later stages are in it. TOP_OF_PIPE is ALL_COMMANDS there, and
// BOTTOM_OF_PIPE is NONE.
Stages second_stages(Stages mask) {
  Stages all = named(mask) | ((mask & kTop) != 0 ? kEveryCommand : 0);
  if ((all & VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT) != 0) all |= kCompute;
  for (std::size_t i = 1; i < kGraphics.size(); ++i)
    if ((all & kGraphics[i - 1]) != 0) all |= kGraphics[i];
  return all;
}
// All accesses that a mask names.
Accesses all_of(Accesses mask) {
  if ((mask & kAnyRead) != 0) mask |= ~model::kWrites;
  if ((mask & kAnyWrite) != 0) mask |= model::kWrites;
  if ((mask & VK_ACCESS_2_SHADER_READ_BIT) != 0)
    mask |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  if ((mask & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) mask |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return mask;
}

// An access that executes. Its stage is 0 where the host or a transition makes it.
struct Access {
  std::uint64_t record = 0;
  int queue = -1;  // -1: the host's
  Stages stage = 0;
  bool writes = false;
  SyncPlace place = {};
  const Dependency* transition = nullptr;  // that makes it, …
  std::size_t number = 0;                  // … of its command
  Accesses access = 0;                     // one; 0: a transfer's

  bool is_by_host() const { return queue < 0; }
  Accesses kind() const { return access != 0 ? access : writes ? kWrite : kRead; }
};

Access access_of(const Op& op, const SyncTouch& touch) {
  return {op.record, op.queue, touch.stage, touch.writes, touch.place, nullptr, 0, touch.access};
}
// It reads and writes all of its range. So whatever it races with, it races as a write.
Access access_of(const Op& op, const Dependency& transition) {
  const auto number = static_cast<std::size_t>(&transition - op.what->dependencies.data());
  return {op.record, op.queue, 0, true, *transition.place, &transition, number, 0};
}
Access host_access_of(const Op& op) { return {op.record, -1, 0, true, op.place, nullptr, 0, 0}; }

// Which part of a dependency's first scopes an access is in.
struct Reach {
  bool reached = false;    // the execution scope, by a chain or directly
  bool available = false;  // … and a write is available at the end of the dependency
};

// Follows one access to one piece of memory from where it executes on, until something overwrites the piece.
class Followed {
 public:
  Followed(const std::vector<Op>& ops, const std::set<std::uint64_t>& without, const SyncFacts::Narrowed& narrowed,
           const Access& access, std::uint64_t piece, std::set<OracleRace>& races)
      : ops_(ops),
        without_(without),
        narrowed_(narrowed),
        access_(access),
        piece_(piece),
        races_(races),
        known_(ops.size()),
        signalled_(ops.size()) {
    if (access.is_by_host())
      host_since_ = access.record;
    else if (access.transition != nullptr)
      scopes_.push_back(
          second_scope(access.queue, edited(access.record, *access.transition, access.number), {true, true}));
    else
      scopes_.push_back({.queue = access.queue, .execution = access.stage, .is_access = true});
    if (access.transition != nullptr) scopes_.back().execution |= kTransitions;
  }
  void follow(std::size_t from) {
    for (std::size_t i = from + 1; i < ops_.size() && !is_overwritten_; ++i) {
      step(i);
      was_read_ = is_read_;
    }
  }

 private:
  // The second scope of a dependency that the access is before. The first scope in the list may be the access itself.
  struct Scope {
    int queue = -1;
    Stages execution = 0;       // stages that execute after it
    Stages stages = 0;          // of the access scope
    Accesses accesses = 0;      // … of this piece
    bool is_available = false;  // a write is available before it
    bool is_access = false;
    bool is_by_host = false;  // the access had ended before the host submitted what is after it
  };

  bool has_piece(const std::optional<SyncPlace>& place) const {
    return !place || place->has(access_.place.space, piece_);
  }
  Scope second_scope(int queue, const Dependency& one, Reach reach) const {
    return {.queue = queue,
            .execution = second_stages(one.to),
            .stages = named(one.to),
            .accesses = has_piece(one.place) ? all_of(one.to_access) : 0,
            .is_available = reach.available};
  }

  // Which first scopes of a dependency have this access. The dependency is on this queue, it has these stages and
  // accesses first, and it is after the first `count` scopes.
  Reach reach_of(int queue, Stages stages, Accesses accesses, std::size_t count) const {
    Reach reach;
    for (std::size_t i = 0; i < count; ++i) {
      const Scope& one = scopes_[i];
      if (one.queue != queue || (one.execution & first_stages(stages)) == 0) continue;
      reach.reached = true;
      const bool is_in_access_scope =
          one.is_access && (access_.stage & named(stages)) != 0 && (access_.kind() & accesses) != 0;
      reach.available = reach.available || one.is_available || is_in_access_scope;
    }
    return reach;
  }

  void step(std::size_t i) {
    const Op& op = ops_[i];
    switch (op.kind) {
      case Op::begin:
        // What the host has seen or written before the call is available and visible to this batch and to later ones.
        if (host_since_ < op.record)
          scopes_.push_back({.queue = op.queue,
                             .execution = ~Stages{0},
                             .stages = ~Stages{0},
                             .accesses = kEveryAccess,
                             .is_available = true,
                             .is_by_host = true});
        return;
      case Op::wait: {
        if (without_.count(op.key) != 0) return;
        const Reach reach = reach_of_signals(op);
        if (reach.reached)
          scopes_.push_back({.queue = op.queue,
                             .execution = second_stages(op.stages),
                             .stages = named(op.stages),
                             .accesses = kEveryAccess,
                             .is_available = reach.available});
        return;
      }
      case Op::signal:
      case Op::fence:
        if (without_.count(op.record) == 0) signal(i);
        return;
      case Op::host_wait:
        if (without_.count(op.record) == 0 && reach_of_signals(op).reached)
          host_since_ = std::min(host_since_, op.record);
        return;
      case Op::host_write:
        return meet(host_access_of(op), host_since_ != UINT64_MAX);
      case Op::command:
        return execute(i);
    }
  }

  Reach reach_of_signals(const Op& op) const {
    Reach all;
    for (const std::size_t source : op.sources) {
      all.reached = all.reached || signalled_[source].reached;
      all.available = all.available || signalled_[source].available;
    }
    return all;
  }
  // "Semaphore signal operations … additionally include in the first synchronization scope any semaphore and fence
  // signal operations that occur earlier in signal operation order". The signals of one batch have no order.
  void signal(std::size_t i) {
    const Op& op = ops_[i];
    Reach& reach = signalled_[i];
    reach = reach_of(op.queue, op.kind == Op::fence ? kAll : op.stages, kEveryAccess, scopes_.size());
    for (std::size_t before = 0; before < i; ++before) {
      const Op& earlier = ops_[before];
      if (earlier.queue != op.queue || (earlier.batch == op.batch && op.kind == Op::signal)) continue;
      reach.reached = reach.reached || signalled_[before].reached;
      reach.available = reach.available || signalled_[before].available;
    }
  }

  void execute(std::size_t i) {
    const Op& op = ops_[i];
    const Command& command = *op.what;
    known_[i] = scopes_.size();
    for (const SyncTouch& touch : command.touches) {
      const Access access = access_of(op, touch);
      if (has_piece(touch.place)) meet(access, is_ordered(access));
    }
    if (without_.count(op.record) != 0) return;
    // Barriers of one command do not chain with each other.
    std::vector<Scope> made;
    for (std::size_t number = 0; number < command.dependencies.size(); ++number) {
      const Dependency one = edited(op.record, command.dependencies[number], number);
      // The first scope of an event wait has what was before one of the sets. The last set has most before it.
      std::size_t count = command.kind == Command::barrier ? scopes_.size() : 0;
      for (const int event : one.events) count = std::max(count, known_[op.events.at(event)]);
      const Accesses accesses = has_piece(one.place) ? all_of(one.from_access) : 0;
      const Reach reach = reach_of(op.queue, one.from, accesses, count);
      if (reach.reached) made.push_back(second_scope(op.queue, one, reach));
      if (one.is_transition && has_piece(one.place))
        meet(access_of(op, command.dependencies[number]),
             had_ended_before(op) || is_transition_of(op.queue) ||
                 (access_.writes && !was_read_ ? reach.available : reach.reached));
    }
    scopes_.insert(scopes_.end(), made.begin(), made.end());
  }

  Dependency edited(std::uint64_t record, Dependency one, std::size_t number) const {
    const auto found = narrowed_.find(record);
    if (found == narrowed_.end()) return one;
    if (const auto to = found->second.find(number); to != found->second.end()) {
      one.from = to->second.from;
      one.to = to->second.to;
      one.from_access = to->second.from_access;
      one.to_access = to->second.to_access;
    }
    return one;
  }

  // "Layout transitions that are performed via image memory barriers execute in their entirety in submission order,
  // relative to other image layout transitions submitted to the same queue". What they write is available.
  bool is_transition_of(int queue) const { return access_.transition != nullptr && access_.queue == queue; }
  // The host knew of this access when it submitted the command. So even a transition with no stages first is after it.
  bool had_ended_before(const Op& op) const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [&](const Scope& one) { return one.queue == op.queue && one.is_by_host; });
  }
  // Whether the access of a command is ordered after this access.
  bool is_ordered(const Access& later) const {
    const bool needs_memory = access_.writes && !(later.writes && was_read_);
    return std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& one) {
      if (one.queue != later.queue || (one.execution & later.stage) == 0) return false;
      if (one.is_access) return false;  // no dependency yet
      return !needs_memory ||
             (one.is_available && (one.stages & later.stage) != 0 && (one.accesses & later.kind()) != 0);
    });
  }
  void meet(const Access& later, bool is_ordered) {
    if (!later.place.has(access_.place.space, piece_)) return;
    if (later.writes) is_overwritten_ = true;
    is_read_ = is_read_ || !later.writes;
    if (is_ordered || (!later.writes && !access_.writes) || (later.is_by_host() && access_.is_by_host())) return;
    races_.insert({access_.record, later.record,
                   !access_.writes ? OracleRace::war : (later.writes ? OracleRace::waw : OracleRace::raw)});
  }

  const std::vector<Op>& ops_;
  const std::set<std::uint64_t>& without_;
  const SyncFacts::Narrowed& narrowed_;
  const Access& access_;
  const std::uint64_t piece_;
  std::set<OracleRace>& races_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> known_;         // by command: the number of scopes that were before it
  std::vector<Reach> signalled_;           // by signal
  std::uint64_t host_since_ = UINT64_MAX;  // the host knows the access since this record
  bool is_overwritten_ = false;
  // The piece was read by a later command, which asks for availability: a write after that needs an order alone.
  bool is_read_ = false, was_read_ = false;
};

// Calls visit(access, index) for each access.
template <class Visit>
void each_access(const std::vector<Op>& ops, const Visit& visit) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind == Op::host_write) visit(host_access_of(ops[i]), i);
    if (ops[i].kind != Op::command) continue;
    for (const SyncTouch& touch : ops[i].what->touches) visit(access_of(ops[i], touch), i);
    for (const Dependency& one : ops[i].what->dependencies)
      if (one.is_transition) visit(access_of(ops[i], one), i);
  }
}

}  // namespace

std::set<OracleRace> SyncFacts::races(const std::set<std::uint64_t>& without, const Narrowed& narrowed) const {
  const Execution execution(*this);
  const std::vector<Op>& ops = execution.ops();
  // Where an access or the range of a barrier begins or ends, a piece begins.
  std::map<int, std::set<std::uint64_t>> pieces;
  const auto cut = [&](const SyncPlace& place) { pieces[place.space].insert({place.begin, place.end}); };
  for (const Op& op : ops) {
    if (op.kind == Op::host_write) cut(op.place);
    if (op.kind != Op::command) continue;
    for (const SyncTouch& touch : op.what->touches) cut(touch.place);
    for (const Dependency& one : op.what->dependencies)
      if (one.place) cut(*one.place);
  }
  std::set<OracleRace> all;
  each_access(ops, [&](const Access& access, std::size_t i) {
    for (const std::uint64_t piece : pieces[access.place.space])
      if (access.place.has(access.place.space, piece)) Followed(ops, without, narrowed, access, piece, all).follow(i);
  });
  return all;
}

std::vector<std::size_t> SyncFacts::in_call_order(std::uint64_t record) const {
  const Execution execution(*this);
  std::vector<std::size_t> order;
  for (const Op& op : execution.ops()) {
    if (op.kind != Op::command || op.record != record || !order.empty()) continue;
    const auto& all = op.what->dependencies;
    for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
    // Those of one event stand together, global ones first. Those of the first form are for all events.
    const auto key = [&](std::size_t i) {
      std::size_t first = 0;
      while (all[first].events != all[i].events) ++first;
      return std::pair(first, all[i].kind);
    };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }
  return order;
}

std::vector<std::uint64_t> SyncFacts::removable() const {
  const Execution execution(*this);
  std::set<std::uint64_t> all;
  for (const Op& op : execution.ops()) {
    if (op.kind == Op::wait) all.insert(op.key);
    if (op.kind == Op::host_wait) all.insert(op.record);
    if (op.kind != Op::command) continue;
    if (op.what->kind != Command::barrier && op.what->kind != Command::wait_events) continue;
    const auto& dependencies = op.what->dependencies;
    if (std::none_of(dependencies.begin(), dependencies.end(), [](const Dependency& one) { return one.is_transition; }))
      all.insert(op.record);
  }
  return {all.begin(), all.end()};
}

}  // namespace rondo::test
