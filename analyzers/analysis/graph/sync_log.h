// SPDX-License-Identifier: Apache-2.0
// What a program orders: barriers, waits for events, dependencies of subpasses, semaphores, fences and waits of the
// host, in the order in which the work graph is told of them. Each is an "op": what is in its first scope is ordered
// before what is in its second scope. Which of them chain is asked of SyncOrder (sync_order.h). No device. One thread.
// Specification: "Synchronization and Cache Control", "Render Pass" ("Subpass dependencies"), "Implicit
// Synchronization Guarantees".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/check.h"
#include "format/objects.h"
#include "model/access/executed.h"
#include "model/call.h"
#include "model/submits.h"

namespace rondo::graph {

// The scopes of an op. Many ops have the same.
struct SyncShape {
  static constexpr std::uint32_t kAllBefore = UINT32_MAX, kAllAfter = UINT32_MAX;
  std::uint32_t from_queue = 0, to_queue = 0;
  // A subpass of the render pass in which the op is; or all that comes before it, or after it, on the queue.
  std::uint32_t from_subpass = kAllBefore, to_subpass = kAllAfter;
  // The stages of the execution dependency. `first` has logically earlier stages too, and `second` later ones.
  VkPipelineStageFlags2 first = 0, second = 0;
  // Of the memory dependency. 0: it has none.
  VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
  VkAccessFlags2 src_access = 0, dst_access = 0;
  // A wait of the host: all that is ordered before it counts as available, by whatever stage it was done.
  bool is_whole = false;
  bool is_named = false;  // it has a SyncOp, and could be removed
  friend auto operator<=>(const SyncShape&, const SyncShape&) = default;

  // All that comes before in these stages of one queue, before all that comes after in those of another one.
  static SyncShape between(std::uint32_t from_queue, VkPipelineStageFlags2 from_stages, std::uint32_t to_queue,
                           VkPipelineStageFlags2 to_stages);
};

// What a program does to order work, and could leave out: a synchronization command, which may be executed many times
// and have many barriers, a dependency of subpasses, a semaphore that a batch waits for, or a wait of the host.
struct SyncOp {
  enum class Kind : std::uint8_t { barrier, event, dependency, semaphore, host_wait } kind{};
  // The command that is recorded; of a dependency, the first that begins its pass; of a semaphore, the submit that
  // waits for it; of a wait of the host, the call.
  std::uint64_t record = 0;
  ObjectId pass = ObjectId::null;  // of a dependency, …
  std::uint32_t index = 0;         // … and its number in the pass; of a semaphore: 1024 * batch + wait, in its submit
  ObjectId semaphore = ObjectId::null;  // of a semaphore
  std::uint64_t signalled_by = 0;       // of a semaphore: the submit that signals it
  bool is_one_queue = false;            // of a semaphore: it is signalled and waited for on the same queue
  bool costs_nothing = false;   // of a wait of the host for all of a queue or device, which it knows to have ended
  CommandId command{};          // canonical
  bool changes = false;         // it changes a layout or an owner
  bool waits_for_host = false;  // of a wait for an event that nothing has set before: the host sets it later
  // An event that was waited for before it is reset after it, and nothing else may order both: the specification asks
  // for an execution dependency (vkCmdResetEvent, VUID 03834 and 03835).
  bool may_order_reset = false;
  std::uint64_t times = 0;               // that it was executed
  std::uint64_t at = 0;                  // the record that executes it first
  std::uint64_t submit = 0;              // likewise
  std::uint32_t label_path = 0;          // likewise
  std::vector<model::Barrier> barriers;  // that it has
};

class SyncLog {
 public:
  static constexpr std::uint32_t kNone = 0;                // no SyncOp: an op that nobody can remove
  static constexpr std::uint32_t kHost = 0, kPresent = 1;  // queues that are none: the host, and presentation
  static constexpr std::uint32_t kNoFamily = UINT32_MAX;
  static constexpr std::uint32_t kAllParts = UINT32_MAX;

