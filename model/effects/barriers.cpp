// SPDX-License-Identifier: Apache-2.0
// Barriers, events, and what changes layouts and owners (specification, "Synchronization and Cache Control").
#include "model/effects/shared.h"

namespace rondo::model {

namespace {

// What an image barrier says of layout and owner. Barrier: of any form.
template <class Id, class Image>
void image_transition(EffectsOf<Id>& e, const CallOf<Id>& c, const Image& b) {
  TransitionOf<Id> one;
  one.resource = c.id(&b.image);
  one.range = b.subresourceRange;
  one.from = b.oldLayout;
  one.to = b.newLayout;
  one.source = b.srcQueueFamilyIndex;
  one.target = b.dstQueueFamilyIndex;
  one.says = static_cast<const VkImageLayout*>(c.source_of(&b.oldLayout));
  e.transition(one);
}

// Of buffers only the owner changes.
template <class Id, class Buffer>
void buffer_transition(EffectsOf<Id>& e, const CallOf<Id>& c, const Buffer& b) {
  if (b.srcQueueFamilyIndex == b.dstQueueFamilyIndex) return;
  TransitionOf<Id> one;
  one.resource = c.id(&b.buffer);
  one.is_image = false;
  one.offset = b.offset;
  one.size = b.size;
  one.source = b.srcQueueFamilyIndex;
  one.target = b.dstQueueFamilyIndex;
  e.transition(one);
}

// From UNDEFINED to another layout an image holds nothing.
template <class Id>
void forget(EffectsOf<Id>& e, Id image, const VkImageSubresourceRange& range, VkPipelineStageFlags2 stages,
            VkAccessFlags2 access) {
  TouchOf<Id> touch;
  touch.object = image;
  touch.part = e.views.part_of(image, range);
  touch.stages = stages;
  touch.access = access;
  touch.overwrites = touch.forgets = true;
  e.touch(touch);
}

template <class Id>
struct Dependency {
  using Barrier = BarrierOf<Id>;
  EffectsOf<Id>& e;
  const CallOf<Id>& c;
  typename Barrier::Of of;
  Id event = {};

  template <class From>
  Barrier barrier_of(const From& from, typename Barrier::Kind kind, VkDependencyFlags flags) const {
    Barrier one;
    one.of = of;
    one.event = event;
    one.kind = kind;
    one.src_stages = from.srcStageMask;
    one.dst_stages = from.dstStageMask;
    one.src_access = from.srcAccessMask;
    one.dst_access = from.dstAccessMask;
    one.flags = flags;
    if constexpr (requires { from.srcQueueFamilyIndex; }) {
      one.src_family = from.srcQueueFamilyIndex;
      one.dst_family = from.dstQueueFamilyIndex;
    }
    return one;
  }

  void barriers(const VkDependencyInfo& info) {
    const VkDependencyFlags flags = info.dependencyFlags;
    for (const VkMemoryBarrier2& b : std::span(info.pMemoryBarriers, info.memoryBarrierCount))
      e.barrier(barrier_of(b, Barrier::Kind::memory, flags));
    for (const VkBufferMemoryBarrier2& b : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)) {
      Barrier one = barrier_of(b, Barrier::Kind::buffer, flags);
      one.resource = c.id(&b.buffer);
      one.offset = b.offset;
      one.size = b.size;
      e.barrier(one);
    }
    for (const VkImageMemoryBarrier2& b : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount)) {
      Barrier one = barrier_of(b, Barrier::Kind::image, flags);
      one.resource = c.id(&b.image);
      one.range = b.subresourceRange;
      one.old_layout = b.oldLayout;
      one.new_layout = b.newLayout;
      e.barrier(one);
    }
  }

