// SPDX-License-Identifier: Apache-2.0
// The debug hook (format/check.h) into the classes of the model.
#pragma once

#include "model/effects/all.h"
#include "model/placement.h"
#include "model/stream.h"
#include "model/submit_order.h"
#include "model/submits.h"

namespace rondo::test {

struct Tamper {
  // --- Effects ---
  // A table is made once, and is the same for all: who changes it puts it back.
  template <class Id>
  static std::uint32_t& kinds(CommandId id) {
    return const_cast<std::uint32_t&>(model::shared_handlers<Id>()[static_cast<std::size_t>(id)].kinds);
  }
  static std::uint32_t& other_kinds(CommandId id) {
    return const_cast<std::uint32_t&>(model::other_handlers()[static_cast<std::size_t>(id)].kinds);
  }
  template <class Id>
  static std::uint64_t& taken(model::EffectsOf<Id>& effects) {
    return effects.taken_;
  }
  static std::uint64_t& longest(model::Effects& effects) { return effects.longest_; }
  static std::size_t& descriptors(model::Effects& effects) { return effects.descriptors_; }
  static std::size_t& pushed(model::Effects& effects) { return effects.pushed_; }
  static std::uint64_t& changes(model::Bindings& bindings) { return bindings.changes_; }

  // --- Recordings ---
  // What is asked for next is `id`, and the entry that is kept is that of another command buffer.
  template <class Id, class R>
  static void keep_entry(model::CommandBuffers<Id, R>& commands, Id id, Id of) {
    commands.last_id_ = id;
    commands.last_ = &commands.all_.at(of);
  }
  // … or one that is no entry, without a recording.
  template <class Id, class R>
  static void keep_stale_entry(model::CommandBuffers<Id, R>& commands, Id id) {
    static typename model::CommandBuffers<Id, R>::Entry stale;
    stale = {};
    stale.id = id;
    commands.last_id_ = id;
    commands.last_ = &stale;
  }

  // --- Records, batches ---
  static std::uint64_t& decoded(model::Stream& stream) { return stream.decoded_; }
  static std::uint64_t& resolved(model::Stream& stream) { return stream.resolved_; }
  static std::uint64_t& last_record(model::Submits& submits) { return submits.last_record_; }
  static model::Batch& batch(model::Submits& submits) { return submits.batch_; }

  using Order = model::ExecutionOrder;
  static std::uint64_t& next_number(Order& order) { return order.next_number_; }
  static bool& is_busy(Order& order) { return order.is_busy_; }
  static std::size_t& held(Order& order) { return order.held_; }
  static Order::Semaphore& semaphore(Order& order, ObjectId id) { return order.semaphores_.at(id); }
  static Order::Queue& queue(Order& order, ObjectId id) { return order.queues_.at(id); }

  // --- Placement ---
  static model::Placement::Resource& resource(model::Placement& placement, ObjectId id) {
    return *placement.resources_.find(id);
  }
  static void lose_resource(model::Placement& placement, ObjectId id) { placement.resources_.erase(id); }
  static void lose_memory(model::Placement& placement, ObjectId id) { placement.memories_.erase(id); }
  static std::uint64_t& size_of_memory(model::Placement& placement, ObjectId id) {
    return placement.memories_.find(id)->size;
  }
  static model::RangeIndex& placed(model::Placement& placement, ObjectId memory) {
    return placement.memories_.find(memory)->placed;
  }
  static model::Placement::Structure& structure(model::Placement& placement, ObjectId id) {
    return *placement.structures_.find(id);
  }
  static std::size_t& pieces(model::Placement& placement) { return placement.pieces_; }
  static model::Pieces::Piece& first_piece(model::Pieces& pieces) { return pieces.pieces_.begin()->second; }
};

}  // namespace rondo::test