  // An op, once each time that it is executed.
  struct Op {
    std::uint32_t shape = 0;      // of what it orders for every resource
    std::uint32_t own_shape = 0;  // of what it orders for its own resource
    std::uint32_t sync = kNone;   // index into syncs()
    std::uint32_t after = 0;      // its first scope ends before the op of this number
    std::uint32_t pass = 0;       // the render pass in which it is; 0: none
    std::uint32_t call = 0;       // the first op of its command
    std::uint32_t part = 0;       // index into SyncOp::barriers
    std::uint64_t record = 0;     // the command, the submit or the call of the host
  };

  // Where a node of the work graph stands among the ops.
  struct Place {
    std::uint32_t time = 0;               // number of the ops before its own work
    std::uint32_t pass = 0;               // 0: in none
    std::uint32_t first_op = 0, ops = 0;  // of its own command, …
    std::uint32_t parts = 1;              // … for each barrier of it so many
    std::uint16_t queue = 0;
    std::uint16_t subpass = 0;
    access::Mark mark = access::Mark::none;
  };

  SyncLog();

  // --- In the order of execution ---

  // A call, before what it does: each one of the capture.
  void call(const model::Call& call);
  // A command, before its node is made: gives the place of the node.
  Place take(const access::Executed& executed);
  // Of the submit call: what the host has done until then is ordered before the batch.
  void submitted(const model::Batch& batch);
  void begins(const model::Batch& batch);
  void ends(const model::Batch& batch);
  void host(const model::HostSync& sync);
  void ended(ObjectId id);

  // --- What was taken ---

  std::span<const Op> ops() const { return ops_; }
  const SyncShape& shape(std::uint32_t number) const { return shapes_[number]; }
  std::size_t shapes() const { return shapes_.size(); }
  // The first one is none.
  std::span<const SyncOp> syncs() const { return syncs_; }
  // The ops of a render pass that end in one of its subpasses, by their numbers. Ascending.
  std::span<const std::uint32_t> ops_in(std::uint32_t pass) const { return ops_in_[pass]; }
  // The barriers that were taken last and name a resource, but do not change its layout or owner.
  struct Ranged {
    const model::Barrier* barrier;
    std::uint32_t op;
  };
  std::span<const Ranged> ranged() const { return ranged_; }
  // Which barrier of the command that was taken last makes a transition. They are asked for in the order of effects.
  std::uint32_t part_of(const model::Transition& transition);

  // It waits for an event that the host has not set yet.
  bool is_held(const Place& place) const;

  std::uint32_t now() const { return static_cast<std::uint32_t>(ops_.size()); }
  // Of a queue that has a batch, or a command.
  std::uint32_t queue_of(ObjectId id) const {
    const auto found = queues_.find(id);
    return found != queues_.end() ? found->second : kHost;
  }
  // Of a queue; kNoFamily: the capture does not say, or it is none.
  std::uint32_t family_of(std::uint32_t queue) const;
  // What the wait of the host that was taken last waited for: all that is on the queue before the op `until`.
  struct Waited {
    std::uint32_t queue, until;
  };
  std::span<const Waited> waited() const { return waited_; }
  // The layer found that a device was idle, and says so in the capture. So waits of the host may look unneeded.
  bool found_idle() const { return found_idle_; }

  // Beyond the limits: nothing was taken from then on.
  bool too_many() const { return too_many_; }

 private:
  struct Signal {
    std::uint32_t after = 0;  // number of ops at the signal
    std::uint32_t queue = 0;
    VkPipelineStageFlags2 stages = 0;
    std::uint64_t value = 0;   // of a timeline semaphore
    std::uint64_t record = 0;  // of the call that signals it
    bool is_plain = false;     // by a batch of commands, or the host: it orders nothing that the capture does not show
    // Signals come after earlier signals of their queue: the stages of these, and their `after`.
    std::vector<std::pair<VkPipelineStageFlags2, std::uint32_t>> earlier = {};
  };
  struct OpenPass {
    std::uint32_t number = 0;
    std::uint32_t subpass = 0;
    std::uint32_t began = 0;  // number of ops at its begin
    ObjectId pass = ObjectId::null;
  };
  using SyncKey = std::tuple<SyncOp::Kind, std::uint64_t, std::uint32_t>;

