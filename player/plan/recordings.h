// SPDX-License-Identifier: Apache-2.0
// What each command buffer holds, op by op, and what that does to layouts, owners, queries and events: effects
// (model/effects.h) of the plan's ops. Says nothing of when they run: submit_order.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/check.h"
#include "model/effects/shared.h"
#include "player/plan/op_view.h"
#include "player/plan/plan.h"

namespace rondo::player {

struct EventUse {
  using Kind = model::EventUse::Kind;
  Kind kind{};
  ObjectId event = ObjectId::null;
  std::uint32_t op = kNone;
};

// Where an op says that an image is PREINITIALIZED.
struct PreinitializedUse {
  ObjectId image = ObjectId::null;
  VkImageSubresourceRange range{};
  std::uint32_t op = kNone;
  std::uint32_t offset = kNone;  // in its block; none: a render pass says it
};

struct Recording {
  std::vector<std::uint32_t> ops;  // from the begin on
  std::vector<ObjectId> secondaries;
  // Of its secondaries, too; of those kinds that were asked for. A query that is counted is written where that begins.
  std::vector<model::QueryUse> queries;
  std::vector<EventUse> events;
  std::vector<model::Transition> transitions;
  bool one_time = false;
  bool ended = false;
};

class Recordings final : private model::EffectSink<ObjectId>, private model::Names<ObjectId> {
 public:
  // `wanted`: of model::kQueries, kEvents and kTransitions.
  explicit Recordings(const Plan& plan, std::uint32_t wanted = model::kQueries | model::kEvents);
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  // The next op of the plan.
  void take(std::uint32_t op);
  // Null: none was begun since the last reset. It stays as long as somebody holds it.
  std::shared_ptr<Recording> find(ObjectId command_buffer) const { return buffers_.held(command_buffer); }
  // Calls visit(command buffer, recording) for every recording, ascending by command buffer.
  template <class Visit>
  void each(const Visit& visit) const {
    buffers_.each(visit);
  }
  // What the op that was taken last did by itself, on the host.
  const std::vector<model::Transition>& transitions_now() const { return transitions_; }
  const std::vector<EventUse>& events_now() const { return events_; }
  const std::vector<PreinitializedUse>& preinitialized() const { return preinitialized_; }
  // A hostile file's secondaries in secondaries: not followed any further.
  bool too_many() const { return too_many_; }

 private:
  friend struct test::Tamper;
  void query(const model::QueryUse& use) override;
  void event(const model::EventUse& use) override;
  void transition(const model::Transition& one) override;
  void execute(ObjectId secondary) override;
  ObjectId find(const void* member) const override { return view_.id(member); }
  ObjectId above(ObjectId id) const override { return plan_.objects.objects()[id].parent; }
  HandleType kind_of(ObjectId id) const override { return plan_.objects.objects()[id].type; }
  ObjectId first_made() const override { return op().subject; }

  const Op& op() const { return plan_.ops[index_]; }
  bool is_recorded() const { return codec::info(op().command).records_into_command_buffer; }
  // Null: it was not begun.
  Recording* recording() { return buffers_.find(op().dispatch); }

  const Plan& plan_;
  OpView view_;
  std::uint32_t index_ = 0;  // the op that is taken
  model::CommandBuffers<ObjectId, Recording> buffers_;
  std::vector<model::Transition> transitions_;
  std::vector<EventUse> events_;
  std::vector<PreinitializedUse> preinitialized_;
  static constexpr std::size_t kMostUses = 1 << 18;         // queries and events of one recording
  static constexpr std::size_t kMostTransitions = 1 << 22;  // of all
  std::size_t kept_ = 0;                                    // transitions of all recordings
  bool too_many_ = false;
  model::SharedEffects<ObjectId> effects_;
};

// The command buffers that an op submits, in their order.
std::vector<ObjectId> submitted_commands(const Plan& plan, const Op& op);

}  // namespace rondo::player
