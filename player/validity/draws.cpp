// SPDX-License-Identifier: Apache-2.0
// Draws and dispatches: in a pass or outside, with a pipeline, and with buffers
// that hold what they read.
#include <algorithm>

#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

CommandBuffer* commands_of(Validity& v, const Call& c) { return v.command_buffers.find(c.dispatch()); }

Wrong draw(Validity& v, const Call& c) {
  const CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  if (commands->pass == CommandBuffer::Pass::none) return "outside of a render pass";
  return commands->graphics ? Wrong() : "no graphics pipeline is bound";
}

Wrong draw_indexed(Validity& v, const Call& c) {
  if (Wrong w = draw(v, c); !w.empty()) return w;
  const CommandBuffer* commands = commands_of(v, c);
  return commands != nullptr && commands->index_bytes == 0 ? "no index buffer is bound" : Wrong();
}

Wrong draw_indices(Validity& v, const Call& c) {
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  const auto& a = c.as<args_vkCmdDrawIndexed>();
  const CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr || a.indexCount == 0 || a.instanceCount == 0) return {};
  // Indices behind the end are then none, or zero.
  if (v.enabled(c.dispatch(), &VkPhysicalDeviceFeatures::robustBufferAccess)) return {};
  return check_bytes(v, "the index buffer", commands->index_buffer,
                     commands->index_offset + std::uint64_t{a.firstIndex} * commands->index_bytes,
                     std::uint64_t{a.indexCount} * commands->index_bytes);
}

Wrong dispatch(Validity& v, const Call& c) {
  const CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  if (commands->pass != CommandBuffer::Pass::none) return "within a render pass";
  return commands->compute ? Wrong() : "no compute pipeline is bound";
}

Wrong dispatch_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDispatchIndirect>();
  if (Wrong w = dispatch(v, c); !w.empty()) return w;
  return check_bytes(v, "buffer", c.id(&a.buffer), a.offset, sizeof(VkDispatchIndirectCommand));
}

Wrong check_indirect(Validity& v, ObjectId buffer, VkDeviceSize offset, std::uint32_t count,
                     std::uint32_t stride, std::size_t size) {
  if (count == 0) return {};
  return check_bytes(v, "buffer", buffer, offset, (count - std::uint64_t{1}) * stride + size);
}

Wrong draw_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirect>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  return check_indirect(v, c.id(&a.buffer), a.offset, a.drawCount, a.stride, sizeof(VkDrawIndirectCommand));
}

Wrong draw_indexed_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexedIndirect>();
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  return check_indirect(v, c.id(&a.buffer), a.offset, a.drawCount, a.stride,
                        sizeof(VkDrawIndexedIndirectCommand));
}

// maxDrawCount may be more than there is, where the count is less: it is what
// there is room for.
Wrong check_counted(Validity& v, const Call& c, ObjectId id, VkDeviceSize offset, const std::uint32_t& most,
                    std::uint32_t stride, std::size_t size) {
  if (stride % 4 != 0 || stride < size) return "stride is no multiple of 4, or less than the parameters";
  std::uint32_t count = most;
  const Buffer* buffer = v.buffers.find(id);
  if (buffer != nullptr && stride != 0 && within(offset, size, buffer->bytes))
    count = static_cast<std::uint32_t>(
        std::min<VkDeviceSize>(count, (buffer->bytes - offset - size) / stride + 1));
  if (count != most) v.change(c, most, count);
  return check_indirect(v, id, offset, count, stride, size);
}

Wrong draw_indirect_count(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirectCount>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  if (Wrong w = check_bytes(v, "countBuffer", c.id(&a.countBuffer), a.countBufferOffset, 4); !w.empty())
    return w;
  return check_counted(v, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride,
                       sizeof(VkDrawIndirectCommand));
}

