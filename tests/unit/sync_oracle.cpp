// SPDX-License-Identifier: Apache-2.0
// The oracle. First it executes the program: that gives one list of all that happens, in order. Then it takes each
// access and each piece of memory of that access, and follows the list from there on: which dependencies has the access
// in their first scope, directly or by a chain? So it knows for each later access of the piece whether it is ordered.
// Terms of the specification: "Execution and Memory Dependencies".
#include "tests/unit/sync_oracle.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <stdexcept>
#include <utility>

namespace rondo::test {
namespace {

using namespace sync;
using Command = SyncProgram::Command;
using Dependency = SyncProgram::Dependency;
using HostCall = SyncProgram::HostCall;

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
  Stages all = mask & ~(kTop | kBottom | kAll | kTransfer);
  if ((mask & kTransfer) != 0) all |= kTransfers;
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
// The transfer accesses of a mask.
Accesses transfers(Accesses mask) {
  if ((mask & kAnyRead) != 0) mask |= kRead;
  if ((mask & kAnyWrite) != 0) mask |= kWrite;
  return mask;
}

// Something that happens.
struct Op {
  enum Kind {
    begin,       // a batch begins
    wait,        // for a semaphore
    command,     // executes
    signal,      // of a semaphore
    fence,       // is signalled; also the end of what vkQueueWaitIdle and vkDeviceWaitIdle wait for
    host_wait,   // ends
    host_write,  // happens
  } kind = begin;
  std::uint64_t record = 0;  // of the command or of the call
  std::uint64_t key = 0;     // of the wait: SyncProgram::wait_key()
  int queue = -1;
  std::size_t batch = 0;                   // number of the batch
  const Command* what = nullptr;           // the command
  Stages stages = 0;                       // of the wait or signal
  SyncPlace place = {};                    // that the host writes
  std::vector<std::size_t> sources = {};   // indexes of the signals of this wait, of the fences of this host_wait
  std::map<int, std::size_t> events = {};  // index of the command that set each event of this wait
};

// Executes a program. A batch begins when the batches before it on its queue have ended and its waits can end. Of two
// batches that can begin the one that was submitted earlier begins. It ends at once.
class Execution {
 public:
  explicit Execution(const SyncProgram& program) : program_(program) {
    for (const HostCall& call : program.host_calls()) {
      take(call);
      while (run_one()) continue;
    }
    if (!pending_.empty()) throw std::logic_error("a batch waits for a signal that does not come");
  }
  const std::vector<Op>& ops() const { return ops_; }

 private:
  struct Pending {
    const HostCall* call;
    SyncBatch batch;
    std::size_t number;                       // in its call, …
    bool is_last;                             // … of which it is the last one
    std::vector<std::size_t> binary_signals;  // by wait: the number of the signal, from 1
  };
  struct Semaphore {
    std::size_t signals = 0;                     // submitted; binary
    std::map<std::uint64_t, std::size_t> given;  // by number (binary) or value (timeline): index of the signal
  };

  Op& add(Op::Kind kind, std::uint64_t record, int queue) {
    ops_.push_back({.kind = kind, .record = record, .queue = queue, .batch = batch_});
    return ops_.back();
  }

  void take(const HostCall& call) {
    if (call.kind == HostCall::submit) return submit(call);
    std::vector<std::size_t> sources;
    const auto end_queue = [&](int queue) {
      for (const Pending& one : pending_)
        if (one.call->queue == queue) throw std::logic_error("the host waits for a queue that waits");
      sources.push_back(ops_.size());
      add(Op::fence, call.record, queue);
    };
    if (call.kind == HostCall::queue_idle) end_queue(call.queue);
    if (call.kind == HostCall::device_idle)
      for (int queue = 0; queue < program_.queues(); ++queue) end_queue(queue);
    for (const int fence : call.fences) sources.push_back(fences_.at(fence));
    Op& op = add(call.kind == HostCall::host_write ? Op::host_write : Op::host_wait, call.record, -1);
    op.place = call.place;
    op.sources = sources;
  }
  void submit(const HostCall& call) {
    for (const int fence : call.fences) fences_.erase(fence);
    for (const SyncBatch& batch : call.batches) {
      Pending made{
          &call, batch, static_cast<std::size_t>(&batch - call.batches.data()), &batch == &call.batches.back(), {}};
      for (const SyncSemaphore& wait : batch.waits) made.binary_signals.push_back(semaphores_[wait.semaphore].signals);
      for (const SyncSemaphore& signal : batch.signals) semaphores_[signal.semaphore].signals += 1;
      pending_.push_back(std::move(made));
    }
    if (call.batches.empty()) pending_.push_back({&call, {}, 0, true, {}});
  }

