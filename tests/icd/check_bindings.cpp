// SPDX-License-Identifier: Apache-2.0
// Buffers that are bound for draws, transform feedback, conditions.
#include "tests/icd/install.h"
#include "tests/icd/ranges.h"

namespace fake {
namespace {

constexpr std::uint32_t kVertexBindings = 32, kFeedbackBuffers = 4, kMaxStride = 2048;

bool has_bindings(std::uint32_t first, std::uint32_t count, std::uint32_t limit) {
  if (count != 0 && first < limit && count <= limit - first) return true;
  violation("names no bindings, or some beyond the limits");
  return false;
}

bool check_vertex_buffer(const Device& device, VkBuffer handle, VkDeviceSize offset) {
  const auto buffer = get<Buffer>(handle);
  if (buffer == nullptr) {
    // Null descriptors are an extension's.
    if (device.has_robustness2() && offset == 0) return true;
    violation("a vertex buffer is null");
    return false;
  }
  return is_usable(*buffer, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, "a vertex buffer") &&
         is_within(*buffer, offset, VK_WHOLE_SIZE, "a vertex buffer's offset");
}

void check_vertices(Call& call, const args_vkCmdBindVertexBuffers& a) {
  if (!has_bindings(a.firstBinding, a.bindingCount, kVertexBindings)) return;
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    if (!check_vertex_buffer(*call.device, a.pBuffers[i], a.pOffsets[i])) return;
}

void check_vertices2(Call& call, const args_vkCmdBindVertexBuffers2& a) {
  if (!has_bindings(a.firstBinding, a.bindingCount, kVertexBindings)) return;
  for (std::uint32_t i = 0; i < a.bindingCount; ++i) {
    if (!check_vertex_buffer(*call.device, a.pBuffers[i], a.pOffsets[i])) return;
    const auto buffer = get<Buffer>(a.pBuffers[i]);
    if (buffer != nullptr && a.pSizes != nullptr && a.pSizes[i] != 0 &&
        !is_within(*buffer, a.pOffsets[i], a.pSizes[i], "a vertex buffer's size"))
      return;
    if (a.pStrides != nullptr && a.pStrides[i] > kMaxStride)
      return violation("a vertex buffer's stride is beyond the limits");
  }
}

void check_indices(Call&, const args_vkCmdBindIndexBuffer& a) {
  const auto buffer = get<Buffer>(a.buffer);
  if (!is_usable(*buffer, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "buffer") ||
      !is_within(*buffer, a.offset, VK_WHOLE_SIZE, "offset"))
    return;
  const VkDeviceSize bytes = a.indexType == VK_INDEX_TYPE_UINT8_EXT ? 1 : a.indexType == VK_INDEX_TYPE_UINT16 ? 2 : 4;
  is_multiple(a.offset, bytes, "offset");
  if (a.indexType == VK_INDEX_TYPE_NONE_KHR) violation("indexType is none");
}

void check_feedback_buffers(Call& call, const args_vkCmdBindTransformFeedbackBuffersEXT& a) {
  if (!has_bindings(a.firstBinding, a.bindingCount, kFeedbackBuffers)) return;
  if (call.command_buffer->bound.feedback) return violation("transform feedback is active");
  for (std::uint32_t i = 0; i < a.bindingCount; ++i) {
    const auto buffer = get<Buffer>(a.pBuffers[i]);
    const VkDeviceSize size = a.pSizes == nullptr ? VK_WHOLE_SIZE : a.pSizes[i];
    if (!is_usable(*buffer, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT, "a feedback buffer") ||
        !is_within(*buffer, a.pOffsets[i], size, "a feedback buffer's range") ||
        !is_multiple(a.pOffsets[i], 4, "a feedback buffer's offset"))
      return;
  }
}

template <class A>
void check_counters(const A& a) {
  if (a.counterBufferCount == 0) return;
  if (!has_bindings(a.firstCounterBuffer, a.counterBufferCount, kFeedbackBuffers)) return;
  for (std::uint32_t i = 0; a.pCounterBuffers != nullptr && i < a.counterBufferCount; ++i) {
    const auto buffer = get<Buffer>(a.pCounterBuffers[i]);
    if (buffer == nullptr) continue;
    const VkDeviceSize offset = a.pCounterBufferOffsets == nullptr ? 0 : a.pCounterBufferOffsets[i];
    if (!is_usable(*buffer, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT, "a counter buffer") ||
        !is_within(*buffer, offset, 4, "a counter") || !is_multiple(offset, 4, "a counter's offset"))
      return;
  }
}

void check_begin_feedback(Call& call, const args_vkCmdBeginTransformFeedbackEXT& a) {
  const CommandBuffer& buffer = *call.command_buffer;
  if (buffer.bound.feedback) return violation("transform feedback is active already");
  if (buffer.bound_pipelines.count(VK_PIPELINE_BIND_POINT_GRAPHICS) == 0) return violation("no pipeline is bound");
  check_counters(a);
}

void check_end_feedback(Call& call, const args_vkCmdEndTransformFeedbackEXT& a) {
  if (!call.command_buffer->bound.feedback) return violation("transform feedback is not active");
  check_counters(a);
}

void check_begin_condition(Call& call, const args_vkCmdBeginConditionalRenderingEXT& a) {
  const VkConditionalRenderingBeginInfoEXT& info = *a.pConditionalRenderingBegin;
  const auto buffer = get<Buffer>(info.buffer);
  if (call.command_buffer->bound.conditional) return violation("conditional rendering is active already");
  if (is_usable(*buffer, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT, "buffer") &&
      is_within(*buffer, info.offset, 4, "the condition"))
    is_multiple(info.offset, 4, "offset");
}

void check_end_condition(Call& call, const args_vkCmdEndConditionalRenderingEXT&) {
  if (!call.command_buffer->bound.conditional) violation("conditional rendering is not active");
}

}  // namespace

void install_binding_checks(Table& table) {
  table.check<check_vertices>(CommandId::vkCmdBindVertexBuffers);
  table.check<check_vertices2>(CommandId::vkCmdBindVertexBuffers2);
  table.check<check_indices>(CommandId::vkCmdBindIndexBuffer);
  table.check<check_feedback_buffers>(CommandId::vkCmdBindTransformFeedbackBuffersEXT);
  table.check<check_begin_feedback>(CommandId::vkCmdBeginTransformFeedbackEXT);
  table.check<check_end_feedback>(CommandId::vkCmdEndTransformFeedbackEXT);
  table.check<check_begin_condition>(CommandId::vkCmdBeginConditionalRenderingEXT);
  table.check<check_end_condition>(CommandId::vkCmdEndConditionalRenderingEXT);
}

}  // namespace fake
