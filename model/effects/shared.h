// SPDX-License-Identifier: Apache-2.0
// The effects that readers of captures and plans, and code that sees calls as a program makes them, can all tell:
// transfers, passes, barriers, queries and events. They need views and what is recorded, and no descriptors, shaders
// or table of objects. Id: how calls name objects (call.h). One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "format/check.h"
#include "format/codec/schema.h"
#include "generated/args.h"
#include "model/bindings.h"
#include "model/commands.h"
#include "model/effects.h"
#include "model/views.h"

namespace rondo::model {

// A recording, as far as the effects of its next command depend on those before.
template <class Id>
struct RecordingOf {
  // The pass that it is in. `views`: parallel to its attachments.
  std::shared_ptr<const RenderPass> pass;
  std::uint32_t subpass = 0;
  std::vector<Id> views;
  struct Layouts {
    VkImageLayout now{}, stencil{};
  };
  std::vector<Layouts> layouts;  // of its attachments now; empty where nobody asks for transitions
  VkRect2D area{};
  bool area_of_all = true;  // else each device of a group has its own
  std::uint32_t area_layers = 1;
  std::vector<TouchOf<Id>> attachments;  // that a draw of this subpass touches
  std::uint32_t views_drawn = 0;         // that its subpass is drawn for (multiview); 0: no multiview
  bool in_pass = false;                  // a pass is open, begun here or, with `inherits`, in the primary
  bool inherits = false;                 // a secondary that goes on with a pass of its primary
  // Conditional rendering.
  bool conditional = false;
  BufferRangeOf<Id> condition;
};

struct Recording : RecordingOf<ObjectId> {
  Bindings bindings;
};

template <class Id>
struct RecordingFor {
  using type = RecordingOf<Id>;
};
template <>
struct RecordingFor<ObjectId> {
  using type = Recording;
};

template <class Id>
class EffectsOf;

// A handler says what one command does; where a command has two forms, it knows the second.
template <class Id>
struct SharedHandler {
  void (*handle)(EffectsOf<Id>&, const CallOf<Id>&) = nullptr;
  std::uint32_t kinds = 0;     // of EffectKind: those that it may have, no others
  bool of_first_form = false;  // the command is the first form of the one that the handler knows
};
template <class Id>
using SharedHandlers = std::vector<SharedHandler<Id>>;  // by canonical CommandId

// Of both forms of a command.
template <class Id>
const SharedHandlers<Id>& shared_handlers();

template <class Id>
class EffectsOf {
 public:
  using Record = typename RecordingFor<Id>::type;
  // Effects of `wanted` kinds (a set of EffectKind) go to the sink, which lives longer.
  EffectsOf(EffectSink<Id>& sink, std::uint32_t wanted)
      : sink_(&sink), wanted_(wanted | kObjects), shared_(shared_handlers<Id>()) {}

  // Every call, in order. Of a call that failed there are no effects.
  void take(const CallOf<Id>& c) {
    RONDO_CHECK(c.sequence >= taken_);
    taken_ = c.sequence;
    if (c.succeeded) {
      const SharedHandler<Id>& handler = shared_handler(c.command.canonical);
      commands.take(c);
      if (handler.handle != nullptr && wants(handler.kinds)) run(handler, c);
    }
    for (const Id id : c.ended) forget(id, c.type_of(id));
  }
  bool wants(std::uint32_t kinds) const { return (wanted_ & kinds) != 0; }
  // Whether take() reads the parameters of such a call: else they need not be there.
  bool looks_at(CommandId canonical) const {
    return canonical == CommandId::vkResetCommandPool || wants(shared_handler(canonical).kinds);
  }

  ViewsOf<Id> views;
  CommandBuffers<Id, Record> commands;

  // --- For handlers ---

  Record& recording(const CallOf<Id>& c) { return commands.of(c.dispatch); }
  // Effects are told by these. A handler tells only effects of the kinds that it is added with: a reader that wants
  // none of these kinds never runs the handler.
  void touch(const TouchOf<Id>& one) {
    RONDO_CHECK(may_tell(kTouches));
    if (one.object != Id{}) sink_->touch(one);
  }
  void reach(const Reach& one) { tell(kTouches).reach(one); }
  void clears_inherited(VkImageAspectFlags aspects) { tell(kTouches).clears_inherited(aspects); }
  void transition(const TransitionOf<Id>& one) { tell(kTransitions).transition(one); }
  void barrier(const BarrierOf<Id>& one) { tell(kBarriers).barrier(one); }
  void query(const QueryUseOf<Id>& one) { tell(kQueries).query(one); }
  void event(const EventUseOf<Id>& one) { tell(kEvents).event(one); }
  void mark(const MarkingOf<Id>& one) { tell(kMarks).mark(one); }
  void work(VkPipelineBindPoint at) { tell(kWork).work(at); }
  void execute(Id secondary) { tell(kExecutes).execute(secondary); }

