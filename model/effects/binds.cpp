// SPDX-License-Identifier: Apache-2.0
// Pipelines, shader objects and descriptors are bound or pushed (specification, "Pipeline Binding", "Descriptor Set
// Binding", "Push Descriptor Updates").
#include "model/effects/descriptor_writes.h"

namespace rondo::model {

namespace {

using Point = Bindings::Point;

// Where it is bound. Something changes there.
Point& point_of(Effects& e, const Call& c, VkPipelineBindPoint at) {
  Bindings& bindings = e.recording(c).bindings;
  bindings.changed(bindings.at(at));
  return bindings.at(at);
}

void bind_pipeline(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindPipeline>();
  point_of(e, c, a.pipelineBindPoint).pipeline = c.id(&a.pipeline);
}

#ifdef VK_EXT_shader_object
void bind_objects(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindShadersEXT>();
  for (std::uint32_t i = 0; i < a.stageCount; ++i) {
    e.recording(c).bindings.shaders[a.pStages[i]] = a.pShaders != nullptr ? c.id(&a.pShaders[i]) : ObjectId::null;
    point_of(
        e, c,
        a.pStages[i] == VK_SHADER_STAGE_COMPUTE_BIT ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS)
        .pipeline = ObjectId::null;
  }
}
#endif

// Dynamic offsets go to the sets in their order, as many to each as it has dynamic descriptors.
template <class Binds>
void bind_sets(Effects& e, const Call& c, const Binds& a, VkPipelineBindPoint at) {
  Point& point = point_of(e, c, at);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    PlacedSet placed;
    placed.set = c.id(&a.pDescriptorSets[i]);
    std::uint64_t wanted = 0;
    if (const DescriptorSet* set = e.sets.find(placed.set); set != nullptr)
      for (const auto& [number, binding] : set->layout->bindings)
        if (is_dynamic(binding.type)) wanted += binding.count;
    for (; wanted != 0 && next < a.dynamicOffsetCount; --wanted) placed.offsets.push_back(a.pDynamicOffsets[next++]);
    point.sets[a.firstSet + i] = std::move(placed);
  }
}

void bind_sets_1(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorSets>();
  bind_sets(e, c, a, a.pipelineBindPoint);
}

// What was pushed to this set before stays, but for what is pushed now.
template <class Put>
void push(Effects& e, const Call& c, const VkPipelineLayout& layout_handle, std::uint32_t number,
          VkPipelineBindPoint at, const Put& put_all) {
  PlacedSet& placed = point_of(e, c, at).sets[number];
  auto descriptors = std::make_shared<Descriptors>();
  if (placed.pushed != nullptr && placed.set == ObjectId::null && e.keep_descriptors(placed.pushed->size(), true))
    *descriptors = *placed.pushed;
  const SetLayout* layout = nullptr;
  if (const auto* sets = e.pipeline_layouts.find(c.id(&layout_handle)); sets != nullptr && number < sets->size())
    layout = (*sets)[number].get();
  put_all(DescriptorTarget{*descriptors, layout});
  e.recording(c).bindings.pushed += descriptors->size();
  placed = PlacedSet{};
  placed.pushed = std::move(descriptors);
}

template <class Pushes>
void push_set(Effects& e, const Call& c, const Pushes& a, VkPipelineBindPoint at) {
  push(e, c, a.layout, a.set, at, [&](const DescriptorTarget& to) {
    for (const VkWriteDescriptorSet& w : std::span(a.pDescriptorWrites, a.descriptorWriteCount))
      write_descriptors(e, c, to, w);
  });
}

void push_set_1(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdPushDescriptorSetKHR>();
  push_set(e, c, a, a.pipelineBindPoint);
}

template <class Pushes>
void push_with_template(Effects& e, const Call& c, const Pushes& a) {
  const DescriptorTemplate* made = e.templates.find(c.id(&a.descriptorUpdateTemplate));
  if (made == nullptr) return;
  push(e, c, a.layout, a.set, made->point,
       [&](const DescriptorTarget& to) { write_with_template(e, c, to, *made, a.pData); });
}

void push_with_template_1(Effects& e, const Call& c) {
  push_with_template(e, c, c.as<args_vkCmdPushDescriptorSetWithTemplateKHR>());
}

// --- In memory (VK_EXT_descriptor_buffer) ---

void bind_buffers(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorBuffersEXT>();
  Bindings& to = e.recording(c).bindings;
  to.descriptor_buffers.clear();
  for (const VkDescriptorBufferBindingInfoEXT& one : std::span(a.pBindingInfos, a.bufferCount))
    to.descriptor_buffers.push_back(one.address);
  to.changed();
}

template <class Offsets>
void set_offsets(Effects& e, const Call& c, const Offsets& a, VkPipelineBindPoint at) {
  Point& point = point_of(e, c, at);
  for (std::uint32_t i = 0; i < a.setCount; ++i) {
    PlacedSet placed;
    placed.in_memory = true;
    point.sets[a.firstSet + i] = std::move(placed);
  }
}

void set_offsets_1(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdSetDescriptorBufferOffsetsEXT>();
  set_offsets(e, c, a, a.pipelineBindPoint);
}

// --- The second forms, which say stages instead of a bind point ---

#ifdef VK_KHR_maintenance6
std::vector<VkPipelineBindPoint> points_of(VkShaderStageFlags stages) {
  std::vector<VkPipelineBindPoint> points;
  if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) points.push_back(VK_PIPELINE_BIND_POINT_COMPUTE);
  if ((stages & (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)) != 0)
    points.push_back(VK_PIPELINE_BIND_POINT_GRAPHICS);
  if ((stages &
       (VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
        VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)) != 0)
    points.push_back(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
  return points;
}

void bind_sets_2(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCmdBindDescriptorSets2>().pBindDescriptorSetsInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) bind_sets(e, c, info, at);
}

