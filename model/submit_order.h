// SPDX-License-Identifier: Apache-2.0
// The order in which batches can run, as far as semaphores say it. It is mostly the order of the calls, but a batch may
// wait for a signal that a later call gives. No device. One thread.
// Specification: "Semaphores", "Semaphore Signaling", "Semaphore Waiting", "Importing Semaphore Payloads".
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/check.h"
#include "model/submits.h"

namespace rondo::model {

// Is told what Submits tells, and gives each batch when it can begin. The rules:
// - A queue begins its batches in their order, presents too. A batch that has begun has ended: it takes no time.
// - A batch begins when all batches before it on its queue have begun and all of its waits have happened.
// - A wait for a timeline semaphore happens when the value is reached.
// - A wait for a binary semaphore happens when its signal is given: the last signal that was submitted before the wait,
//   or the next one to be submitted if another wait has that signal already.
// - Signals of the host and acquires signal at once. The first value of a timeline semaphore is a signal of the host.
// - A binary semaphore that imported a sync fd: the capture does not say which payload came. So its next wait happens
//   when all payloads that left as sync fds before the import are signalled (player/legal/sync_fds.cpp has that rule,
//   too). It does not wait for work that the capture does not have.
// - A semaphore that was exported or imported by another handle may be signalled by others. No wait for it blocks.
// - A handle that nothing in the capture made blocks nothing.
// Where the capture never gives the signal that a batch waits for, the batch and what follows it on its queue stay in
// pending(). That the program destroys the semaphore changes nothing.
class ExecutionOrder final : public SubmitSink {
 public:
  // Takes a batch that begins. It must not call this object.
  using Begins = std::function<void(const Batch&)>;

  // `most_held`: batches that have not begun count 4 each, and all that they wait for, signal, execute and present
  // counts 1. A file that has more is hostile: see gave_up().
  explicit ExecutionOrder(Begins begins, std::size_t most_held = std::size_t{1} << 23)
      : begins_(std::move(begins)), most_held_(most_held) {}

  void batch(const Batch& batch) override;
  void host(const HostSync& sync) override;
  // What is known of a semaphore is forgotten once no batch that is pending names it.
  void ended(ObjectId id) override;

  // Batches that have not begun, in the order of their calls. They are there until the next call of a method.
  std::vector<const Batch*> pending() const;
  // Too many batches were pending. All of them were begun in the order of their calls, and from then on each batch
  // begins at once.
  bool gave_up() const { return gave_up_; }
  // Semaphores and queues of which something is known.
  std::size_t known() const { return semaphores_.size() + queues_.size(); }

 private:
  friend struct test::Tamper;
  struct Queue;
  // A queue whose first batch waits for a semaphore; or an export that waits for the payload.
  struct Waiter {
    std::uint64_t value;     // that it needs
    std::uint64_t turn;      // of two that need the same value, the one with the smaller turn is served first
    Queue* queue;            // null: an export
    std::uint64_t exported;  // number of the export
    bool operator<(const Waiter& other) const {  // the waiter that is served first is on top of the heap
      return value != other.value ? value > other.value : turn > other.turn;
    }
  };
  // The signals of a binary semaphore are numbered from 1, in the order of their calls. So it is used as a timeline
  // semaphore is, with these numbers as values.
  struct Semaphore {
    ObjectId id = ObjectId::null;
    std::uint64_t value = 0;           // that it has reached
    std::uint64_t signals = 0;         // binary: number of the last signal that was submitted
    std::uint64_t waited = 0;          // … number of the last signal that a wait has
    bool is_shared = false;            // others may signal it
    bool has_imported = false;         // the next wait is for a payload that came as a sync fd
    std::uint64_t imported_after = 0;  // … when so many exports had been made
    bool has_ended = false;            // the program destroyed it
    std::size_t uses = 0;              // waits that have not happened and signals that were not given, of held batches
    std::uint64_t seen_by = UINT64_MAX;  // number of the last batch that waits for it
    std::vector<Waiter> waiters;         // a heap
  };
  struct Point {
    Semaphore* semaphore;
    std::uint64_t value;
  };
  struct Step {
    std::vector<Point> waits, signals;
    std::size_t next = 0;  // index of the first wait that has not happened
  };
  struct Held {
    Batch batch;
    Step step;
  };
  struct Queue {
    std::deque<Held> batches;  // have not begun; the first waits for a semaphore
  };

  Semaphore& semaphore_of(ObjectId id);
  void points_of(const Batch& batch);
  std::uint64_t signal_for_wait(Semaphore& semaphore);
  void signal_now(Semaphore& semaphore);
  void export_payload(Semaphore& semaphore);
  void import_payload(Semaphore& semaphore, const HostSync& sync);
  void share(Semaphore& semaphore);

  bool pass_waits(Step& step, bool is_held);
  void hold(Queue& queue, const Batch& batch);
  void wait_for_next(Queue& queue);
  void run(Queue& queue);
  void settle();

  void raise(Semaphore& semaphore, std::uint64_t value);
  void serve_first_waiter(Semaphore& semaphore);
  void drop_use(Semaphore& semaphore);

  void begin(const Batch& batch);
  void forget_unused();
  void give_up();
  static std::size_t size_of(const Held& held);

  Begins begins_;
  const std::size_t most_held_;
  std::unordered_map<ObjectId, Semaphore> semaphores_;  // entries stay where they are
  std::unordered_map<ObjectId, Queue> queues_;
  // Exports of sync fds that wait for their payload are numbered from 1. The value of `exports_` is the number up to
  // which all of them have their payload.
  Semaphore exports_;
  std::uint64_t exported_ = 0;
  std::set<std::uint64_t> open_exports_;  // those that wait

  Step step_;                     // reused
  std::deque<Queue*> ready_;      // their first batch may go on
  std::vector<ObjectId> unused_;  // semaphores that may be forgotten
  std::size_t held_ = 0;          // size of all held batches
  std::uint64_t turn_ = 0;
  std::uint64_t next_number_ = 0;  // the next batch has this number, or a greater one
  bool is_busy_ = false;
  bool gave_up_ = false;
};

}  // namespace rondo::model