  void touch_buffer(Id buffer, std::uint64_t offset, std::uint64_t size, VkPipelineStageFlags2 stages,
                    VkAccessFlags2 access, bool overwrites = false) {
    TouchOf<Id> one;
    one.object = buffer;
    one.offset = offset;
    one.size = views.bytes_of(buffer, offset, size);
    one.stages = stages;
    one.access = access;
    one.overwrites = overwrites;
    if (one.size != 0) touch(one);
  }
  void touch_image(Id image, const VkImageSubresourceRange& part, VkPipelineStageFlags2 stages, VkAccessFlags2 access,
                   bool overwrites = false, const TexelBox& box = {}) {
    TouchOf<Id> one;
    one.object = image;
    one.box = box;
    one.part = views.part_of(image, part);
    one.stages = stages;
    one.access = access;
    one.overwrites = overwrites;
    touch(one);
  }
  // It lies in a buffer, which is touched with it.
  void touch_structure(Id id, VkPipelineStageFlags2 stages, VkAccessFlags2 access) {
    TouchOf<Id> one;
    one.object = id;
    one.stages = stages;
    one.access = access;
    touch(one);
    if (const auto* structure = views.structures.find(id); structure != nullptr)
      touch_buffer(structure->buffer, structure->offset, structure->size, stages, access);
  }

 protected:
  ~EffectsOf() = default;
  void forget(Id id, HandleType type) {
    if (type == HandleType::VkCommandBuffer) return commands.forget(id);
    views.forget(id, type);
  }
  const SharedHandler<Id>& shared_handler(CommandId canonical) const {
    return shared_[static_cast<std::size_t>(canonical)];
  }
  void run(const SharedHandler<Id>& handler, const CallOf<Id>& c) {
    running_ = handler.kinds;
    if (!handler.of_first_form) return handler.handle(*this, c);
    second_.take(c.command.canonical, c.args);
    CallOf<Id> second = c;
    second.second = &second_;
    handler.handle(*this, second);
  }

  SecondForm second_;  // of the call that is taken
  std::uint64_t taken_ = 0;
  std::uint32_t running_ = 0;  // kinds of the handler that runs, or ran last

 private:
  friend struct test::Tamper;
  bool may_tell(EffectKind kind) const { return (running_ & kind) != 0; }
  EffectSink<Id>& tell(EffectKind kind) {
    RONDO_CHECK(may_tell(kind));
    return *sink_;
  }

  EffectSink<Id>* sink_;
  std::uint32_t wanted_;
  const SharedHandlers<Id>& shared_;
};

// For those who want no more than the shared effects.
template <class Id>
class SharedEffects final : public EffectsOf<Id> {
 public:
  using EffectsOf<Id>::EffectsOf;
};

// The first form of each command has the handler of the second. Handler: SharedHandler, or Handler of all.h.
template <class Handler>
void add_first_forms(std::vector<Handler>& handlers) {
  for (const codec::CommandInfo& command : codec::commands()) {
    const CommandId second = second_form_of(command.id);
    if (second == command.id) continue;
    Handler& first = handlers[static_cast<std::size_t>(command.id)];
    RONDO_CHECK(first.handle == nullptr);
    first = handlers[static_cast<std::size_t>(second)];
    first.of_first_form = true;
  }
}

template <class Id>
void add_views(SharedHandlers<Id>& handlers);
template <class Id>
void add_commands(SharedHandlers<Id>& handlers);
template <class Id>
void add_transfers(SharedHandlers<Id>& handlers);
template <class Id>
void add_passes(SharedHandlers<Id>& handlers);
template <class Id>
void add_barriers(SharedHandlers<Id>& handlers);  // and events
template <class Id>
void add_queries(SharedHandlers<Id>& handlers);

template <class Id>
void add(SharedHandlers<Id>& handlers, CommandId command, void (*handle)(EffectsOf<Id>&, const CallOf<Id>&),
         std::uint32_t kinds) {
  SharedHandler<Id>& to = handlers[static_cast<std::size_t>(command)];
  RONDO_CHECK(to.handle == nullptr);                // one handler a command
  RONDO_CHECK(second_form_of(command) == command);  // of two forms the second has it
  to = {handle, kinds};
}

}  // namespace rondo::model
