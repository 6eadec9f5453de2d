// SPDX-License-Identifier: Apache-2.0
// Draws and dispatches: in a pass or outside, with a pipeline, and with buffers
// that hold what they read.
#include <algorithm>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

CommandBuffer* commands_of(Validity& v, const Call& c) { return v.command_buffers.find(c.dispatch()); }

Wrong draw(Validity& v, const Call& c) {
  CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  if (!commands->graphics) return "no graphics pipeline is bound";
  if (Wrong w = check_bound_shaders(*commands, c.command.canonical); !w.empty()) return w;
  note_reach(v, *commands, VK_PIPELINE_BIND_POINT_GRAPHICS);
  return {};
}

Wrong draw_indexed(Validity& v, const Call& c) {
  if (Wrong w = draw(v, c); !w.empty()) return w;
  const CommandBuffer* commands = commands_of(v, c);
  // Null may be bound, too, where something allows that: then the size of an index is known.
  return commands != nullptr && commands->index_bytes == 0 ? "no index buffer is bound" : Wrong();
}

Wrong draw_indices(Validity& v, const Call& c) {
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  const auto& a = c.as<args_vkCmdDrawIndexed>();
  const CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  // Indices behind the end are then none, or zero.
  if (v.enabled(c.dispatch(), &VkPhysicalDeviceFeatures::robustBufferAccess)) return {};
  if (a.indexCount == 0) {  // wherever none are
    v.change(c, a.firstIndex, 0);
    return {};
  }
  const std::uint64_t from = std::uint64_t{a.firstIndex} * commands->index_bytes;
  const std::uint64_t bytes = std::uint64_t{a.indexCount} * commands->index_bytes;
  if (commands->index_size != VK_WHOLE_SIZE && !within(from, bytes, commands->index_size))
    return "draws " + span_text(from, bytes) + " of indices, and " + std::to_string(commands->index_size) +
           " bytes are bound";
  return check_bytes(v, "the index buffer", commands->index_buffer, commands->index_offset + from, bytes);
}

Wrong draw_many(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawMultiEXT>();
  if (a.drawCount > 1 && a.stride % 4 != 0) return "stride is no multiple of 4";
  return draw(v, c);
}
Wrong draw_many_indexed(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawMultiIndexedEXT>();
  if (a.drawCount > 1 && a.stride % 4 != 0) return "stride is no multiple of 4";
  return draw_indexed(v, c);
}

constexpr VkBufferUsageFlags kParameters = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

// Vertices that transform feedback wrote, counted by the bytes that they take.
Wrong draw_counted_bytes(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirectByteCountEXT>();
  if (a.vertexStride == 0) return "vertexStride is 0";
  if (a.counterBufferOffset % 4 != 0) return "counterBufferOffset is no multiple of 4";
  v.needs_usage(c.id(&a.counterBuffer), kParameters);
  if (Wrong w = check_bytes(v, "counterBuffer", c.id(&a.counterBuffer), a.counterBufferOffset, 4); !w.empty()) return w;
  return draw(v, c);
}

Wrong dispatch(Validity& v, const Call& c) {
  CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr) return {};
  if (!commands->compute) return "no compute pipeline is bound";
  note_reach(v, *commands, VK_PIPELINE_BIND_POINT_COMPUTE);
  return {};
}

Wrong dispatch_base(Validity& v, const Call& c) {
  if (Wrong w = dispatch(v, c); !w.empty()) return w;
  const auto& a = c.as<args_vkCmdDispatchBase>();
  const CommandBuffer* commands = commands_of(v, c);
  if (commands == nullptr || (a.baseGroupX == 0 && a.baseGroupY == 0 && a.baseGroupZ == 0)) return {};
  const auto bound = commands->bound_shaders.find(VK_SHADER_STAGE_COMPUTE_BIT);
  const ObjectId id = bound != commands->bound_shaders.end() ? bound->second : commands->bound_compute;
  const Pipeline* pipeline = v.pipelines.find(id);
  const Shader* shader = v.shaders.find(id);
  const bool any = pipeline != nullptr ? pipeline->any_base : shader == nullptr || shader->any_base;
  return any ? Wrong() : v.name(id) + " was not made for other base groups than 0";
}

Wrong check_parameters(Validity& v, ObjectId buffer, VkDeviceSize offset, VkDeviceSize bytes) {
  if (offset % 4 != 0) return "offset is no multiple of 4";
  v.needs_usage(buffer, kParameters);
  return check_bytes(v, "buffer", buffer, offset, bytes);
}

