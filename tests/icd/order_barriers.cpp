// SPDX-License-Identifier: Apache-2.0
// Pipeline barriers and events as synchronization nodes ("Execution and Memory Dependencies", "Events", "Pipeline
// Barriers", "Image Layout Transitions", "Queue Family Ownership Transfer").
#include <algorithm>

#include "tests/icd/order_gather.h"

using namespace rondo;  // args_vk…

namespace fake::order {
namespace {

// Barriers of both forms: the old one has its stages apart.
struct Masks {
  Stages first = 0, second = 0;
};
template <class Barrier>
Masks masks_of(const Barrier& barrier, const Masks& apart) {
  if constexpr (requires { barrier.srcStageMask; })
    return {barrier.srcStageMask, barrier.dstStageMask};
  else
    return apart;
}

template <class Barrier>
MemoryDependency dependency_of(const Barrier& barrier, const Masks& masks) {
  return {access_scope(masks.first), single_accesses(barrier.srcAccessMask), access_scope(masks.second),
          single_accesses(barrier.dstAccessMask)};
}

// Of a transfer between queue families the release makes available, and the acquisition makes visible.
template <class Barrier>
bool is_transfer(const Barrier& barrier) {
  return barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex;
}
template <class Barrier>
void take_half(Node& node, MemoryDependency& dependency, const Barrier& barrier) {
  if (!is_transfer(barrier)) return;
  if (node.line->family == barrier.srcQueueFamilyIndex) dependency.second = 0;
  if (node.line->family == barrier.dstQueueFamilyIndex) dependency.first = 0;
  node.transfers.push_back({barrier.srcQueueFamilyIndex, barrier.dstQueueFamilyIndex, normalized(dependency.bytes)});
}

template <class Barrier>
MemoryDependency dependency_of_buffer(const Barrier& barrier, const Masks& masks, Node& node) {
  MemoryDependency dependency = dependency_of(barrier, masks);
  dependency.everywhere = false;
  add_bytes(dependency.bytes, get<Buffer>(barrier.buffer).get(), barrier.offset, barrier.size);
  take_half(node, dependency, barrier);
  return dependency;
}

// What a barrier's image changes its layout of.
struct Transitions {
  Ranges changed, discarded;
};

template <class Barrier>
MemoryDependency dependency_of_image(const Barrier& barrier, const Masks& masks, Node& node, Transitions& transitions) {
  MemoryDependency dependency = dependency_of(barrier, masks);
  dependency.everywhere = false;
  const auto image = get<Image>(barrier.image);
  if (image == nullptr) return dependency;
  add_subresources(dependency.bytes, *image, barrier.subresourceRange);
  dependency.bytes = normalized(std::move(dependency.bytes));
  take_half(node, dependency, barrier);
  // A release changes nothing yet: the acquisition does.
  const bool releases = is_transfer(barrier) && node.line->family == barrier.srcQueueFamilyIndex;
  if (barrier.oldLayout == barrier.newLayout || releases) return dependency;
  const Ranges& bytes = dependency.bytes;
  transitions.changed.insert(transitions.changed.end(), bytes.begin(), bytes.end());
  if (barrier.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED && !settings().keeps)
    transitions.discarded.insert(transitions.discarded.end(), bytes.begin(), bytes.end());
  return dependency;
}

void take(Node& node, Transitions transitions) {
  if (transitions.changed.empty()) return;
  node.changes = normalized(transitions.changed);
  node.touches = transition_touches(std::move(transitions.changed));
  if (!transitions.discarded.empty()) node.run = [bytes = std::move(transitions.discarded)] { discard(bytes); };
}

}  // namespace

// Each structure is a dependency of its own, with its own stages; they do not form chains with one another.
void Gatherer::add_barrier(Execution& execution, const VkDependencyInfo& info) {
  std::vector<Node*> made;
  const auto one = [&](const Masks& masks) -> Node& {
    Node& node = make_sync(execution, first_scope(masks.first), second_scope(masks.second));
    if (!made.empty()) {
      node.position = made.front()->position;
      node.first_positions.end = node.second_positions.begin = node.position;
    }
    made.push_back(&node);
    return node;
  };
  for (std::uint32_t i = 0; i < info.memoryBarrierCount; ++i) {
    const VkMemoryBarrier2& b = info.pMemoryBarriers[i];
    one(masks_of(b, {})).memory = {dependency_of(b, masks_of(b, {}))};
  }
  for (std::uint32_t i = 0; i < info.bufferMemoryBarrierCount; ++i) {
    const VkBufferMemoryBarrier2& b = info.pBufferMemoryBarriers[i];
    Node& node = one(masks_of(b, {}));
    node.memory = {dependency_of_buffer(b, masks_of(b, {}), node)};
  }
  for (std::uint32_t i = 0; i < info.imageMemoryBarrierCount; ++i) {
    const VkImageMemoryBarrier2& b = info.pImageMemoryBarriers[i];
    Node& node = one(masks_of(b, {}));
    Transitions transitions;
    node.memory = {dependency_of_image(b, masks_of(b, {}), node, transitions)};
    take(node, std::move(transitions));
  }
  for (Node* node : made) graph_.add(*node);
}

namespace {

// The memory barriers of vkCmdPipelineBarrier and vkCmdWaitEvents.
template <class A>
void take_barriers(Node& node, const A& a) {
  const Masks masks{a.srcStageMask, a.dstStageMask};
  Transitions transitions;
  for (std::uint32_t i = 0; i < a.memoryBarrierCount; ++i)
    node.memory.push_back(dependency_of(a.pMemoryBarriers[i], masks));
  for (std::uint32_t i = 0; i < a.bufferMemoryBarrierCount; ++i)
    node.memory.push_back(dependency_of_buffer(a.pBufferMemoryBarriers[i], masks, node));
  for (std::uint32_t i = 0; i < a.imageMemoryBarrierCount; ++i)
    node.memory.push_back(dependency_of_image(a.pImageMemoryBarriers[i], masks, node, transitions));
  take(node, std::move(transitions));
}

// Those of vkCmdWaitEvents2, as one node.
void take_info(Node& node, const VkDependencyInfo& info) {
  Transitions transitions;
  const auto take_masks = [&](const Masks& masks) { node.second |= second_scope(masks.second); };
  for (std::uint32_t i = 0; i < info.memoryBarrierCount; ++i) {
    take_masks(masks_of(info.pMemoryBarriers[i], {}));
    node.memory.push_back(dependency_of(info.pMemoryBarriers[i], masks_of(info.pMemoryBarriers[i], {})));
  }
  for (std::uint32_t i = 0; i < info.bufferMemoryBarrierCount; ++i) {
    const VkBufferMemoryBarrier2& b = info.pBufferMemoryBarriers[i];
    take_masks(masks_of(b, {}));
    node.memory.push_back(dependency_of_buffer(b, masks_of(b, {}), node));
  }
  for (std::uint32_t i = 0; i < info.imageMemoryBarrierCount; ++i) {
    const VkImageMemoryBarrier2& b = info.pImageMemoryBarriers[i];
    take_masks(masks_of(b, {}));
    node.memory.push_back(dependency_of_image(b, masks_of(b, {}), node, transitions));
  }
  take(node, std::move(transitions));
}

Stages stages_of(const VkDependencyInfo& info) {
  Stages stages = 0;
  for (std::uint32_t i = 0; i < info.memoryBarrierCount; ++i) stages |= info.pMemoryBarriers[i].srcStageMask;
  for (std::uint32_t i = 0; i < info.bufferMemoryBarrierCount; ++i)
    stages |= info.pBufferMemoryBarriers[i].srcStageMask;
  for (std::uint32_t i = 0; i < info.imageMemoryBarrierCount; ++i) stages |= info.pImageMemoryBarriers[i].srcStageMask;
  return stages;
}

}  // namespace

template <class A>
void Gatherer::add_barrier1(Execution& execution, const A& a) {
  Node& node = make_sync(execution, first_scope(a.srcStageMask), second_scope(a.dstStageMask));
  take_barriers(node, a);
  graph_.add(node);
}

void Gatherer::add_set(Execution& execution, VkEvent handle, Stages stages) {
  const auto event = get<Event>(handle);
  if (event == nullptr) return;
  Node& node = make_sync(execution, first_scope(stages), 0);
  node.event_stages = access_scope(stages);
  node.run = [event] { event->set = true; };
  node.runs_locked = true;
  graph_.add(node);
  line_.set_events[event.get()] = &node;
}

void Gatherer::add_reset(Execution& execution, VkEvent handle, Stages stages) {
  const auto event = get<Event>(handle);
  if (event == nullptr) return;
  Node& node = make_sync(execution, first_scope(stages), 0);
  node.run = [event] { event->set = false; };
  node.runs_locked = true;
  graph_.add(node);
  line_.set_events.erase(event.get());
}

// The first scope of a wait: what came before its events were set. The host may set them too.
void Gatherer::take_events(Node& node, const VkEvent* events, std::uint32_t count) {
  node.first_positions = {0, 0};
  std::vector<std::shared_ptr<Event>> by_host;
  for (std::uint32_t i = 0; i < count; ++i) {
    auto event = get<Event>(events[i]);
    if (event == nullptr) continue;
    const auto set = line_.set_events.find(event.get());
    if (set == line_.set_events.end()) {
      by_host.push_back(std::move(event));
      continue;
    }
    node.chain.push_back(set->second);
    node.event_positions.push_back(set->second->first_positions);
    node.event_stages |= set->second->event_stages;
  }
  if (!by_host.empty())
    node.is_ready = [by_host = std::move(by_host)] {
      return std::all_of(by_host.begin(), by_host.end(), [](const auto& event) { return event->set.load(); });
    };
}

bool Gatherer::add_event(Execution& execution, const Step& step) {
  const Arguments& arguments = *step.arguments;
  switch (step.id) {
    case CommandId::vkCmdSetEvent: {
      const auto& a = arguments.as<args_vkCmdSetEvent>();
      add_set(execution, a.event, a.stageMask);
      return true;
    }
    case CommandId::vkCmdSetEvent2: {
      const auto& a = arguments.as<args_vkCmdSetEvent2>();
      add_set(execution, a.event, stages_of(*a.pDependencyInfo));
      return true;
    }
    case CommandId::vkCmdResetEvent: {
      const auto& a = arguments.as<args_vkCmdResetEvent>();
      add_reset(execution, a.event, a.stageMask);
      return true;
    }
    case CommandId::vkCmdResetEvent2: {
      const auto& a = arguments.as<args_vkCmdResetEvent2>();
      add_reset(execution, a.event, a.stageMask);
      return true;
    }
    case CommandId::vkCmdWaitEvents: {
      const auto& a = arguments.as<args_vkCmdWaitEvents>();
      Node& node = make_sync(execution, 0, second_scope(a.dstStageMask));
      take_events(node, a.pEvents, a.eventCount);
      take_barriers(node, a);
      graph_.add(node);
      return true;
    }
    case CommandId::vkCmdWaitEvents2: {
      const auto& a = arguments.as<args_vkCmdWaitEvents2>();
      for (std::uint32_t i = 0; i < a.eventCount; ++i) {
        Node& node = make_sync(execution, 0, 0);
        take_events(node, &a.pEvents[i], 1);
        take_info(node, a.pDependencyInfos[i]);
        graph_.add(node);
      }
      return true;
    }
    default:
      return false;
  }
}

bool Gatherer::add_sync(Execution& execution, const Step& step) {
  switch (step.id) {
    case CommandId::vkCmdPipelineBarrier:
      add_barrier1(execution, step.arguments->as<args_vkCmdPipelineBarrier>());
      return true;
    case CommandId::vkCmdPipelineBarrier2:
      add_barrier(execution, *step.arguments->as<args_vkCmdPipelineBarrier2>().pDependencyInfo);
      return true;
    default:
      return add_event(execution, step);
  }
}

}  // namespace fake::order
