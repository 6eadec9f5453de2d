// SPDX-License-Identifier: Apache-2.0
// Part of the oracle (sync_oracle.h): executes a program. The result is one list of all that happens, in order.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/unit/sync_facts.h"

namespace rondo::test::execution {

using namespace sync;
using Command = SyncFacts::Command;
using HostCall = SyncFacts::HostCall;

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
  std::uint64_t key = 0;     // of the wait: SyncFacts::wait_key()
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
  explicit Execution(const SyncFacts& program) : program_(program) {
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
    for (const SyncSemaphore& one : call.semaphores) {
      const std::vector<std::size_t> signals = signals_of(one, 0);
      if (signals.empty()) throw std::logic_error("the host waits for a value that no one signals");
      sources.insert(sources.end(), signals.begin(), signals.end());
    }
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
      op.key = SyncFacts::wait_key(record, one.number, i);
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

  const SyncFacts& program_;
  std::vector<Op> ops_;
  std::list<Pending> pending_;
  std::map<int, Semaphore> semaphores_;
  std::map<int, std::size_t> fences_;  // index of the signal
  std::map<int, std::size_t> set_;     // events that are set: index of the command
  std::size_t batch_ = 0;
};

}  // namespace rondo::test::execution
