// SPDX-License-Identifier: Apache-2.0
// Which batches may still use an object when the host ends it, resets it, records it again or updates it: they must
// have ended before. Objects are used by command buffers that name them, and through others: a memory by the buffers on
// it, a view by a framebuffer, what a descriptor set has by whoever binds the set. No device. One thread.
// Specification: "Object Lifetime", "Command Buffer Lifecycle", "Descriptor Set Updates", "Fences" (vkResetFences),
// "Events" (vkResetEvent).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/call.h"
#include "model/placement.h"
#include "model/submits.h"

namespace rondo::graph {

class ObjectUses {
 public:
  // Each call of the capture, before the batches that it submits.
  void take(const model::Call& call);
  // After ends() of the call were looked at, and what it submits was told.
  void done();

  // What no batch may use any more from the call on that was taken last.
  struct End {
    ObjectId object;
    // Perhaps work may still use it: a descriptor set of a layout that allows updates while the set is used.
    bool is_quiet = false;
    bool is_fence = false;        // it ends, or is reset
    bool is_event_reset = false;  // batches that wait for it must have ended; others may still use it
  };
  std::span<const End> ends() const { return ends_; }
  // Command buffers of the batch that may not execute twice at the same time.
  void ends_of(const model::Batch& batch, std::vector<ObjectId>& out) const;

  // Batches are numbered by the caller, in the order in which they begin.
  void begins(std::uint32_t number, std::uint32_t queue, const model::Batch& batch);
  // A command of the batch surely touches the object.
  void touched(std::uint32_t number, std::uint32_t queue, ObjectId object) { last_[object].set(queue, number, false); }

  struct Use {
    std::uint32_t queue, batch;
    bool is_quiet = false;  // perhaps it does not use it
    friend auto operator<=>(const Use&, const Use&) = default;
  };
  // The last batch of each queue that may use the object. Sorted. `waits_alone`: of an event, only batches that wait
  // for it.
  void uses_of(ObjectId object, const model::Placement& placement, bool waits_alone, std::vector<Use>& out) const;
  // The fence is not used any more by what was submitted with it, or the capture does not say when it is.
  void forget_fence(ObjectId fence) { last_.erase(fence); }

 private:
  friend struct test::Tamper;
  // The last use of each queue, of those that are sure and of the others.
  struct Last {
    std::vector<Use> uses;
    void set(std::uint32_t queue, std::uint32_t batch, bool is_quiet);
  };
  struct User {
    ObjectId object;
    std::uint32_t recording = 0;  // of a command buffer: which one names the object
    bool is_quiet = false;
    bool waits = false;  // of an event: the commands wait for it
    friend auto operator<=>(const User&, const User&) = default;
  };
  struct CommandBuffer {
    std::uint32_t recording = 0;  // counts them
    bool is_simultaneous = false;
    ObjectId pool = ObjectId::null;
  };

  void record(const model::Call& call);
  void make(const model::Call& call);
  void update_sets(const model::Call& call);
  void end(ObjectId object, bool is_quiet = false) { ends_.push_back({object, is_quiet}); }
  void reset_fences(const model::Call& call);
  void record_again(ObjectId commands);
  void add_user(ObjectId of, const User& user);
  void find(const User& user, bool is_quiet, bool waits_alone, std::unordered_set<ObjectId>& seen, Last& into) const;

  std::unordered_map<ObjectId, Last> last_;
  std::unordered_map<ObjectId, std::vector<User>> users_;
  std::unordered_map<ObjectId, CommandBuffer> commands_;
  std::unordered_set<ObjectId> loose_layouts_, loose_sets_;  // whose sets may be updated while they are used
  std::vector<End> ends_;
  std::vector<ObjectId> gone_, again_;  // ended, or recorded again or reset, by the call that was taken last
};

}  // namespace rondo::graph
