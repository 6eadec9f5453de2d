// SPDX-License-Identifier: Apache-2.0
// Dynamic states, whose arrays drivers keep at the size of the limits. Transform
// feedback and conditions, which begin and end.
#include <algorithm>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

// Drivers keep arrays of so many, which is what devices have at most.
constexpr std::uint32_t kViewports = 16, kColors = 8, kFeedbackBuffers = 4;

Wrong check_count(const char* what, std::uint64_t first, std::uint64_t count, std::uint32_t most) {
  return first + count <= most
             ? Wrong()
             : std::string(what) + ' ' + std::to_string(first) + " to " + std::to_string(first + count) +
                   ", and there are " + std::to_string(most) + " at most";
}

Wrong set_viewports(Validity&, const Call& c) {
  const auto& a = c.as<args_vkCmdSetViewport>();
  return check_count("viewports", a.firstViewport, a.viewportCount, kViewports);
}
Wrong set_scissors(Validity&, const Call& c) {
  const auto& a = c.as<args_vkCmdSetScissor>();
  return check_count("scissors", a.firstScissor, a.scissorCount, kViewports);
}
Wrong set_all_viewports(Validity&, const Call& c) {
  return check_count("viewports", 0, c.as<args_vkCmdSetViewportWithCount>().viewportCount, kViewports);
}
Wrong set_all_scissors(Validity&, const Call& c) {
  return check_count("scissors", 0, c.as<args_vkCmdSetScissorWithCount>().scissorCount, kViewports);
}
Wrong set_discards(Validity&, const Call& c) {
  const auto& a = c.as<args_vkCmdSetDiscardRectangleEXT>();
  return check_count("rectangles", a.firstDiscardRectangle, a.discardRectangleCount, kColors);
}
Wrong set_writes(Validity&, const Call& c) {
  return check_count("attachments", 0, c.as<args_vkCmdSetColorWriteEnableEXT>().attachmentCount, kColors);
}
template <class Args>
Wrong set_blending(Validity&, const Call& c) {
  const auto& a = c.as<Args>();
  return check_count("attachments", a.firstAttachment, a.attachmentCount, kColors);
}
Wrong set_patch(Validity&, const Call& c) {
  const std::uint32_t points = c.as<args_vkCmdSetPatchControlPointsEXT>().patchControlPoints;
  return points == 0 ? "patchControlPoints is 0" : check_count("control points", 0, points, 32);
}
Wrong set_vertex_input(Validity&, const Call& c) {
  const auto& a = c.as<args_vkCmdSetVertexInputEXT>();
  for (std::uint32_t i = 0; i < a.vertexBindingDescriptionCount; ++i)
    if (Wrong w = check_count("vertex bindings", a.pVertexBindingDescriptions[i].binding, 1, kMostVertexBindings);
        !w.empty())
      return w;
  for (std::uint32_t i = 0; i < a.vertexAttributeDescriptionCount; ++i) {
    const auto& attribute = a.pVertexAttributeDescriptions[i];
    if (Wrong w = check_count("vertex attributes", attribute.location, 1, kMostVertexBindings); !w.empty()) return w;
    const auto* end = a.pVertexBindingDescriptions + a.vertexBindingDescriptionCount;
    if (std::none_of(a.pVertexBindingDescriptions, end,
                     [&](const auto& binding) { return binding.binding == attribute.binding; }))
      return "a vertex attribute is of binding " + std::to_string(attribute.binding) + ", which is not there";
  }
  return {};
}

#ifdef VK_KHR_dynamic_rendering_local_read
Wrong check_places(std::uint32_t count, const std::uint32_t* places) {
  if (Wrong w = check_count("attachments", 0, count, kColors); !w.empty()) return w;
  for (std::uint32_t i = 0; places != nullptr && i < count; ++i)
    if (places[i] >= kColors && places[i] != VK_ATTACHMENT_UNUSED)
      return "attachment " + std::to_string(i) + " is at " + std::to_string(places[i]) + ", and there are " +
             std::to_string(kColors) + " places at most";
  return {};
}

// A driver has places for as many attachments as the pass has, here or where it is executed.
Wrong check_attachments(Validity& v, const Call& c, std::uint32_t count) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (commands->in_render_pass) return "is in a render pass that says itself where its attachments are";
  commands->places = true;
  const std::uint32_t has = commands->colors.empty() ? 0 : commands->colors.front();
  return count == has ? Wrong()
                      : "places " + std::to_string(count) + " color attachments, and there are " + std::to_string(has);
}

Wrong set_locations(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdSetRenderingAttachmentLocations>().pLocationInfo;
  if (Wrong w = check_attachments(v, c, info.colorAttachmentCount); !w.empty()) return w;
  return check_places(info.colorAttachmentCount, info.pColorAttachmentLocations);
}

