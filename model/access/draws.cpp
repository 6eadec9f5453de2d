// SPDX-License-Identifier: Apache-2.0
// Draws, meshes and dispatches (specification, "Drawing Commands", "Dispatching Commands"), and what they find bound.
#include <algorithm>

#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

constexpr VkPipelineStageFlags2 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;

CommandBuffer::Range range_in(const Call& c, const VkBuffer& buffer, VkDeviceSize offset, VkDeviceSize size) {
  return {c.id(&buffer), offset, size};
}

// --- Bound ---

void bind_vertices(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers2>();
  CommandBuffer& to = t.recording(c);
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    to.vertices[a.firstBinding + i] =
        range_in(c, a.pBuffers[i], a.pOffsets[i], a.pSizes != nullptr ? a.pSizes[i] : VK_WHOLE_SIZE);
  to.points[0].bound.reset();
}

std::uint32_t bytes_of(VkIndexType type) {
  return type == VK_INDEX_TYPE_UINT32 ? 4 : type == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}

void bind_indices(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindIndexBuffer>();
  t.recording(c).indices = range_in(c, a.buffer, a.offset, VK_WHOLE_SIZE);
  t.recording(c).index_bytes = bytes_of(a.indexType);
}

#ifdef VK_KHR_maintenance5
void bind_indices_2(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindIndexBuffer2>();
  t.recording(c).indices = range_in(c, a.buffer, a.offset, a.size);
  t.recording(c).index_bytes = bytes_of(a.indexType);
}
#endif

void bind_feedback(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindTransformFeedbackBuffersEXT>();
  CommandBuffer& to = t.recording(c);
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    to.feedback[a.firstBinding + i] =
        range_in(c, a.pBuffers[i], a.pOffsets[i], a.pSizes != nullptr ? a.pSizes[i] : VK_WHOLE_SIZE);
  to.points[0].bound.reset();
}

// Counters say where to go on, or hold where it ended. Four bytes each.
template <class Args>
void feedback_counters(Tracker& t, const Call& c, bool begins) {
  const auto& a = c.as<Args>();
  CommandBuffer& to = t.recording(c);
  to.feeding_back = begins;
  to.points[0].bound.reset();
  for (std::uint32_t i = 0; a.pCounterBuffers != nullptr && i < a.counterBufferCount; ++i)
    t.touch_buffer(c, c.id(&a.pCounterBuffers[i]), a.pCounterBufferOffsets != nullptr ? a.pCounterBufferOffsets[i] : 0,
                   4, begins ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                   begins ? VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT
                          : VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT);
}

void begin_feedback(Tracker& t, const Call& c) { feedback_counters<args_vkCmdBeginTransformFeedbackEXT>(t, c, true); }
void end_feedback(Tracker& t, const Call& c) { feedback_counters<args_vkCmdEndTransformFeedbackEXT>(t, c, false); }