Wrong draw_indexed_indirect_count(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexedIndirectCount>();
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  if (Wrong w = check_bytes(v, "countBuffer", c.id(&a.countBuffer), a.countBufferOffset, 4); !w.empty())
    return w;
  return check_counted(v, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride,
                       sizeof(VkDrawIndexedIndirectCommand));
}

Wrong bind_indices(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindIndexBuffer>();
  const ObjectId id = c.id(&a.buffer);
  if (Wrong w = check_bytes(v, "buffer", id, a.offset, VK_WHOLE_SIZE); !w.empty()) return w;
  if (a.indexType == VK_INDEX_TYPE_NONE_KHR) return "indexType is none";
  CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  commands->index_buffer = id;
  commands->index_offset = a.offset;
  commands->index_bytes = a.indexType == VK_INDEX_TYPE_UINT32      ? 4
                          : a.indexType == VK_INDEX_TYPE_UINT8_EXT ? 1
                                                                   : 2;
  return {};
}

bool may_bind_null(const Validity& v, ObjectId commands) {
  const std::uint32_t place = v.plan().place_of(v.plan().objects.objects()[commands].device);
  if (place >= v.plan().devices.size()) return false;
  for (const FeatureUse& use : v.plan().devices[place].features)
    if (use.structure == StructId::VkPhysicalDeviceRobustness2FeaturesEXT &&
        use.bytes.size() >= sizeof(VkPhysicalDeviceRobustness2FeaturesEXT) &&
        reinterpret_cast<const VkPhysicalDeviceRobustness2FeaturesEXT*>(use.bytes.data())->nullDescriptor !=
            VK_FALSE)
      return true;
  return false;
}

Wrong check_vertices(Validity& v, const Call& c, std::uint32_t count, const VkBuffer* buffers,
                     const VkDeviceSize* offsets, const VkDeviceSize* sizes) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId id = c.id(&buffers[i]);
    if (id == 0 && !may_bind_null(v, c.dispatch())) return "buffer " + std::to_string(i) + " is null";
    if (Wrong w = check_bytes(v, "pBuffers", id, offsets[i], sizes != nullptr ? sizes[i] : VK_WHOLE_SIZE);
        !w.empty())
      return w;
  }
  return {};
}

Wrong bind_vertices(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers>();
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, nullptr);
}

Wrong bind_vertices_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers2>();
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, a.pSizes);
}

Wrong bind_feedback(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindTransformFeedbackBuffersEXT>();
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, a.pSizes);
}

Wrong begin_conditional(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdBeginConditionalRenderingEXT>().pConditionalRenderingBegin;
  return check_bytes(v, "buffer", c.id(&info.buffer), info.offset, 4);
}

}  // namespace

void add_draw_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdDraw, draw);
  add(CommandId::vkCmdDrawMultiEXT, draw);
  add(CommandId::vkCmdDrawIndirectByteCountEXT, draw);
  add(CommandId::vkCmdDrawIndexed, draw_indices);
  add(CommandId::vkCmdDrawMultiIndexedEXT, draw_indexed);
  add(CommandId::vkCmdDrawIndirect, draw_indirect);
  add(CommandId::vkCmdDrawIndexedIndirect, draw_indexed_indirect);
  add(CommandId::vkCmdDrawIndirectCount, draw_indirect_count);
  add(CommandId::vkCmdDrawIndexedIndirectCount, draw_indexed_indirect_count);
  add(CommandId::vkCmdDispatch, dispatch);
  add(CommandId::vkCmdDispatchBase, dispatch);
  add(CommandId::vkCmdDispatchIndirect, dispatch_indirect);
  add(CommandId::vkCmdBindIndexBuffer, bind_indices);
  add(CommandId::vkCmdBindVertexBuffers, bind_vertices);
  add(CommandId::vkCmdBindVertexBuffers2, bind_vertices_2);
  add(CommandId::vkCmdBindTransformFeedbackBuffersEXT, bind_feedback);
  add(CommandId::vkCmdBeginConditionalRenderingEXT, begin_conditional);
}

}  // namespace rondo::player::validity
