// SPDX-License-Identifier: Apache-2.0
// Which batches must have ended before a call of the host: those that may use what the call ends, resets, records
// again, updates, submits again, or has signalled by an acquire again. No device. One thread.
// Specification: "Object Lifetime", "Command Buffer Lifecycle".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzers/analysis/graph/object_uses.h"
#include "model/access/executed.h"

namespace rondo::graph {

struct LifetimeNeed {
  std::uint32_t batch = 0;  // its number
  ObjectId object = ObjectId::null;
  bool is_quiet = false;  // perhaps the batch does not use it
  bool is_fence = false;  // that ends or is reset
};

class Lifetimes {
 public:
  static constexpr std::uint32_t kNoNode = UINT32_MAX;
  struct Batch {
    ObjectId queue = ObjectId::null;
    std::uint64_t record = 0;      // of the call that submits it
    std::uint32_t node = kNoNode;  // the last one of its work; kNoNode: it has none
    bool has_ended = false;
  };

  // In the order of the capture: each call, what it submits or waits for, and done(). The placement has taken the call.
  void call(const model::Call& call, const model::Placement& placement);
  void submitted(const model::Batch& batch);
  void host(const model::HostSync& sync);
  void done();

  // In the order of execution. Batches are numbered from 0 as they begin.
  std::uint32_t begins(const model::Batch& batch);
  // Only the batch that began last can end.
  void ends(const model::Batch& batch);
  // A node of a command that is executed.
  void node(std::uint32_t node, const access::Executed& executed);

  // What the call that was taken last needs, until done(). More come as the call is taken.
  std::span<const LifetimeNeed> needs() const { return needs_; }
  const Batch& batch(std::uint32_t number) const { return batches_[number]; }
  // Batches that may use the object, and have ended in the order of execution.
  void uses_of(const ObjectUses::End& end, std::vector<LifetimeNeed>& out);

 private:
  ObjectUses uses_;
  const model::Placement* placement_ = nullptr;  // of the call that was taken last
  std::vector<Batch> batches_;
  std::vector<ObjectId> queues_;  // ObjectUses knows them by number
  std::vector<LifetimeNeed> needs_;
  // Reused.
  std::vector<ObjectUses::Use> found_;
  std::vector<ObjectId> again_;

  std::uint32_t number_of(ObjectId queue);
};

}  // namespace rondo::graph