  void take(const VkDependencyInfo& info) {
    if (e.wants(kBarriers)) barriers(info);
    const std::span images(info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
    const std::span buffers(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount);
    if (e.wants(kTransitions)) {
      for (const VkImageMemoryBarrier2& b : images) image_transition(e, c, b);
      for (const VkBufferMemoryBarrier2& b : buffers) buffer_transition(e, c, b);
    }
    if (!e.wants(kTouches)) return;
    for (const VkImageMemoryBarrier2& b : images)
      if (b.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED && b.newLayout != VK_IMAGE_LAYOUT_UNDEFINED)
        forget(e, c.id(&b.image), b.subresourceRange, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
               VK_ACCESS_2_MEMORY_WRITE_BIT);
  }
};

template <class Id>
void pipeline_barrier(EffectsOf<Id>& e, const CallOf<Id>& c) {
  Dependency<Id>{e, c, BarrierOf<Id>::Of::pipeline_barrier, {}}.take(
      *c.template as<args_vkCmdPipelineBarrier2>().pDependencyInfo);
}

template <class Id>
void wait_events(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkCmdWaitEvents2>();
  if (e.wants(kEvents))
    for (const VkEvent& event : std::span(a.pEvents, a.eventCount)) e.event({EventUseOf<Id>::Kind::wait, c.id(&event)});
  for (std::uint32_t i = 0; i < a.eventCount; ++i)
    Dependency<Id>{e, c, BarrierOf<Id>::Of::event, c.id(&a.pEvents[i])}.take(a.pDependencyInfos[i]);
}

template <class Args, EventUse::Kind kind, class Id>
void change_event(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<Args>();
  EventUseOf<Id> use{static_cast<typename EventUseOf<Id>::Kind>(kind), c.id(&a.event)};
  if constexpr (requires { a.stageMask; }) {
    use.stages = a.stageMask;
  } else if constexpr (requires { a.pDependencyInfo; }) {
    const VkDependencyInfo& info = *a.pDependencyInfo;
    for (const auto& b : std::span(info.pMemoryBarriers, info.memoryBarrierCount)) use.stages |= b.srcStageMask;
    for (const auto& b : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount))
      use.stages |= b.srcStageMask;
    for (const auto& b : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount))
      use.stages |= b.srcStageMask;
  } else {
    use.stages = VK_PIPELINE_STAGE_2_HOST_BIT;
  }
  e.event(use);
}

// --- At once ---

// What a cut puts back.
template <class Id>
void put_back(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_rondoBarriers>();
  for (const auto& b : std::span(a.pImages, a.imageCount)) image_transition(e, c, b);
  for (const auto& b : std::span(a.pBuffers, a.bufferCount)) buffer_transition(e, c, b);
}

#ifdef VK_EXT_host_image_copy
template <class Id>
void host_transition(EffectsOf<Id>& e, const CallOf<Id>& c) {
  const auto& a = c.template as<args_vkTransitionImageLayout>();
  for (const auto& t : std::span(a.pTransitions, a.transitionCount)) {
    TransitionOf<Id> one;
    one.resource = c.id(&t.image);
    one.range = t.subresourceRange;
    one.from = t.oldLayout;
    one.to = t.newLayout;
    one.says = &t.oldLayout;
    e.transition(one);
    if (t.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED)
      forget(e, one.resource, t.subresourceRange, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT);
  }
}
#endif

}  // namespace

template <class Id>
void add_barriers(SharedHandlers<Id>& handlers) {
  constexpr std::uint32_t kBarrier = kBarriers | kTransitions | kTouches;
  using Kind = EventUse::Kind;
  add(handlers, CommandId::vkCmdPipelineBarrier2, pipeline_barrier<Id>, kBarrier);
  add(handlers, CommandId::vkCmdWaitEvents2, wait_events<Id>, kBarrier | kEvents);
  add(handlers, CommandId::vkCmdSetEvent, change_event<args_vkCmdSetEvent, Kind::set, Id>, kEvents);
  add(handlers, CommandId::vkCmdSetEvent2, change_event<args_vkCmdSetEvent2, Kind::set, Id>, kEvents);
  add(handlers, CommandId::vkCmdResetEvent, change_event<args_vkCmdResetEvent, Kind::reset, Id>, kEvents);
  add(handlers, CommandId::vkCmdResetEvent2, change_event<args_vkCmdResetEvent2, Kind::reset, Id>, kEvents);
  add(handlers, CommandId::vkSetEvent, change_event<args_vkSetEvent, Kind::set, Id>, kEvents);
  add(handlers, CommandId::vkResetEvent, change_event<args_vkResetEvent, Kind::reset, Id>, kEvents);
  add(handlers, CommandId::rondoEventSet, change_event<args_rondoEventSet, Kind::set, Id>, kEvents);
  add(handlers, CommandId::rondoBarriers, put_back<Id>, kTransitions);
#ifdef VK_EXT_host_image_copy
  add(handlers, CommandId::vkTransitionImageLayout, host_transition<Id>, kTransitions | kTouches);
#endif
}

template void add_barriers(SharedHandlers<ObjectId>&);
template void add_barriers(SharedHandlers<std::uint64_t>&);

}  // namespace rondo::model
