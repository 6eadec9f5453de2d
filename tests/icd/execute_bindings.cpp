// SPDX-License-Identifier: Apache-2.0
// What commands bind for the draws and dispatches behind them.
#include <cstring>

#include "tests/icd/access.h"
#include "tests/icd/execute.h"

using namespace rondo;  // args_vk…

namespace fake {
namespace {

void bind_pipeline(Execution& execution, const args_vkCmdBindPipeline& a) {
  execution.bind_point(a.pipelineBindPoint).pipeline = get<Pipeline>(a.pipeline);
}

std::uint32_t dynamic_descriptors(const DescriptorSet& set) {
  std::uint32_t count = 0;
  if (set.layout == nullptr) return 0;
  for (const auto& [binding, slot] : set.layout->slots)
    if (slot.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
        slot.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
      count += slot.count;
  return count;
}

void bind_sets(Execution& execution, const args_vkCmdBindDescriptorSets& a) {
  BindPoint& point = execution.bind_point(a.pipelineBindPoint);
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    BoundSet bound;
    bound.set = get<DescriptorSet>(a.pDescriptorSets[i]);
    if (bound.set != nullptr)
      for (std::uint32_t n = dynamic_descriptors(*bound.set); n != 0 && offset < a.dynamicOffsetCount; --n)
        bound.dynamic_offsets.push_back(a.pDynamicOffsets[offset++]);
    point.sets[a.firstSet + i] = std::move(bound);
  }
}

void bind_vertices(Execution& execution, const args_vkCmdBindVertexBuffers& a) {
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    execution.state().vertex_buffers[a.firstBinding + i] = {get<Buffer>(a.pBuffers[i]), a.pOffsets[i]};
}

void bind_vertices2(Execution& execution, const args_vkCmdBindVertexBuffers2& a) {
  for (std::uint32_t i = 0; i < a.bindingCount; ++i) {
    BoundBuffer bound{get<Buffer>(a.pBuffers[i]), a.pOffsets[i]};
    if (a.pSizes != nullptr) bound.size = a.pSizes[i];
    if (a.pStrides != nullptr) bound.stride = a.pStrides[i];
    execution.state().vertex_buffers[a.firstBinding + i] = std::move(bound);
  }
}

void set_vertex_input(Execution& execution, const args_vkCmdSetVertexInputEXT& a) {
  CommandState& state = execution.state();
  state.vertex_bindings.assign(a.pVertexBindingDescriptions,
                               a.pVertexBindingDescriptions + a.vertexBindingDescriptionCount);
  state.vertex_attributes.assign(a.pVertexAttributeDescriptions,
                                 a.pVertexAttributeDescriptions + a.vertexAttributeDescriptionCount);
}

void bind_indices(Execution& execution, const args_vkCmdBindIndexBuffer& a) {
  execution.state().index_buffer = {get<Buffer>(a.buffer), a.offset};
  execution.state().index_type = a.indexType;
}

void bind_feedback(Execution& execution, const args_vkCmdBindTransformFeedbackBuffersEXT& a) {
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    execution.state().feedback_buffers[a.firstBinding + i] = {get<Buffer>(a.pBuffers[i]), a.pOffsets[i],
                                                              a.pSizes == nullptr ? VK_WHOLE_SIZE : a.pSizes[i]};
}

void begin_feedback(Execution& execution, const args_vkCmdBeginTransformFeedbackEXT& a) {
  CommandState& state = execution.state();
  state.feedback = true;
  state.feedback_bytes.clear();
  for (std::uint32_t i = 0; i < a.counterBufferCount && a.pCounterBuffers != nullptr; ++i) {
    const auto counter = get<Buffer>(a.pCounterBuffers[i]);
    if (counter == nullptr) continue;
    std::uint32_t bytes = 0;
    const auto at =
        bytes_of(*counter, a.pCounterBufferOffsets == nullptr ? 0 : a.pCounterBufferOffsets[i], sizeof bytes);
    if (at.empty()) continue;
    std::memcpy(&bytes, at.data(), sizeof bytes);
    state.feedback_bytes[a.firstCounterBuffer + i] = bytes;
  }
}

void end_feedback(Execution& execution, const args_vkCmdEndTransformFeedbackEXT& a) {
  CommandState& state = execution.state();
  state.feedback = false;
  for (std::uint32_t i = 0; i < a.counterBufferCount && a.pCounterBuffers != nullptr; ++i) {
    const auto counter = get<Buffer>(a.pCounterBuffers[i]);
    if (counter == nullptr) continue;
    const auto bytes = static_cast<std::uint32_t>(state.feedback_bytes[a.firstCounterBuffer + i]);
    const auto at =
        bytes_of(*counter, a.pCounterBufferOffsets == nullptr ? 0 : a.pCounterBufferOffsets[i], sizeof bytes);
    if (!at.empty()) std::memcpy(at.data(), &bytes, sizeof bytes);
  }
}

void begin_condition(Execution& execution, const args_vkCmdBeginConditionalRenderingEXT& a) {
  const VkConditionalRenderingBeginInfoEXT& info = *a.pConditionalRenderingBegin;
  const auto buffer = get<Buffer>(info.buffer);
  if (buffer == nullptr) return;
  std::uint32_t value = 0;
  const auto at = bytes_of(*buffer, info.offset, sizeof value);
  if (at.empty()) return;
  std::memcpy(&value, at.data(), sizeof value);
  const bool inverted = (info.flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT) != 0;
  execution.state().predicate = (value != 0) != inverted;
  execution.state().chain.value(execution.state().predicate);
}

void end_condition(Execution& execution, const args_vkCmdEndConditionalRenderingEXT&) {
  execution.state().predicate = true;
}

}  // namespace

void install_bindings(Table& table) {
  execute<bind_pipeline>(table, CommandId::vkCmdBindPipeline);
  execute<bind_sets>(table, CommandId::vkCmdBindDescriptorSets);
  execute<bind_vertices>(table, CommandId::vkCmdBindVertexBuffers);
  execute<bind_vertices2>(table, CommandId::vkCmdBindVertexBuffers2);
  execute<set_vertex_input>(table, CommandId::vkCmdSetVertexInputEXT);
  execute<bind_indices>(table, CommandId::vkCmdBindIndexBuffer);
  execute<bind_feedback>(table, CommandId::vkCmdBindTransformFeedbackBuffersEXT);
  execute<begin_feedback>(table, CommandId::vkCmdBeginTransformFeedbackEXT);
  execute<end_feedback>(table, CommandId::vkCmdEndTransformFeedbackEXT);
  execute<begin_condition>(table, CommandId::vkCmdBeginConditionalRenderingEXT);
  execute<end_condition>(table, CommandId::vkCmdEndConditionalRenderingEXT);
}

}  // namespace fake
