// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/lifetimes.h"

#include <algorithm>

namespace rondo::graph {

// --- Calls ---

void Lifetimes::uses_of(const ObjectUses::End& end, std::vector<LifetimeNeed>& out) {
  uses_.uses_of(end.object, *placement_, end.is_event_reset, found_);
  for (const ObjectUses::Use& use : found_)
    if (batches_[use.batch].has_ended)  // else it waits for what comes later
      out.push_back({use.batch, end.object, end.is_quiet || use.is_quiet, end.is_fence});
}

void Lifetimes::call(const model::Call& call, const model::Placement& placement) {
  placement_ = &placement;
  uses_.take(call);
  for (const ObjectUses::End& end : uses_.ends()) uses_of(end, needs_);
}

void Lifetimes::submitted(const model::Batch& batch) {
  again_.clear();
  uses_.ends_of(batch, again_);
  for (const ObjectId commands : again_) uses_of({commands}, needs_);
}

void Lifetimes::host(const model::HostSync& sync) {
  using Kind = model::HostSync::Kind;
  if (!sync.succeeded) return;
  // Nothing may wait for the semaphore of an acquire any more, nor signal it.
  if (sync.kind == Kind::acquire_image)
    for (const model::SemaphoreUse& one : sync.semaphores) uses_of({one.semaphore}, needs_);
  // Others may wait for it, or have: the capture does not say that they did.
  if (sync.kind == Kind::export_fence || sync.kind == Kind::import_fence)
    for (const ObjectId fence : sync.fences) uses_.forget_fence(fence);
}

void Lifetimes::done() {
  uses_.done();
  needs_.clear();
}

// --- Batches ---

std::uint32_t Lifetimes::number_of(ObjectId queue) {
  const auto found = std::find(queues_.begin(), queues_.end(), queue);
  if (found == queues_.end()) queues_.push_back(queue);
  return static_cast<std::uint32_t>(found - queues_.begin());
}

std::uint32_t Lifetimes::begins(const model::Batch& batch) {
  const auto number = static_cast<std::uint32_t>(batches_.size());
  batches_.push_back({batch.queue, batch.record, kNoNode, false});
  uses_.begins(number, number_of(batch.queue), batch);
  return number;
}

void Lifetimes::ends(const model::Batch& batch) {
  if (!batches_.empty() && batches_.back().record == batch.record) batches_.back().has_ended = true;
}

void Lifetimes::node(std::uint32_t node, const access::Executed& executed) {
  if (executed.recorded == nullptr || batches_.empty() || batches_.back().queue != executed.queue) return;
  batches_.back().node = node;
  const std::uint32_t queue = number_of(executed.queue);
  for (const access::Touch& touch : executed.touches)
    uses_.touched(static_cast<std::uint32_t>(batches_.size() - 1), queue, touch.object);
}

}  // namespace rondo::graph
