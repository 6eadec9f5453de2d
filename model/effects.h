// SPDX-License-Identifier: Apache-2.0
// What a command does, said once for every reader: which memory it touches, which layouts and owners it changes, what
// it does to queries and events, what it orders, begins, ends and executes. Calls are read in their second form
// (second_form.h). No device. One thread.
// Specification: "Synchronization and Cache Control", "Render Pass", "Queries", "Command Buffers".
#pragma once

#include <cstdint>
#include <variant>

#include "model/call.h"
#include "model/touch.h"

namespace rondo::model {

// Part of an image changes its layout, or part of a resource the queue family that owns it.
template <class Id>
struct TransitionOf {
  Id resource = {};  // image, or buffer
  bool is_image = true;
  VkImageSubresourceRange range{};    // of an image, as the call says it, …
  VkDeviceSize offset = 0, size = 0;  // … or bytes of a buffer
  VkImageLayout from = VK_IMAGE_LAYOUT_UNDEFINED, to = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t source = VK_QUEUE_FAMILY_IGNORED, target = VK_QUEUE_FAMILY_IGNORED;  // families
  const VkImageLayout* says = nullptr;  // `from` in the call's parameters; null: a render pass says it
};
using Transition = TransitionOf<ObjectId>;

// What is ordered before what, and which accesses become available and visible.
template <class Id>
struct BarrierOf {
  enum class Of : std::uint8_t { pipeline_barrier, event, subpass_dependency } of{};
  enum class Kind : std::uint8_t { memory, buffer, image } kind{};
  VkPipelineStageFlags2 src_stages = 0, dst_stages = 0;
  VkAccessFlags2 src_access = 0, dst_access = 0;
  Id event = {};                      // of a wait in the second form: for which its barriers are
  Id resource = {};                   // a buffer or an image
  VkDeviceSize offset = 0, size = 0;  // bytes of a buffer, as the call says them
  VkImageSubresourceRange range{};    // of an image, as the call says it
  VkImageLayout old_layout = VK_IMAGE_LAYOUT_UNDEFINED, new_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  std::uint32_t src_family = VK_QUEUE_FAMILY_IGNORED, dst_family = VK_QUEUE_FAMILY_IGNORED;
  VkDependencyFlags flags = 0;
  // Of a dependency of subpasses; VK_SUBPASS_EXTERNAL: what is before the pass, or after it.
  std::uint32_t src_subpass = 0, dst_subpass = 0;
  bool implicit = false;  // the render pass does not say it: "implicit subpass dependency"
};
using Barrier = BarrierOf<ObjectId>;

template <class Id>
struct QueryUseOf {
  // begin: until the end the commands between are counted. write: at once, as a timestamp.
  enum class Kind : std::uint8_t { reset, begin, end, write, read } kind{};
  Id pool = {};
  std::uint32_t first = 0, count = 0;
  VkPipelineStageFlags2 stages = 0;
};
using QueryUse = QueryUseOf<ObjectId>;

template <class Id>
struct EventUseOf {
  enum class Kind : std::uint8_t { set, reset, wait } kind{};
  Id event = {};
  VkPipelineStageFlags2 stages = 0;  // set, reset: after which it happens; wait: 0, its barriers say it
};
using EventUse = EventUseOf<ObjectId>;

// What a command begins or ends.
enum class Mark : std::uint8_t { none, begins_pass, next_subpass, ends_pass, begins_label, ends_label };

template <class Id>
struct MarkingOf {
  Mark mark = Mark::none;
  Id pass = {};                            // begins_pass: the VkRenderPass; null: dynamic rendering
  bool suspends = false, resumes = false;  // begins_pass: VK_RENDERING_SUSPENDING_BIT, VK_RENDERING_RESUMING_BIT
  const char* label = nullptr;             // begins_label; may be null, or ""
};
using Marking = MarkingOf<ObjectId>;

// What a command does besides touching memory.
using Effect = std::variant<Barrier, Transition, QueryUse, EventUse>;

// Sets of kinds of effects. A handler says which it may have, and a reader which it wants.
enum EffectKind : std::uint32_t {
  kObjects = 1,  // makes or changes what other effects refer to: always wanted
  kTouches = 2,  // and reach
  kTransitions = 4,
  kBarriers = 8,
  kQueries = 16,
  kEvents = 32,
  kBinds = 64,  // changes what later draws and dispatches find
  kWork = 128,  // a draw, a dispatch: shaders run
  kMarks = 256,
  kExecutes = 512,
  kAllEffects = 1023,
};

// Takes the effects of one call, in their order. What a command in a command buffer does happens each time that it is
// executed; what another call does happens at once. Pointers are good until the method returns.
template <class Id>
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  // Of objects that are known: nothing remains, and nothing is empty.
  virtual void touch(const TouchOf<Id>&) {}
  // Besides its touches the command may touch anything reachable.
  virtual void reach(const Reach&) {}
  virtual void transition(const TransitionOf<Id>&) {}
  virtual void barrier(const BarrierOf<Id>&) {}
  virtual void query(const QueryUseOf<Id>&) {}
  virtual void event(const EventUseOf<Id>&) {}
  virtual void mark(const MarkingOf<Id>&) {}
  // Shaders run, with what is bound there.
  virtual void work(VkPipelineBindPoint) {}
  virtual void execute(Id /*secondary*/) {}
  // A secondary clears these aspects of what its primary draws to.
  virtual void clears_inherited(VkImageAspectFlags) {}
};

}  // namespace rondo::model