void push_set_2(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCmdPushDescriptorSet2>().pPushDescriptorSetInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) push_set(e, c, info, at);
}

void push_with_template_2(Effects& e, const Call& c) {
  push_with_template(e, c, *c.as<args_vkCmdPushDescriptorSetWithTemplate2>().pPushDescriptorSetWithTemplateInfo);
}

void set_offsets_2(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCmdSetDescriptorBufferOffsets2EXT>().pSetDescriptorBufferOffsetsInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) set_offsets(e, c, info, at);
}
#endif

// --- Buffers ---

void bind_vertices(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindVertexBuffers2>();
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    e.recording(c).bindings.vertices[a.firstBinding + i] = {c.id(&a.pBuffers[i]), a.pOffsets[i],
                                                            a.pSizes != nullptr ? a.pSizes[i] : VK_WHOLE_SIZE};
  point_of(e, c, VK_PIPELINE_BIND_POINT_GRAPHICS);
}

template <class Args>
void bind_indices(Effects& e, const Call& c) {
  const auto& a = c.as<Args>();
  Bindings& to = e.recording(c).bindings;
  std::uint64_t size = VK_WHOLE_SIZE;
  if constexpr (requires { a.size; }) size = a.size;
  to.indices = {c.id(&a.buffer), a.offset, size};
  to.index_bytes = a.indexType == VK_INDEX_TYPE_UINT32 ? 4 : a.indexType == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}

void bind_feedback(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkCmdBindTransformFeedbackBuffersEXT>();
  for (std::uint32_t i = 0; i < a.bindingCount; ++i)
    e.recording(c).bindings.feedback[a.firstBinding + i] = {c.id(&a.pBuffers[i]), a.pOffsets[i],
                                                            a.pSizes != nullptr ? a.pSizes[i] : VK_WHOLE_SIZE};
  point_of(e, c, VK_PIPELINE_BIND_POINT_GRAPHICS);
}

}  // namespace

void add_binds(Handlers& handlers) {
  add(handlers, CommandId::vkCmdBindPipeline, bind_pipeline, kBinds);
#ifdef VK_EXT_shader_object
  add(handlers, CommandId::vkCmdBindShadersEXT, bind_objects, kBinds);
#endif
  add(handlers, CommandId::vkCmdBindDescriptorSets, bind_sets_1, kBinds);
  add(handlers, CommandId::vkCmdPushDescriptorSetKHR, push_set_1, kBinds);
  add(handlers, CommandId::vkCmdPushDescriptorSetWithTemplateKHR, push_with_template_1, kBinds);
  add(handlers, CommandId::vkCmdBindDescriptorBuffersEXT, bind_buffers, kBinds);
  add(handlers, CommandId::vkCmdSetDescriptorBufferOffsetsEXT, set_offsets_1, kBinds);
#ifdef VK_KHR_maintenance6
  add(handlers, CommandId::vkCmdBindDescriptorSets2, bind_sets_2, kBinds);
  add(handlers, CommandId::vkCmdPushDescriptorSet2, push_set_2, kBinds);
  add(handlers, CommandId::vkCmdPushDescriptorSetWithTemplate2, push_with_template_2, kBinds);
  add(handlers, CommandId::vkCmdSetDescriptorBufferOffsets2EXT, set_offsets_2, kBinds);
#endif
  add(handlers, CommandId::vkCmdBindVertexBuffers2, bind_vertices, kBinds);
  add(handlers, CommandId::vkCmdBindIndexBuffer, bind_indices<args_vkCmdBindIndexBuffer>, kBinds);
#ifdef VK_KHR_maintenance5
  add(handlers, CommandId::vkCmdBindIndexBuffer2, bind_indices<args_vkCmdBindIndexBuffer2>, kBinds);
#endif
  add(handlers, CommandId::vkCmdBindTransformFeedbackBuffersEXT, bind_feedback, kBinds);
}

}  // namespace rondo::model
