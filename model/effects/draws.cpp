// SPDX-License-Identifier: Apache-2.0
// Draws, meshes and dispatches (specification, "Drawing Commands", "Dispatching Commands"), transform feedback and
// conditional rendering.
#include <algorithm>

#include "model/effects/all.h"

namespace rondo::model {

namespace {

constexpr VkPipelineStageFlags2 kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;

// Counters say where to go on, or hold where it ended. Four bytes each.
template <class Args>
void feedback_counters(Effects& e, const Call& c, bool begins) {
  const auto& a = c.as<Args>();
  Bindings& bindings = e.recording(c).bindings;
  bindings.feeding_back = begins;
  bindings.changed(bindings.at(VK_PIPELINE_BIND_POINT_GRAPHICS));
  for (std::uint32_t i = 0; a.pCounterBuffers != nullptr && i < a.counterBufferCount; ++i)
    e.touch_buffer(c.id(&a.pCounterBuffers[i]), a.pCounterBufferOffsets != nullptr ? a.pCounterBufferOffsets[i] : 0, 4,
                   begins ? VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT : VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
                   begins ? VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT
                          : VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT);
}

void begin_feedback(Effects& e, const Call& c) { feedback_counters<args_vkCmdBeginTransformFeedbackEXT>(e, c, true); }
void end_feedback(Effects& e, const Call& c) { feedback_counters<args_vkCmdEndTransformFeedbackEXT>(e, c, false); }

void begin_condition(Effects& e, const Call& c) {
  const VkConditionalRenderingBeginInfoEXT& info =
      *c.as<args_vkCmdBeginConditionalRenderingEXT>().pConditionalRenderingBegin;
  Recording& to = e.recording(c);
  to.conditional = true;
  to.condition = {c.id(&info.buffer), info.offset, 4};
  to.bindings.changed();
  e.touch_buffer(to.condition.buffer, info.offset, 4, VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                 VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT);
}

void end_condition(Effects& e, const Call& c) {
  e.recording(c).conditional = false;
  e.recording(c).bindings.changed();
}

#ifdef VK_NV_shading_rate_image
void bind_shading_rate(Effects& e, const Call& c) {
  const ImageView* view = e.views.views.find(c.id(&c.as<args_vkCmdBindShadingRateImageNV>().imageView));
  Touch touch;
  if (view != nullptr) touch.object = view->image, touch.part = view->part;
  touch.stages = VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  touch.access = VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR;
  e.touch(touch);
}
#endif

// --- Draws and dispatches ---

template <VkPipelineBindPoint at>
void plain(Effects& e, const Call&) {
  e.work(at);
}

// Indices that a call names itself.
void touch_indices(Effects& e, const Call& c, std::uint64_t first, std::uint64_t count) {
  const Bindings& bindings = e.recording(c).bindings;
  const std::uint64_t bytes = bindings.index_bytes;
  const BufferRange& all = bindings.indices;
  const std::uint64_t room = e.views.bytes_of(all.buffer, all.offset, all.size);  // bounded by the buffer
  if (first * bytes >= room) return;
  e.touch_buffer(all.buffer, all.offset + first * bytes, std::min(count * bytes, room - first * bytes),
                 VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT, VK_ACCESS_2_INDEX_READ_BIT);
}

constexpr std::uint64_t kAllIndices = std::uint64_t{1} << 40;

void draw_indexed(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndexed>();
  e.work(VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_indices(e, c, a.firstIndex, a.indexCount);
}

void draw_multi_indexed(Effects& e, const Call& c) {
  e.work(VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_indices(e, c, 0, kAllIndices);
}

void touch_parameters(Effects& e, ObjectId buffer, VkDeviceSize offset, std::uint64_t count, std::uint64_t stride,
                      std::uint64_t bytes) {
  if (count == 0) return;
  e.touch_buffer(buffer, offset, (count - 1) * stride + bytes, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

// `bytes`: of the parameters of one.
template <class Args, std::size_t bytes, bool indexed>
void draw_indirect(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  e.work(VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_parameters(e, c.id(&a.buffer), a.offset, a.drawCount, a.stride, bytes);
  if (indexed) touch_indices(e, c, 0, kAllIndices);
}

template <class Args, std::size_t bytes, bool indexed>
void draw_counted(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  e.work(VK_PIPELINE_BIND_POINT_GRAPHICS);
  touch_parameters(e, c.id(&a.buffer), a.offset, a.maxDrawCount, a.stride, bytes);
  e.touch_buffer(c.id(&a.countBuffer), a.countBufferOffset, 4, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
  if (indexed) touch_indices(e, c, 0, kAllIndices);
}

void draw_byte_count(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdDrawIndirectByteCountEXT>();
  e.work(VK_PIPELINE_BIND_POINT_GRAPHICS);
  e.touch_buffer(c.id(&a.counterBuffer), a.counterBufferOffset, 4, kIndirect, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
}

void dispatch_indirect(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdDispatchIndirect>();
  e.work(VK_PIPELINE_BIND_POINT_COMPUTE);
  touch_parameters(e, c.id(&a.buffer), a.offset, 1, 0, sizeof(VkDispatchIndirectCommand));
}

}  // namespace

void add_draws(Handlers& handlers) {
  add(handlers, CommandId::vkCmdBeginTransformFeedbackEXT, begin_feedback, kTouches | kBinds);
  add(handlers, CommandId::vkCmdEndTransformFeedbackEXT, end_feedback, kTouches | kBinds);
  add(handlers, CommandId::vkCmdBeginConditionalRenderingEXT, begin_condition, kTouches | kBinds);
  add(handlers, CommandId::vkCmdEndConditionalRenderingEXT, end_condition, kTouches | kBinds);
#ifdef VK_NV_shading_rate_image
  add(handlers, CommandId::vkCmdBindShadingRateImageNV, bind_shading_rate, kTouches);
#endif
  constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
  add(handlers, CommandId::vkCmdDraw, plain<kGraphics>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawMultiEXT, plain<kGraphics>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawMeshTasksEXT, plain<kGraphics>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndexed, draw_indexed, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawMultiIndexedEXT, draw_multi_indexed, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndirect,
      draw_indirect<args_vkCmdDrawIndirect, sizeof(VkDrawIndirectCommand), false>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndexedIndirect,
      draw_indirect<args_vkCmdDrawIndexedIndirect, sizeof(VkDrawIndexedIndirectCommand), true>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawMeshTasksIndirectEXT,
      draw_indirect<args_vkCmdDrawMeshTasksIndirectEXT, sizeof(VkDrawMeshTasksIndirectCommandEXT), false>,
      kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndirectCount,
      draw_counted<args_vkCmdDrawIndirectCount, sizeof(VkDrawIndirectCommand), false>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndexedIndirectCount,
      draw_counted<args_vkCmdDrawIndexedIndirectCount, sizeof(VkDrawIndexedIndirectCommand), true>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawMeshTasksIndirectCountEXT,
      draw_counted<args_vkCmdDrawMeshTasksIndirectCountEXT, sizeof(VkDrawMeshTasksIndirectCommandEXT), false>,
      kTouches | kWork);
  add(handlers, CommandId::vkCmdDrawIndirectByteCountEXT, draw_byte_count, kTouches | kWork);
  add(handlers, CommandId::vkCmdDispatch, plain<VK_PIPELINE_BIND_POINT_COMPUTE>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDispatchBase, plain<VK_PIPELINE_BIND_POINT_COMPUTE>, kTouches | kWork);
  add(handlers, CommandId::vkCmdDispatchIndirect, dispatch_indirect, kTouches | kWork);
}

}  // namespace rondo::model