  std::uint32_t queue(ObjectId id);
  std::uint32_t shape_of(const SyncShape& shape);
  std::uint32_t sync_of(SyncOp::Kind kind, const access::Executed& executed, ObjectId pass, std::uint32_t index,
                        std::span<const model::Barrier* const> barriers);
  void add(const SyncShape& shape, const SyncShape& own, std::uint32_t sync, std::uint32_t after, std::uint32_t pass,
           std::uint32_t part);
  void add_barriers(const access::Executed& executed);
  void add_dependencies(const access::Executed& executed, OpenPass& pass);
  void add_event_waits(const access::Executed& executed);
  void change_events(const access::Executed& executed);
  void keep_before_reset(const access::Executed& executed, ObjectId event);
  std::uint32_t signal_now();
  void order(const Signal& from, std::uint32_t to_queue, VkPipelineStageFlags2 to_stages, std::uint32_t sync = kNone);
  void wait(const model::Batch& batch, std::uint32_t index, std::uint32_t to_queue, CommandId command);
  std::uint32_t semaphore_of(const model::Batch& batch, std::uint32_t index, const Signal& signal, CommandId command);
  std::uint32_t wait_of_host(const model::HostSync& sync);
  static void drop_earlier(std::vector<const Signal*>& signals);
  static void raise(std::map<std::uint32_t, std::uint32_t>& until, const Signal& signal);
  static bool is_before(const Signal& signal, const std::map<std::uint32_t, std::uint32_t>& until);
  void host_waits(const Signal& from, std::uint32_t sync = kNone);
  void host_waits_for_any(const model::HostSync& sync);
  void host_waits_for_queues(const model::HostSync& sync, std::span<const std::uint32_t> queues);

  std::vector<Op> ops_;
  std::vector<SyncShape> shapes_;
  std::map<SyncShape, std::uint32_t> shape_at_;
  std::vector<SyncOp> syncs_;
  std::map<SyncKey, std::uint32_t> sync_at_;
  std::unordered_map<ObjectId, std::uint32_t> queues_;
  std::map<std::uint32_t, ObjectId> device_of_;       // by queue
  std::unordered_map<std::uint32_t, OpenPass> open_;  // by queue
  std::vector<std::vector<std::uint32_t>> ops_in_ = std::vector<std::vector<std::uint32_t>>(1);
  std::unordered_map<ObjectId, std::vector<Signal>> semaphores_;
  std::unordered_map<ObjectId, Signal> fences_, events_;
  std::unordered_set<ObjectId> shared_;  // semaphores that others may signal or wait for
  // By queue: the last signal of semaphores and fences for each set of stages.
  std::unordered_map<std::uint32_t, std::map<VkPipelineStageFlags2, std::uint32_t>> signalled_;
  struct Held {
    std::uint32_t queue, time;
    ObjectId event;
  };
  struct WaitedEvent {
    std::uint32_t queue = 0;
    std::size_t op = 0;  // number of the ops before its wait
  };
  std::unordered_map<ObjectId, WaitedEvent> waited_events_;  // that no command has reset since
  std::vector<Held> held_;                                   // waits for events that nobody has set
  struct Submitted {
    std::uint32_t after = 0;  // number of ops at the call
    CommandId command{};
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Submitted> submitted_;  // by batch
  std::map<std::uint32_t, std::uint32_t> family_of_;                        // by queue
  // By queue: the number of ops after its last batch, and that until which the host has waited for all of it.
  std::map<std::uint32_t, std::uint32_t> ended_, waited_until_;
  // Likewise: until which a poll has told the host so, and until which it has perhaps waited.
  std::map<std::uint32_t, std::uint32_t> polled_until_, perhaps_until_;
  std::vector<Waited> waited_;
  bool found_idle_ = false;
  bool binds_ = false;   // a batch binds sparse memory: whoever waits may wait for that
  CommandId command_{};  // of the call that was taken last
  // Of the command that was taken last.
  std::vector<const model::Barrier*> barriers_;
  std::vector<Ranged> ranged_;
  std::uint32_t next_part_ = 0;
  std::uint32_t call_ = 0;  // its first op
  std::uint64_t record_ = 0;
  bool too_many_ = false;
};

}  // namespace rondo::graph