  // The signals that are before the end of a wait. Of a timeline semaphore these are the first one that reaches the
  // value and all of lower values. None: the wait cannot end yet.
  std::vector<std::size_t> signals_of(const SyncSemaphore& wait, std::size_t binary_signal) {
    const auto& given = semaphores_[wait.semaphore].given;
    std::vector<std::size_t> all;
    if (!program_.is_timeline(wait.semaphore)) {
      if (const auto found = given.find(binary_signal); found != given.end()) all.push_back(found->second);
      return all;
    }
    const auto reached = given.lower_bound(wait.value);
    if (reached == given.end()) return {};
    for (auto one = given.begin(); one != std::next(reached); ++one) all.push_back(one->second);
    return all;
  }
  bool can_begin(std::list<Pending>::iterator one) {
    for (auto before = pending_.begin(); before != one; ++before)
      if (before->call->queue == one->call->queue) return false;
    for (std::size_t i = 0; i < one->batch.waits.size(); ++i)
      if (signals_of(one->batch.waits[i], one->binary_signals[i]).empty()) return false;
    return true;
  }
  bool run_one() {
    for (auto one = pending_.begin(); one != pending_.end(); ++one)
      if (can_begin(one)) {
        run(*one);
        pending_.erase(one);
        return true;
      }
    return false;
  }
  void run(const Pending& one) {
    const int queue = one.call->queue;
    const std::uint64_t record = one.call->record;
    batch_ += 1;
    add(Op::begin, record, queue);
    for (std::size_t i = 0; i < one.batch.waits.size(); ++i) {
      Op& op = add(Op::wait, record, queue);
      op.key = SyncProgram::wait_key(record, one.number, i);
      op.stages = one.batch.waits[i].stages;
      op.sources = signals_of(one.batch.waits[i], one.binary_signals[i]);
    }
    for (const int commands : one.batch.commands)
      for (const Command& command : program_.recorded(commands)) execute(command, queue);
    for (const SyncSemaphore& signal : one.batch.signals) {
      Semaphore& semaphore = semaphores_[signal.semaphore];
      const bool is_timeline = program_.is_timeline(signal.semaphore);
      if (is_timeline && !semaphore.given.empty() && semaphore.given.rbegin()->first >= signal.value)
        throw std::logic_error("a timeline semaphore goes back");
      semaphore.given[is_timeline ? signal.value : semaphore.given.size() + 1] = ops_.size();
      add(Op::signal, record, queue).stages = signal.stages;
    }
    if (one.is_last)
      for (const int fence : one.call->fences) {
        fences_[fence] = ops_.size();
        add(Op::fence, record, queue);
      }
  }
  void execute(const Command& command, int queue) {
    // A set of an event that is set already has no effect.
    if (command.kind == Command::set_event) set_.emplace(command.event, ops_.size());
    if (command.kind == Command::reset_event) set_.erase(command.event);
    Op& op = add(Op::command, command.record, queue);
    op.what = &command;
    for (const int event : command.events) {
      op.events[event] = set_.at(event);
      if (ops_[set_.at(event)].queue != queue) throw std::logic_error("an event of another queue");
    }
  }

  const SyncProgram& program_;
  std::vector<Op> ops_;
  std::list<Pending> pending_;
  std::map<int, Semaphore> semaphores_;
  std::map<int, std::size_t> fences_;  // index of the signal
  std::map<int, std::size_t> set_;     // events that are set: index of the command
  std::size_t batch_ = 0;
};

// An access that executes. Its stage is 0 where the host or a transition makes it.
struct Access {
  std::uint64_t record = 0;
  int queue = -1;  // -1: the host's
  Stages stage = 0;
  bool writes = false;
  SyncPlace place = {};
  const Dependency* transition = nullptr;  // that makes it