Wrong dispatch_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDispatchIndirect>();
  if (Wrong w = dispatch(v, c); !w.empty()) return w;
  return check_parameters(v, c.id(&a.buffer), a.offset, sizeof(VkDispatchIndirectCommand));
}

Wrong check_indirect(Validity& v, ObjectId buffer, VkDeviceSize offset, std::uint32_t count, std::uint32_t stride,
                     std::size_t size) {
  if (count > 1 && (stride % 4 != 0 || stride < size)) return "stride is no multiple of 4, or less than the parameters";
  return check_parameters(v, buffer, offset, count == 0 ? 0 : (count - std::uint64_t{1}) * stride + size);
}

Wrong check_count(Validity& v, ObjectId buffer, VkDeviceSize offset) {
  if (offset % 4 != 0) return "countBufferOffset is no multiple of 4";
  v.needs_usage(buffer, kParameters);
  return check_bytes(v, "countBuffer", buffer, offset, 4);
}

Wrong draw_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirect>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  return check_indirect(v, c.id(&a.buffer), a.offset, a.drawCount, a.stride, sizeof(VkDrawIndirectCommand));
}

Wrong draw_indexed_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexedIndirect>();
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  return check_indirect(v, c.id(&a.buffer), a.offset, a.drawCount, a.stride, sizeof(VkDrawIndexedIndirectCommand));
}

// maxDrawCount may be more than there is, where the count is less: it is what
// there is room for.
Wrong check_counted(Validity& v, const Call& c, ObjectId id, VkDeviceSize offset, const std::uint32_t& most,
                    std::uint32_t stride, std::size_t size) {
  if (stride % 4 != 0 || stride < size) return "stride is no multiple of 4, or less than the parameters";
  std::uint32_t count = most;
  const Buffer* buffer = v.buffers.find(id);
  if (buffer != nullptr && stride != 0 && within(offset, size, buffer->bytes))
    count = static_cast<std::uint32_t>(std::min<VkDeviceSize>(count, (buffer->bytes - offset - size) / stride + 1));
  if (count != most) v.change(c, most, count);
  return check_indirect(v, id, offset, count, stride, size);
}

Wrong draw_indirect_count(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirectCount>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  if (Wrong w = check_count(v, c.id(&a.countBuffer), a.countBufferOffset); !w.empty()) return w;
  return check_counted(v, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride, sizeof(VkDrawIndirectCommand));
}

Wrong draw_indexed_indirect_count(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexedIndirectCount>();
  if (Wrong w = draw_indexed(v, c); !w.empty()) return w;
  if (Wrong w = check_count(v, c.id(&a.countBuffer), a.countBufferOffset); !w.empty()) return w;
  return check_counted(v, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride, sizeof(VkDrawIndexedIndirectCommand));
}

Wrong draw_mesh_indirect(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawMeshTasksIndirectEXT>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  return check_indirect(v, c.id(&a.buffer), a.offset, a.drawCount, a.stride, sizeof(VkDrawMeshTasksIndirectCommandEXT));
}
Wrong draw_mesh_indirect_count(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawMeshTasksIndirectCountEXT>();
  if (Wrong w = draw(v, c); !w.empty()) return w;
  if (Wrong w = check_count(v, c.id(&a.countBuffer), a.countBufferOffset); !w.empty()) return w;
  return check_counted(v, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride,
                       sizeof(VkDrawMeshTasksIndirectCommandEXT));
}

// `size`: of bytes that are indices; VK_WHOLE_SIZE: all to the buffer's end.
template <class Args>
Wrong bind_indices(Validity& v, const Call& c, const Args& a, VkDeviceSize size) {
  const ObjectId id = c.id(&a.buffer);
  CommandBuffer* commands = commands_of(v, c);
  const bool may_be_null =
      v.allows(c.dispatch(), Relaxation::null_descriptors) || v.allows(c.dispatch(), Relaxation::maintenance6);
  if (id == ObjectId::null && !may_be_null) {  // programs that draw without indices bind it all the same
    if (commands != nullptr) commands->index_bytes = 0;
    v.skip();
    return {};
  }
  if (Wrong w = check_bytes(v, "buffer", id, a.offset, size); !w.empty()) return w;
  if (a.indexType == VK_INDEX_TYPE_NONE_KHR) return "indexType is none";
  const std::uint32_t bytes = a.indexType == VK_INDEX_TYPE_UINT32 ? 4 : a.indexType == VK_INDEX_TYPE_UINT8_EXT ? 1 : 2;
  if (a.offset % bytes != 0) return "offset is no multiple of an index's size";
  v.needs_usage(id, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  if (commands == nullptr) return {};
  commands->index_buffer = id;
  commands->index_offset = a.offset;
  commands->index_bytes = bytes;
  commands->index_size = size;
  return {};
}

Wrong bind_index_buffer(Validity& v, const Call& c) {
  return bind_indices(v, c, c.as<args_vkCmdBindIndexBuffer>(), VK_WHOLE_SIZE);
}

#ifdef VK_KHR_maintenance5
Wrong bind_index_buffer_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindIndexBuffer2>();
  return bind_indices(v, c, a, a.size);
}
#endif

