// SPDX-License-Identifier: Apache-2.0
// What the access model remembers: which shaders there are, and the effects of what is recorded. Used by access/*.cpp
// only.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "format/check.h"
#include "model/access/label_paths.h"
#include "model/access/model.h"
#include "model/effects/all.h"
#include "model/shaders/static_use.h"

namespace rondo::access {

using model::Call;

// Of one shader: its stage, and what it uses. Null: nobody knows.
struct ShaderUse {
  VkPipelineStageFlags2 stage = 0;
  std::shared_ptr<const shaders::StaticUse> use;
};

// How draws may use attachments. Nothing of it is known of a part of a pipeline that does not say it.
struct AttachmentUse {
  bool is_known = false;
  VkAccessFlags2 access = 0;
};

struct Pipeline {
  std::vector<ShaderUse> shaders;
  std::uint32_t vertex_bindings = 0;  // by bit; of what is dynamic all
  AttachmentUse color, depth;         // depth: and stencil
};

// What draws or dispatches find bound. Shared by all that find the same.
struct Bound {
  std::vector<ShaderUse> shaders;
  std::map<std::uint32_t, model::PlacedSet> sets;
  std::vector<Touch> touches;  // of vertex buffers, attachments, …
  AttachmentUse color, depth;  // of the pipeline
  // Of what a pass allows those accesses that draws with this pipeline make. False: there are none.
  bool limit_attachment(Touch& touch) const;
};

// A recorded command.
struct Item {
  std::uint64_t record = 0;
  CommandId command{};
  // Ranges of Commands::touches and Commands::effects. Those of an item begin where those of the item before end.
  std::uint32_t first = 0, count = 0;
  std::uint32_t first_effect = 0, effect_count = 0;
  Reach reach;
  Recorded recorded;
  std::shared_ptr<const Bound> bound;
  ObjectId secondary = ObjectId::null;  // that is executed here; `bound` has the attachments of its draws
  std::uint32_t number = 0;             // of the recording of the secondary
  // In a secondary that goes on with a pass: it draws to the attachments there, or clears these aspects of them.
  bool draws = false;
  VkImageAspectFlags clears = 0;
};

// The effects of one recording.
struct Commands {
  std::vector<Item> items;
  std::vector<Touch> touches;
  std::vector<model::Effect> effects;
  std::size_t bound = 0;  // of what its draws find: touches, sets, shaders
  // What was found last, by model::index_of(): as long as nothing changed since.
  struct Found {
    std::uint64_t version = 0;
    std::shared_ptr<const Bound> bound;
  };
  std::array<Found, 3> found;

  std::size_t size() const { return items.size() + touches.size() + effects.size() + bound; }
};

struct Tracker : model::EffectSink<ObjectId> {
  Tracker(Model::Sink to, const Limits& most, std::uint32_t also);

  const Model::Sink sink;
  const Limits limits;
  model::Effects effects;
  std::uint64_t submits = 0;
  LabelPaths labels;
  // Of the submit that is being executed.
  std::uint64_t draws = 0;
  std::uint32_t batch = 0, primary = 0;
  // As Limits has them.
  std::uint64_t executed = 0;
  std::size_t recorded = 0;
  std::vector<ObjectId> executing;  // command buffers, one in the other

  model::Table<ObjectId, std::vector<shaders::StaticUse>> modules;
  model::Table<ObjectId, Pipeline> pipelines;
  model::Table<ObjectId, ShaderUse> shaders;
  model::CommandBuffers<ObjectId, Commands> commands;

  void take(const Call& c);
  bool too_many() const { return too_many_ || effects.too_many(); }
  void give_up() { too_many_ = true; }

  // --- Effects of the call that is taken ---

  void touch(const Touch& touch) override;
  void reach(const Reach& reach) override;
  void transition(const model::Transition& one) override { keep(one); }
  void barrier(const model::Barrier& one) override { keep(one); }
  void event(const model::EventUse& one) override { keep(one); }
  void query(const model::QueryUse& one) override;
  void mark(const model::Marking& marking) override;
  void work(VkPipelineBindPoint point) override;
  void execute(ObjectId secondary) override;
  void clears_inherited(VkImageAspectFlags aspects) override { item().clears = aspects; }

  // What a draw or dispatch of the recording finds there (bound.cpp).
  std::shared_ptr<const Bound> bound_at(const model::Recording& from, VkPipelineBindPoint at);
  // What that touches, and what nobody knows of it.
  void resolve(const Bound& bound, std::vector<Touch>& out, Reach& reach);

 private:
  friend struct test::Tamper;
  // Of the command that is being recorded: opens it. Beyond the limit one that nobody has.
  Item& item();
  Commands& recording() { return commands.of(call_->dispatch); }
  // Counts what is kept of recordings. False: that is more than the limit, and the caller keeps nothing.
  bool remember(std::size_t count);
  void keep(const model::Effect& effect);
  void emit_now(const Call& c);
  void submit(const Call& c);
  // `inherited`: attachments of a primary, for a secondary that goes on with its pass.
  void execute(const Call& c, ObjectId id, std::span<const Touch> inherited);
  void execute_items(const Call& c, const Commands& from, std::span<const Touch> inherited);
  void execute_item(const Call& c, const Commands& from, const Item& item, std::span<const Touch> inherited);
  void forget(ObjectId id, HandleType type);

  const Call* call_ = nullptr;  // that is taken
  std::uint32_t also_;          // kinds of effects that are asked for besides touches
  bool too_many_ = false;
  Item beyond_;                         // of what is not remembered
  std::vector<Touch> touches_;          // while something is executed; of a call that touches memory by itself
  std::vector<model::Effect> effects_;  // of that call
  // Of the draws before in the command buffer that is executed, as long as they find the same.
  const Bound* last_ = nullptr;
  std::vector<Touch> last_touches_;
  Reach last_reach_;
};

// Handlers of calls that make shaders and pipelines; null: the call makes none.
using ShaderHandler = void (*)(Tracker&, const Call&);
ShaderHandler shader_handler_of(CommandId canonical);

}  // namespace rondo::access