// Inputs may have any index: a driver compares them only.
Wrong set_inputs(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdSetRenderingInputAttachmentIndices>().pInputAttachmentIndexInfo;
  if (Wrong w = check_attachments(v, c, info.colorAttachmentCount); !w.empty()) return w;
  return check_count("attachments", 0, info.colorAttachmentCount, kColors);
}
#endif

Wrong check_counters(Validity& v, const Call& c, std::uint32_t first, std::uint32_t count, const VkBuffer* buffers,
                     const VkDeviceSize* offsets) {
  if (Wrong w = check_count("counters", first, count, kFeedbackBuffers); !w.empty()) return w;
  for (std::uint32_t i = 0; buffers != nullptr && i < count; ++i) {
    const ObjectId id = c.id(&buffers[i]);
    const VkDeviceSize offset = offsets != nullptr ? offsets[i] : 0;
    if (id == ObjectId::null) continue;
    if (offset % 4 != 0) return "a counter's offset is no multiple of 4";
    v.needs_usage(id, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
    if (Wrong w = check_bytes(v, "pCounterBuffers", id, offset, 4); !w.empty()) return w;
  }
  return {};
}

Wrong begin_feedback(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBeginTransformFeedbackEXT>();
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr) {
    if (commands->feedback) return "transform feedback is begun already";
    if (!commands->graphics) return "no graphics pipeline is bound";
    commands->feedback = true;
  }
  return check_counters(v, c, a.firstCounterBuffer, a.counterBufferCount, a.pCounterBuffers, a.pCounterBufferOffsets);
}

Wrong end_feedback(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdEndTransformFeedbackEXT>();
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr) {
    if (!commands->feedback) return "transform feedback was not begun";
    commands->feedback = false;
  }
  return check_counters(v, c, a.firstCounterBuffer, a.counterBufferCount, a.pCounterBuffers, a.pCounterBufferOffsets);
}

Wrong begin_conditional(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdBeginConditionalRenderingEXT>().pConditionalRenderingBegin;
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr) {
    if (commands->conditional) return "a condition is begun already";
    commands->conditional = true;
  }
  if (info.offset % 4 != 0) return "offset is no multiple of 4";
  v.needs_usage(c.id(&info.buffer), VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  return check_bytes(v, "buffer", c.id(&info.buffer), info.offset, 4);
}

Wrong end_conditional(Validity& v, const Call& c) {
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  if (commands == nullptr) return {};
  if (!commands->conditional) return "no condition was begun";
  commands->conditional = false;
  return {};
}

}  // namespace

Wrong check_rendering_places([[maybe_unused]] const void* chain) {
#ifdef VK_KHR_dynamic_rendering_local_read
  if (const auto* locations = find_chained<VkRenderingAttachmentLocationInfoKHR>(
          chain, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR);
      locations != nullptr)
    if (Wrong w = check_places(locations->colorAttachmentCount, locations->pColorAttachmentLocations); !w.empty())
      return w;
  if (const auto* inputs = find_chained<VkRenderingInputAttachmentIndexInfoKHR>(
          chain, VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR);
      inputs != nullptr)
    return check_count("attachments", 0, inputs->colorAttachmentCount, kColors);
#endif
  return {};
}

void add_dynamic_state_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCmdSetViewport, set_viewports);
  add(CommandId::vkCmdSetScissor, set_scissors);
  add(CommandId::vkCmdSetViewportWithCount, set_all_viewports);
  add(CommandId::vkCmdSetScissorWithCount, set_all_scissors);
  add(CommandId::vkCmdSetDiscardRectangleEXT, set_discards);
  add(CommandId::vkCmdSetColorWriteEnableEXT, set_writes);
  add(CommandId::vkCmdSetColorBlendEnableEXT, set_blending<args_vkCmdSetColorBlendEnableEXT>);
  add(CommandId::vkCmdSetColorBlendEquationEXT, set_blending<args_vkCmdSetColorBlendEquationEXT>);
  add(CommandId::vkCmdSetColorBlendAdvancedEXT, set_blending<args_vkCmdSetColorBlendAdvancedEXT>);
  add(CommandId::vkCmdSetColorWriteMaskEXT, set_blending<args_vkCmdSetColorWriteMaskEXT>);
  add(CommandId::vkCmdSetPatchControlPointsEXT, set_patch);
  add(CommandId::vkCmdSetVertexInputEXT, set_vertex_input);
#ifdef VK_KHR_dynamic_rendering_local_read
  add(CommandId::vkCmdSetRenderingAttachmentLocations, set_locations);
  add(CommandId::vkCmdSetRenderingInputAttachmentIndices, set_inputs);
#endif
  add(CommandId::vkCmdBeginTransformFeedbackEXT, begin_feedback);
  add(CommandId::vkCmdEndTransformFeedbackEXT, end_feedback);
  add(CommandId::vkCmdBeginConditionalRenderingEXT, begin_conditional);
  add(CommandId::vkCmdEndConditionalRenderingEXT, end_conditional);
}

}  // namespace rondo::player::validity