Wrong check_vertices(Validity& v, const Call& c, std::uint32_t count, const VkBuffer* buffers,
                     const VkDeviceSize* offsets, const VkDeviceSize* sizes, VkBufferUsageFlags usage) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const ObjectId id = c.id(&buffers[i]);
    if (id == ObjectId::null && !v.allows(c.dispatch(), Relaxation::null_descriptors))
      return "buffer " + std::to_string(i) + " is null";
    if (id == ObjectId::null && offsets[i] != 0) {
      if (!c.view.holds(&offsets[i])) return "the offset of null buffer " + std::to_string(i) + " is not 0";
      v.change(c, offsets[i], 0);
    }
    v.needs_usage(id, usage);
    if (Wrong w = check_bytes(v, "pBuffers", id, offsets[i], sizes != nullptr ? sizes[i] : VK_WHOLE_SIZE); !w.empty())
      return w;
  }
  return {};
}

Wrong bind_vertices(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers>();
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, nullptr, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
}

Wrong bind_vertices_2(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers2>();
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, a.pSizes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
}

Wrong bind_feedback(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindTransformFeedbackBuffersEXT>();
  const CommandBuffer* commands = commands_of(v, c);
  if (commands != nullptr && commands->feedback) return "transform feedback is begun";
  constexpr std::uint32_t kMost = 4;  // drivers keep so many
  if (!within(a.firstBinding, a.bindingCount, kMost)) return "has more than " + std::to_string(kMost) + " buffers";
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    if (a.pOffsets[i] % 4 != 0 || c.id(&a.pBuffers[i]) == ObjectId::null)
      return "buffer " + std::to_string(i) + " is null, or its offset no multiple of 4";
  return check_vertices(v, c, a.bindingCount, a.pBuffers, a.pOffsets, a.pSizes,
                        VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
}

}  // namespace

void add_draw_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdDraw, draw);
  add(CommandId::vkCmdDrawMultiEXT, draw_many);
  add(CommandId::vkCmdDrawIndirectByteCountEXT, draw_counted_bytes);
  add(CommandId::vkCmdDrawMeshTasksEXT, draw);
  add(CommandId::vkCmdDrawMeshTasksIndirectEXT, draw_mesh_indirect);
  add(CommandId::vkCmdDrawMeshTasksIndirectCountEXT, draw_mesh_indirect_count);
  add(CommandId::vkCmdDrawIndexed, draw_indices);
  add(CommandId::vkCmdDrawMultiIndexedEXT, draw_many_indexed);
  add(CommandId::vkCmdDrawIndirect, draw_indirect);
  add(CommandId::vkCmdDrawIndexedIndirect, draw_indexed_indirect);
  add(CommandId::vkCmdDrawIndirectCount, draw_indirect_count);
  add(CommandId::vkCmdDrawIndexedIndirectCount, draw_indexed_indirect_count);
  add(CommandId::vkCmdDispatch, dispatch);
  add(CommandId::vkCmdDispatchBase, dispatch_base);
  add(CommandId::vkCmdDispatchIndirect, dispatch_indirect);
  add(CommandId::vkCmdBindIndexBuffer, bind_index_buffer);
#ifdef VK_KHR_maintenance5
  add(CommandId::vkCmdBindIndexBuffer2, bind_index_buffer_2);
#endif
  add(CommandId::vkCmdBindVertexBuffers, bind_vertices);
  add(CommandId::vkCmdBindVertexBuffers2, bind_vertices_2);
  add(CommandId::vkCmdBindTransformFeedbackBuffersEXT, bind_feedback);
}

}  // namespace rondo::player::validity
