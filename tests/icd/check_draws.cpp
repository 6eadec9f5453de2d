// SPDX-License-Identifier: Apache-2.0
// What draws and dispatches need: bound state, and parameters in buffers.
#include <algorithm>

#include "tests/icd/install.h"
#include "tests/icd/pipeline_uses.h"
#include "tests/icd/ranges.h"

namespace fake {
namespace {

bool leaves_open(const Pipeline& pipeline, VkDynamicState state) {
  return std::find(pipeline.dynamic.begin(), pipeline.dynamic.end(), state) != pipeline.dynamic.end();
}

template <VkPipelineBindPoint point>
void check_bound(Call& call) {
  const CommandBuffer& buffer = *call.command_buffer;
  const auto found = buffer.bound_pipelines.find(point);
  if (found == buffer.bound_pipelines.end()) return violation("no pipeline is bound");
  const Pipeline& pipeline = *found->second;
  if (pipeline.uses == nullptr) return;
  for (const auto& [place, written] : pipeline.uses->resources) {
    const auto set = buffer.bound.sets.find({point, place.first});
    if (set == buffer.bound.sets.end() || set->second == nullptr)
      return harmless("the pipeline's shaders declare set " + std::to_string(place.first) + ", and none is bound");
  }
  if (point != VK_PIPELINE_BIND_POINT_GRAPHICS || leaves_open(pipeline, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT)) return;
  for (const auto& binding : pipeline.uses->vertex_bindings) {
    const bool fetched = std::any_of(pipeline.uses->vertex_attributes.begin(), pipeline.uses->vertex_attributes.end(),
                                     [&](const auto& a) { return a.binding == binding.binding; });
    if (fetched && buffer.bound.vertex_buffers.count(binding.binding) == 0)
      return harmless("no vertex buffer is bound to binding " + std::to_string(binding.binding));
  }
}

bool has_indices(const Call& call) {
  if (call.command_buffer->bound.index_buffer != nullptr) return true;
  violation("no index buffer is bound");
  return false;
}

void check_indexed(Call& call, const args_vkCmdDrawIndexed& a) {
  if (!has_indices(call)) return;
  const Bound& bound = call.command_buffer->bound;
  const VkDeviceSize bytes = bound.index_type == VK_INDEX_TYPE_UINT8_EXT ? 1
                             : bound.index_type == VK_INDEX_TYPE_UINT16  ? 2
                                                                         : 4;
  if (call.device->has_robustness2()) return;
  if (call.device->features.robustBufferAccess != VK_FALSE && !settings().sloppy) return;
  is_within(*bound.index_buffer, bound.index_offset, std::uint64_t{a.firstIndex} + a.indexCount, bytes, bytes,
            "the range of indices");
}

void check_multi_indexed(Call& call, const args_vkCmdDrawMultiIndexedEXT& a) {
  if (!has_indices(call) || !is_multiple(a.stride, 4, "stride")) return;
  if (a.drawCount > 2048) harmless("drawCount is beyond maxMultiDrawCount");  // one after the other
}

void check_multi(Call&, const args_vkCmdDrawMultiEXT& a) {
  if (!is_multiple(a.stride, 4, "stride")) return;
  if (a.drawCount > 2048) harmless("drawCount is beyond maxMultiDrawCount");
}

// --- parameters in buffers ------------------------------------------------------

bool check_parameters(VkBuffer handle, VkDeviceSize offset, std::uint64_t count, std::uint32_t stride,
                      std::uint32_t size) {
  const auto buffer = get<Buffer>(handle);
  if (!is_usable(*buffer, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "buffer") || !is_multiple(offset, 4, "offset"))
    return false;
  if (count > 1 && (stride % 4 != 0 || stride < size)) {
    violation("stride is no multiple of 4, or less than the parameters");
    return false;
  }
  return is_within(*buffer, offset, count, stride, size, "the range of parameters");
}

template <class Parameters, class A>
void check_indirect(Call& call, const A& a) {
  if (a.drawCount > 1 && call.device->features.multiDrawIndirect == VK_FALSE)
    return harmless("drawCount is more than 1, and multiDrawIndirect is not enabled");
  check_parameters(a.buffer, a.offset, a.drawCount, a.stride, sizeof(Parameters));
}

template <class Parameters, class A>
void check_counted(Call&, const A& a) {
  if (a.stride % 4 != 0 || a.stride < sizeof(Parameters))
    return violation("stride is no multiple of 4, or less than the parameters");
  if (!check_parameters(a.buffer, a.offset, a.maxDrawCount, a.stride, sizeof(Parameters))) return;
  const auto counts = get<Buffer>(a.countBuffer);
  if (is_usable(*counts, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "countBuffer") &&
      is_multiple(a.countBufferOffset, 4, "countBufferOffset"))
    is_within(*counts, a.countBufferOffset, 4, "the count");
}

void check_needs_indices(Call& call) { has_indices(call); }

void check_byte_count(Call&, const args_vkCmdDrawIndirectByteCountEXT& a) {
  const auto counter = get<Buffer>(a.counterBuffer);
  if (a.vertexStride == 0) return violation("vertexStride is 0");
  if (a.vertexStride > 512) return harmless("vertexStride is beyond the limits");  // a divisor
  if (is_usable(*counter, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, "counterBuffer") &&
      is_multiple(a.counterBufferOffset, 4, "counterBufferOffset"))
    is_within(*counter, a.counterBufferOffset, 4, "the counter");
}

bool check_groups(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  constexpr std::uint64_t kMost = 65535;
  if (x <= kMost && y <= kMost && z <= kMost) return true;
  harmless("there are more groups than maxComputeWorkGroupCount");
  return false;
}

void check_dispatch(Call&, const args_vkCmdDispatch& a) { check_groups(a.groupCountX, a.groupCountY, a.groupCountZ); }
void check_dispatch_base(Call& call, const args_vkCmdDispatchBase& a) {
  if (!check_groups(std::uint64_t{a.baseGroupX} + a.groupCountX, std::uint64_t{a.baseGroupY} + a.groupCountY,
                    std::uint64_t{a.baseGroupZ} + a.groupCountZ))
    return;
  const bool moved = a.baseGroupX != 0 || a.baseGroupY != 0 || a.baseGroupZ != 0;
  const auto& pipeline = call.command_buffer->bound_pipelines.at(VK_PIPELINE_BIND_POINT_COMPUTE);
  if (moved && (pipeline->flags & VK_PIPELINE_CREATE_DISPATCH_BASE_BIT) == 0)
    violation("the pipeline was not made for other base groups than 0");
}
void check_dispatch_indirect(Call&, const args_vkCmdDispatchIndirect& a) {
  check_parameters(a.buffer, a.offset, 1, 0, sizeof(VkDispatchIndirectCommand));
}

}  // namespace

void install_draw_checks(Table& table) {
  for (const CommandId id :
       {CommandId::vkCmdDraw, CommandId::vkCmdDrawIndexed, CommandId::vkCmdDrawIndirect,
        CommandId::vkCmdDrawIndexedIndirect, CommandId::vkCmdDrawIndirectCount,
        CommandId::vkCmdDrawIndexedIndirectCount, CommandId::vkCmdDrawMultiEXT, CommandId::vkCmdDrawMultiIndexedEXT,
        CommandId::vkCmdDrawMeshTasksEXT, CommandId::vkCmdDrawMeshTasksIndirectEXT,
        CommandId::vkCmdDrawMeshTasksIndirectCountEXT, CommandId::vkCmdDrawIndirectByteCountEXT})
    table.add(id, check_bound<VK_PIPELINE_BIND_POINT_GRAPHICS>);
  for (const CommandId id : {CommandId::vkCmdDispatch, CommandId::vkCmdDispatchBase, CommandId::vkCmdDispatchIndirect})
    table.add(id, check_bound<VK_PIPELINE_BIND_POINT_COMPUTE>);
  table.check<check_indexed>(CommandId::vkCmdDrawIndexed);
  table.check<check_multi>(CommandId::vkCmdDrawMultiEXT);
  table.check<check_multi_indexed>(CommandId::vkCmdDrawMultiIndexedEXT);
  table.add(CommandId::vkCmdDrawIndexedIndirect, check_needs_indices);
  table.add(CommandId::vkCmdDrawIndexedIndirectCount, check_needs_indices);
  table.check<check_indirect<VkDrawIndirectCommand, args_vkCmdDrawIndirect>>(CommandId::vkCmdDrawIndirect);
  table.check<check_indirect<VkDrawIndexedIndirectCommand, args_vkCmdDrawIndexedIndirect>>(
      CommandId::vkCmdDrawIndexedIndirect);
  table.check<check_indirect<VkDrawMeshTasksIndirectCommandEXT, args_vkCmdDrawMeshTasksIndirectEXT>>(
      CommandId::vkCmdDrawMeshTasksIndirectEXT);
  table.check<check_counted<VkDrawIndirectCommand, args_vkCmdDrawIndirectCount>>(CommandId::vkCmdDrawIndirectCount);
  table.check<check_counted<VkDrawIndexedIndirectCommand, args_vkCmdDrawIndexedIndirectCount>>(
      CommandId::vkCmdDrawIndexedIndirectCount);
  table.check<check_counted<VkDrawMeshTasksIndirectCommandEXT, args_vkCmdDrawMeshTasksIndirectCountEXT>>(
      CommandId::vkCmdDrawMeshTasksIndirectCountEXT);
  table.check<check_byte_count>(CommandId::vkCmdDrawIndirectByteCountEXT);
  table.check<check_dispatch>(CommandId::vkCmdDispatch);
  table.check<check_dispatch_base>(CommandId::vkCmdDispatchBase);
  table.check<check_dispatch_indirect>(CommandId::vkCmdDispatchIndirect);
}

}  // namespace fake