  bool is_by_host() const { return queue < 0; }
  Accesses kind() const { return writes ? kWrite : kRead; }
};

Access access_of(const Op& op, const SyncTouch& touch) {
  return {op.record, op.queue, touch.stage, touch.writes, touch.place, nullptr};
}
// It reads and writes all of its range. So whatever it races with, it races as a write.
Access access_of(const Op& op, const Dependency& transition) {
  return {op.record, op.queue, 0, true, *transition.place, &transition};
}
Access host_access_of(const Op& op) { return {op.record, -1, 0, true, op.place, nullptr}; }

// Which part of a dependency's first scopes an access is in.
struct Reach {
  bool reached = false;    // the execution scope, by a chain or directly
  bool available = false;  // … and a write is available at the end of the dependency
};

// Follows one access to one piece of memory from where it executes on, until something overwrites the piece.
class Followed {
 public:
  Followed(const std::vector<Op>& ops, const std::set<std::uint64_t>& without, const Access& access,
           std::uint64_t piece, std::set<OracleRace>& races)
      : ops_(ops),
        without_(without),
        access_(access),
        piece_(piece),
        races_(races),
        known_(ops.size()),
        signalled_(ops.size()) {
    if (access.is_by_host())
      host_since_ = access.record;
    else if (access.transition != nullptr)
      scopes_.push_back(second_scope(access.queue, *access.transition, {true, true}));
    else
      scopes_.push_back({.queue = access.queue, .execution = access.stage, .is_access = true});
    if (access.transition != nullptr) scopes_.back().execution |= kTransitions;
  }
  void follow(std::size_t from) {
    for (std::size_t i = from + 1; i < ops_.size() && !is_overwritten_; ++i) step(i);
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
            .accesses = has_piece(one.place) ? transfers(one.to_access) : 0,
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
    for (const Dependency& one : command.dependencies) {
      // The first scope of an event wait has what was before one of the sets. The last set has most before it.
      std::size_t count = command.kind == Command::barrier ? scopes_.size() : 0;
      for (const int event : one.events) count = std::max(count, known_[op.events.at(event)]);
      const Accesses accesses = has_piece(one.place) ? transfers(one.from_access) : 0;
      const Reach reach = reach_of(op.queue, one.from, accesses, count);
      if (reach.reached) made.push_back(second_scope(op.queue, one, reach));
      if (one.is_transition && has_piece(one.place))
        meet(access_of(op, one), had_ended_before(op) || (access_.writes ? reach.available : reach.reached));
    }
    scopes_.insert(scopes_.end(), made.begin(), made.end());
  }

  // The host knew of this access when it submitted the command. So even a transition with no stages first is after it.
  bool had_ended_before(const Op& op) const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [&](const Scope& one) { return one.queue == op.queue && one.is_by_host; });
  }
  // Whether the access of a command is ordered after this access.
  bool is_ordered(const Access& later) const {
    const bool needs_memory = access_.writes;
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
    if (is_ordered || (!later.writes && !access_.writes) || (later.is_by_host() && access_.is_by_host())) return;
    races_.insert({access_.record, later.record,
                   !access_.writes ? OracleRace::war : (later.writes ? OracleRace::waw : OracleRace::raw)});
  }

  const std::vector<Op>& ops_;
  const std::set<std::uint64_t>& without_;
  const Access& access_;
  const std::uint64_t piece_;
  std::set<OracleRace>& races_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> known_;         // by command: the number of scopes that were before it
  std::vector<Reach> signalled_;           // by signal
  std::uint64_t host_since_ = UINT64_MAX;  // the host knows the access since this record
  bool is_overwritten_ = false;
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

std::set<OracleRace> SyncProgram::races(const std::set<std::uint64_t>& without) const {
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
      if (access.place.has(access.place.space, piece)) Followed(ops, without, access, piece, all).follow(i);
  });
  return all;
}

std::vector<std::uint64_t> SyncProgram::removable() const {
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
