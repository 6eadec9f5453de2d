// SPDX-License-Identifier: Apache-2.0
#include "tests/icd/recorded.h"

#include <set>

#include "tests/icd/install.h"
#include "tests/icd/pipeline_uses.h"

namespace fake {
namespace {

template <class A>
const A& as(const Call& call) {
  return *static_cast<const A*>(call.args);
}

void note_vertices(Bound& bound, std::uint32_t first, std::uint32_t count) {
  // One that is null got through where null descriptors are enabled: it is bound.
  for (std::uint32_t i = 0; i < count; ++i) bound.vertex_buffers.insert(first + i);
}

void note_sets(CommandBuffer& buffer, const args_vkCmdBindDescriptorSets& a) {
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i)
    buffer.bound.sets[{a.pipelineBindPoint, a.firstSet + i}] = get<DescriptorSet>(a.pDescriptorSets[i]);
}

void note_pushed(CommandBuffer& buffer, VkPipelineBindPoint point, std::uint32_t set) {
  buffer.bound.sets[{point, set}] = buffer.pushed[{point, set}];
}

// What each draw or dispatch can reach.
void note_reach(CommandBuffer& buffer, VkPipelineBindPoint point) {
  const auto pipeline = buffer.bound_pipelines.find(point);
  if (pipeline == buffer.bound_pipelines.end()) return;
  Reach reach{pipeline->second, {}};
  for (const auto& [place, set] : buffer.bound.sets)
    if (place.first == point && set != nullptr) reach.sets[place.second] = set;
  if (!buffer.reaches.empty() && buffer.reaches.back().pipeline == reach.pipeline &&
      buffer.reaches.back().sets == reach.sets)
    return;
  buffer.reaches.push_back(std::move(reach));
}

void begin_area(Bound& bound, const VkRect2D& area, std::uint32_t layers, std::uint32_t colors, bool secondaries_only) {
  bound.area = area;
  bound.layers = layers;
  bound.colors = colors;
  bound.knows_area = true;
  bound.secondaries_only = secondaries_only;
}

void begin_pass(CommandBuffer& buffer, const VkRenderPassBeginInfo& info, VkSubpassContents contents) {
  const RenderPass::Subpass& first = get<RenderPass>(info.renderPass)->subpasses[0];
  begin_area(buffer.bound, info.renderArea, first.view_mask != 0 ? 1 : get<Framebuffer>(info.framebuffer)->layers,
             static_cast<std::uint32_t>(first.colors.size()),
             contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
}

void next_pass(CommandBuffer& buffer, VkSubpassContents contents) {
  if (buffer.render_pass == nullptr || buffer.subpass >= buffer.render_pass->subpasses.size()) return;
  buffer.bound.colors = static_cast<std::uint32_t>(buffer.render_pass->subpasses[buffer.subpass].colors.size());
  buffer.bound.secondaries_only = contents == VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS;
}

// What the primary had bound is undefined behind its secondaries.
void forget_state(CommandBuffer& buffer) {
  Bound& bound = buffer.bound;
  bound.vertex_buffers.clear();
  bound.feedback_buffers.clear();
  bound.index_buffer = nullptr;
  bound.sets.clear();
  buffer.bound_pipelines.clear();
}

using Needs = std::vector<std::shared_ptr<Object>>;

void add(const std::shared_ptr<Object>& object, Needs& out);

void add(const Binding& binding, Needs& out) {
  if (binding.memory != nullptr) out.push_back(binding.memory);
}

void add(const std::shared_ptr<Object>& object, Needs& out) {
  if (object == nullptr || !is_needed(object->type)) return;
  out.push_back(object);
  switch (object->type) {
    case HandleType::VkBuffer:
      return add(static_cast<const Buffer&>(*object).binding, out);
    case HandleType::VkBufferView:
      return add(static_cast<const BufferView&>(*object).buffer, out);
    case HandleType::VkImage: {
      const auto& image = static_cast<const Image&>(*object);
      if (image.swapchain != 0) return;
      add(image.binding, out);
      for (const Binding& plane : image.plane_bindings) add(plane, out);
      return;
    }
    case HandleType::VkImageView:
      return add(static_cast<const ImageView&>(*object).image, out);
    case HandleType::VkFramebuffer:
      for (const auto& view : static_cast<const Framebuffer&>(*object).views) add(view, out);
      return;
    default:
      return;
  }
}

// Of bindings that may hold anything as long as it is not used, nobody knows what is.
constexpr VkDescriptorBindingFlags kPerhapsUnused =
    VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;

void add(const Reach& reach, Needs& out) {
  if (reach.pipeline->uses == nullptr) return;
  for (const auto& [place, written] : reach.pipeline->uses->resources) {
    const auto found = reach.sets.find(place.first);
    if (found == reach.sets.end()) continue;
    const DescriptorSet& set = *found->second;
    const auto layout = set.layout->slots.find(place.second);
    if (layout == set.layout->slots.end() || (layout->second.flags & kPerhapsUnused) != 0) continue;
    const std::lock_guard lock(set.mutex);
    const auto slot = set.slots.find(place.second);
    if (slot == set.slots.end()) continue;
    for (const Descriptor& d : slot->second.descriptors) {
      if (!d.written) continue;
      add(d.buffer, out);
      add(d.texels, out);
      add(d.view, out);
      if (layout->second.immutable.empty()) add(d.sampler, out);
    }
  }
}

void collect(const CommandBuffer& buffer, Needs& out) {
  for (const auto& object : buffer.uses) add(object, out);
  for (const Reach& reach : buffer.reaches) add(reach, out);
  for (const Executed& executed : buffer.secondaries) collect(*executed.buffer, out);
}

}  // namespace

bool is_needed(HandleType type) {
  switch (type) {
    case HandleType::VkEvent:
    case HandleType::VkQueryPool:
    case HandleType::VkBuffer:
    case HandleType::VkBufferView:
    case HandleType::VkImage:
    case HandleType::VkImageView:
    case HandleType::VkPipeline:
    case HandleType::VkSampler:
    case HandleType::VkSamplerYcbcrConversion:
    case HandleType::VkDescriptorPool:
    case HandleType::VkDescriptorSet:
    case HandleType::VkFramebuffer:
    case HandleType::VkRenderPass:
    case HandleType::VkDeviceMemory:
    case HandleType::VkAccelerationStructureKHR:
      return true;
    default:
      return false;
  }
}

std::vector<std::shared_ptr<Object>> needed_by(const CommandBuffer& buffer) {
  Needs all;
  collect(buffer, all);
  return all;
}

void note_bound(const Call& call) {
  CommandBuffer& buffer = *call.command_buffer;
  Bound& bound = buffer.bound;
  switch (call.canonical) {
    case CommandId::vkCmdBindVertexBuffers: {
      const auto& a = as<args_vkCmdBindVertexBuffers>(call);
      return note_vertices(bound, a.firstBinding, a.bindingCount);
    }
    case CommandId::vkCmdBindVertexBuffers2: {
      const auto& a = as<args_vkCmdBindVertexBuffers2>(call);
      return note_vertices(bound, a.firstBinding, a.bindingCount);
    }
    case CommandId::vkCmdBindIndexBuffer: {
      const auto& a = as<args_vkCmdBindIndexBuffer>(call);
      bound.index_buffer = get<Buffer>(a.buffer);
      bound.index_offset = a.offset;
      bound.index_type = a.indexType;
      return;
    }
    case CommandId::vkCmdBindTransformFeedbackBuffersEXT: {
      const auto& a = as<args_vkCmdBindTransformFeedbackBuffersEXT>(call);
      for (std::uint32_t i = 0; i < a.bindingCount; ++i) bound.feedback_buffers.insert(a.firstBinding + i);
      return;
    }
    case CommandId::vkCmdBeginTransformFeedbackEXT:
      bound.feedback = true;
      return;
    case CommandId::vkCmdEndTransformFeedbackEXT:
      bound.feedback = false;
      return;
    case CommandId::vkCmdBeginConditionalRenderingEXT:
      bound.conditional = true;
      return;
    case CommandId::vkCmdEndConditionalRenderingEXT:
      bound.conditional = false;
      return;
    case CommandId::vkCmdBindDescriptorSets:
      return note_sets(buffer, as<args_vkCmdBindDescriptorSets>(call));
    case CommandId::vkCmdPushDescriptorSetKHR: {
      const auto& a = as<args_vkCmdPushDescriptorSetKHR>(call);
      return note_pushed(buffer, a.pipelineBindPoint, a.set);
    }
    case CommandId::vkCmdPushDescriptorSetWithTemplateKHR: {
      const auto& a = as<args_vkCmdPushDescriptorSetWithTemplateKHR>(call);
      return note_pushed(buffer, get<UpdateTemplate>(a.descriptorUpdateTemplate)->bind_point, a.set);
    }
    case CommandId::vkCmdBeginRenderPass: {
      const auto& a = as<args_vkCmdBeginRenderPass>(call);
      return begin_pass(buffer, *a.pRenderPassBegin, a.contents);
    }
    case CommandId::vkCmdBeginRenderPass2: {
      const auto& a = as<args_vkCmdBeginRenderPass2>(call);
      return begin_pass(buffer, *a.pRenderPassBegin, a.pSubpassBeginInfo->contents);
    }
    case CommandId::vkCmdNextSubpass:
      return next_pass(buffer, as<args_vkCmdNextSubpass>(call).contents);
    case CommandId::vkCmdNextSubpass2:
      return next_pass(buffer, as<args_vkCmdNextSubpass2>(call).pSubpassBeginInfo->contents);
    case CommandId::vkCmdBeginRendering: {
      const VkRenderingInfo& info = *as<args_vkCmdBeginRendering>(call).pRenderingInfo;
      return begin_area(bound, info.renderArea, info.viewMask != 0 ? 1 : info.layerCount, info.colorAttachmentCount,
                        (info.flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT) != 0);
    }
    case CommandId::vkCmdEndRenderPass:
    case CommandId::vkCmdEndRenderPass2:
    case CommandId::vkCmdEndRendering:
#ifdef VK_KHR_maintenance10
    case CommandId::vkCmdEndRendering2KHR:
#endif
      bound.knows_area = bound.secondaries_only = false;
      return;
    case CommandId::vkCmdExecuteCommands:
      return forget_state(buffer);
    case CommandId::vkCmdDispatch:
    case CommandId::vkCmdDispatchBase:
    case CommandId::vkCmdDispatchIndirect:
      return note_reach(buffer, VK_PIPELINE_BIND_POINT_COMPUTE);
    default:
      if (rondo::codec::info(call.canonical).name == nullptr) return;
      if (std::string_view(rondo::codec::info(call.canonical).name).starts_with("vkCmdDraw"))
        note_reach(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS);
  }
}

}  // namespace fake