void begin_condition(Tracker& t, const Call& c) {
  const VkConditionalRenderingBeginInfoEXT& info =
      *c.as<args_vkCmdBeginConditionalRenderingEXT>().pConditionalRenderingBegin;
  CommandBuffer& to = t.recording(c);
  to.conditional = true;
  to.condition = range_in(c, info.buffer, info.offset, 4);
  to.changed();
  t.touch_buffer(c, to.condition.buffer, info.offset, 4, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                 VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
}

void end_condition(Tracker& t, const Call& c) {
  t.recording(c).conditional = false;
  t.recording(c).changed();
}

#ifdef VK_NV_shading_rate_image
void bind_shading_rate(Tracker& t, const Call& c) {
  const ImageView* view = t.views.find(c.id(&c.as<args_vkCmdBindShadingRateImageNV>().imageView));
  Touch touch;
  if (view != nullptr) touch.object = view->image, touch.part = view->part;
  touch.stages = VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  touch.access = VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR;
  t.touch(c, touch);
}
#endif

void add_range(Tracker& t, Bound& bound, const CommandBuffer::Range& range, VkPipelineStageFlags2 stages,
               VkAccessFlags2 access) {
  Touch touch;
  touch.object = range.buffer;
  touch.offset = range.offset;
  touch.size = t.bytes_of(range.buffer, range.offset, range.size);
  touch.stages = stages;
  touch.access = access;
  if (touch.object != ObjectId::null && touch.size != 0) bound.touches.push_back(touch);
}

// What a draw touches besides what its shaders use. How many vertices and instances there are indices and the
// device may say: of each buffer all that is bound.
void add_graphics(Tracker& t, const CommandBuffer& from, const Pipeline* pipeline, Bound& bound) {
  const std::uint32_t used = pipeline != nullptr ? pipeline->vertex_bindings : ~0u;
  for (const auto& [binding, range] : from.vertices)
    if (binding >= 32 || (used >> binding & 1) != 0)
      add_range(t, bound, range, VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT, VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT);
  if (from.feeding_back)
    for (const auto& [binding, range] : from.feedback)
      add_range(t, bound, range, VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT);
  bound.touches.insert(bound.touches.end(), from.attachments.begin(), from.attachments.end());
}

std::shared_ptr<const Bound> bound_at(Tracker& t, const Call& c, VkPipelineBindPoint at) {
  CommandBuffer& commands = t.recording(c);
  CommandBuffer::Point& point = commands.points[index_of(at)];
  if (point.bound != nullptr) return point.bound;
  auto bound = std::make_shared<Bound>();
  const Pipeline* pipeline = t.pipelines.find(point.pipeline);
  const std::size_t shaders = pipeline != nullptr ? pipeline->shaders.size() : commands.shaders.size();
  if (!t.remember(c, shaders + point.sets.size() + commands.vertices.size() + commands.feedback.size() +
                         commands.attachments.size() + commands.descriptor_buffers.size() + 1))
    return bound;
  if (pipeline != nullptr) {
    bound->shaders = pipeline->shaders;
  } else if (point.pipeline != ObjectId::null) {
    bound->shaders.push_back({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, nullptr});  // nobody saw it made
  } else {
    for (const auto& [stage, id] : commands.shaders)
      if (const ShaderUse* use = t.shaders.find(id);
          use != nullptr && (stage == VK_SHADER_STAGE_COMPUTE_BIT) == (at == VK_PIPELINE_BIND_POINT_COMPUTE))
        bound->shaders.push_back(*use);
  }
  bound->sets = point.sets;
  if (at == VK_PIPELINE_BIND_POINT_GRAPHICS) add_graphics(t, commands, pipeline, *bound);
  if (commands.conditional)
    add_range(t, *bound, commands.condition, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
              VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
  // Descriptors in memory are read there.
  if (std::any_of(bound->sets.begin(), bound->sets.end(), [](const auto& set) { return set.second.in_memory; }))
    for (const std::uint64_t address : commands.descriptor_buffers) {
      CommandBuffer::Range range;
      if (t.at_address(address, 0, range))
        add_range(t, *bound, range, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT);
    }
  point.bound = std::move(bound);
  return point.bound;
}

// --- Draws and dispatches ---

template <VkPipelineBindPoint at>
void plain(Tracker& t, const Call& c) {
  t.record_bound(c, at);
}

// Indices that a call names itself.
void touch_indices(Tracker& t, const Call& c, std::uint64_t first, std::uint64_t count) {
  const CommandBuffer& commands = t.recording(c);
  const std::uint64_t bytes = commands.index_bytes;
  const CommandBuffer::Range& all = commands.indices;
  const std::uint64_t behind = t.bytes_of(all.buffer, all.offset, all.size);  // bounded by the buffer
  if (first * bytes >= behind) return;
  t.touch_buffer(c, all.buffer, all.offset + first * bytes, std::min(count * bytes, behind - first * bytes),
                 VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT);
}

constexpr std::uint64_t kAllIndices = std::uint64_t{1} << 40;

void draw_indexed(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexed>();
  t.record_bound(c, VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_indices(t, c, a.firstIndex, a.indexCount);
}

void draw_multi_indexed(Tracker& t, const Call& c) {
  t.record_bound(c, VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_indices(t, c, 0, kAllIndices);
}

void touch_parameters(Tracker& t, const Call& c, ObjectId buffer, VkDeviceSize offset, std::uint64_t count,
                      std::uint64_t stride, std::uint64_t bytes) {
  if (count == 0) return;
  t.touch_buffer(c, buffer, offset, (count - 1) * stride + bytes, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

// `bytes`: of the parameters of one.
template <class Args, std::size_t bytes, bool indexed>
void draw_indirect(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  t.record_bound(c, VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_parameters(t, c, c.id(&a.buffer), a.offset, a.drawCount, a.stride, bytes);
  if (indexed) touch_indices(t, c, 0, kAllIndices);
}

template <class Args, std::size_t bytes, bool indexed>
void draw_counted(Tracker& t, const Call& c) {
  const auto& a = c.as<Args>();
  t.record_bound(c, VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_parameters(t, c, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride, bytes);
  t.touch_buffer(c, c.id(&a.countBuffer), a.countBufferOffset, 4, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  if (indexed) touch_indices(t, c, 0, kAllIndices);
}

void draw_byte_count(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirectByteCountEXT>();
  t.record_bound(c, VK_PIPELINE_BIND_POINT_GRAPHICS);
  t.touch_buffer(c, c.id(&a.counterBuffer), a.counterBufferOffset, 4, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

void dispatch_indirect(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdDispatchIndirect>();
  t.record_bound(c, VK_PIPELINE_BIND_POINT_COMPUTE);
  touch_parameters(t, c, c.id(&a.buffer), a.offset, 1, 0, sizeof(VkDispatchIndirectCommand));
}

}  // namespace

void Tracker::record_bound(const Call& c, VkPipelineBindPoint point) {
  CommandBuffer& commands_of = recording(c);
  std::shared_ptr<const Bound> bound = bound_at(*this, c, point);
  Item& item = record(c);
  item.bound = std::move(bound);
  item.recorded.counts = counts_of(c);
  item.recorded.pipeline = commands_of.points[index_of(point)].pipeline;
  item.draws = commands_of.inherits && point == VK_PIPELINE_BIND_POINT_GRAPHICS;
}

void add_draws(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdBindVertexBuffers2, bind_vertices);
  add(CommandId::vkCmdBindIndexBuffer, bind_indices);
#ifdef VK_KHR_maintenance5
  add(CommandId::vkCmdBindIndexBuffer2, bind_indices_2);
#endif
  add(CommandId::vkCmdBindTransformFeedbackBuffersEXT, bind_feedback);
  add(CommandId::vkCmdBeginTransformFeedbackEXT, begin_feedback);
  add(CommandId::vkCmdEndTransformFeedbackEXT, end_feedback);
  add(CommandId::vkCmdBeginConditionalRenderingEXT, begin_condition);
  add(CommandId::vkCmdEndConditionalRenderingEXT, end_condition);
#ifdef VK_NV_shading_rate_image
  add(CommandId::vkCmdBindShadingRateImageNV, bind_shading_rate);
#endif
  constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
  add(CommandId::vkCmdDraw, plain<kGraphics>);
  add(CommandId::vkCmdDrawMultiEXT, plain<kGraphics>);
  add(CommandId::vkCmdDrawMeshTasksEXT, plain<kGraphics>);
  add(CommandId::vkCmdDrawIndexed, draw_indexed);
  add(CommandId::vkCmdDrawMultiIndexedEXT, draw_multi_indexed);
  add(CommandId::vkCmdDrawIndirect, draw_indirect<args_vkCmdDrawIndirect, sizeof(VkDrawIndirectCommand), false>);
  add(CommandId::vkCmdDrawIndexedIndirect,
      draw_indirect<args_vkCmdDrawIndexedIndirect, sizeof(VkDrawIndexedIndirectCommand), true>);
  add(CommandId::vkCmdDrawMeshTasksIndirectEXT,
      draw_indirect<args_vkCmdDrawMeshTasksIndirectEXT, sizeof(VkDrawMeshTasksIndirectCommandEXT), false>);
  add(CommandId::vkCmdDrawIndirectCount,
      draw_counted<args_vkCmdDrawIndirectCount, sizeof(VkDrawIndirectCommand), false>);
  add(CommandId::vkCmdDrawIndexedIndirectCount,
      draw_counted<args_vkCmdDrawIndexedIndirectCount, sizeof(VkDrawIndexedIndirectCommand), true>);
  add(CommandId::vkCmdDrawMeshTasksIndirectCountEXT,
      draw_counted<args_vkCmdDrawMeshTasksIndirectCountEXT, sizeof(VkDrawMeshTasksIndirectCommandEXT), false>);
  add(CommandId::vkCmdDrawIndirectByteCountEXT, draw_byte_count);
  add(CommandId::vkCmdDispatch, plain<VK_PIPELINE_BIND_POINT_COMPUTE>);
  add(CommandId::vkCmdDispatchBase, plain<VK_PIPELINE_BIND_POINT_COMPUTE>);
  add(CommandId::vkCmdDispatchIndirect, dispatch_indirect);
}

}  // namespace rondo::access
