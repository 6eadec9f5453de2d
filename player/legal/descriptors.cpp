// SPDX-License-Identifier: Apache-2.0
// Descriptor sets, their layouts and pools; what is bound has the layout that
// the pipeline layout says. What is written to them: descriptor_writes.cpp.
#include "player/legal/descriptors.h"

#include <algorithm>

#include "generated/args.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

// Pipelines in parts have layouts without some of their sets.
bool has_parts(const Validity& v, const Call& c) { return v.allows(c.dispatch(), Relaxation::pipeline_libraries); }

Wrong create_set_layout(Validity& v, const Call& c) {
  const VkDescriptorSetLayoutCreateInfo& info = *c.as<args_vkCreateDescriptorSetLayout>().pCreateInfo;
  auto layout = std::make_shared<SetLayout>();
  layout->flags = info.flags;
  std::uint64_t descriptors = 0;  // an inline uniform block counts its bytes
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = info.pBindings[i];
    descriptors += b.descriptorCount;
    if (descriptors > kMostOfAnObject) return "has more than " + std::to_string(kMostOfAnObject) + " descriptors";
    layout->bindings.push_back({b.binding, b.descriptorType, b.descriptorCount, b.pImmutableSamplers != nullptr});
    for (std::uint32_t k = 0; b.pImmutableSamplers != nullptr && k < b.descriptorCount; ++k)
      if (c.id(&b.pImmutableSamplers[k]) == ObjectId::null) return "sampler " + std::to_string(k) + " is null";
    if (is_dynamic(b.descriptorType)) layout->dynamic += b.descriptorCount;
    if (b.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && b.descriptorCount % 4 != 0)
      return "has an inline uniform block of " + std::to_string(b.descriptorCount) + " bytes";
  }
  if ((info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) != 0)
    for (const Binding& b : layout->bindings)
      if (is_dynamic(b.type) || b.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return "is for push descriptors and has binding " + std::to_string(b.binding) +
               " of a type that is never pushed";
  std::uint32_t last = 0;
  for (const Binding& b : layout->bindings) last = std::max(last, b.binding);
  const auto* flags = find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  constexpr VkDescriptorBindingFlags kLate =
      VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;
  if (flags != nullptr && flags->bindingCount != 0 && flags->bindingCount != info.bindingCount)
    return "has flags for " + std::to_string(flags->bindingCount) + " bindings of " + std::to_string(info.bindingCount);
  constexpr VkDescriptorBindingFlags kPartial =
      VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;
  for (std::uint32_t i = 0;
       flags != nullptr && flags->pBindingFlags != nullptr && i < info.bindingCount && i < flags->bindingCount; ++i) {
    if ((flags->pBindingFlags[i] & kPartial) != 0) layout->partial.push_back(info.pBindings[i].binding);
    if ((flags->pBindingFlags[i] & kLate) != 0) layout->late.push_back(info.pBindings[i].binding);
    layout->variable =
        layout->variable || (info.pBindings[i].binding == last &&
                             (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0);
  }
  std::sort(layout->bindings.begin(), layout->bindings.end(),
            [](const Binding& a, const Binding& b) { return a.binding < b.binding; });
  for (std::size_t i = 1; i < layout->bindings.size(); ++i)
    if (layout->bindings[i].binding == layout->bindings[i - 1].binding)
      return "has binding " + std::to_string(layout->bindings[i].binding) + " twice";
  if (const ObjectId id = c.created(); id != ObjectId::null) v.set_layouts.make(id) = std::move(layout);
  return {};
}

Wrong create_pipeline_layout(Validity& v, const Call& c) {
  const VkPipelineLayoutCreateInfo& info = *c.as<args_vkCreatePipelineLayout>().pCreateInfo;
  if (Wrong w = check_sets_of_layout(v, c, info); !w.empty()) return w;
  const ObjectId id = c.created();
  if (id == ObjectId::null) return {};
  PipelineLayout& layout = v.pipeline_layouts.make(id);
  for (std::uint32_t i = 0; i < info.setLayoutCount; ++i) {
    const SetLayoutRef* set = v.set_layouts.find(c.id(&info.pSetLayouts[i]));
    layout.sets.push_back(set != nullptr ? *set : nullptr);
  }
  for (std::uint32_t i = 0; i < info.pushConstantRangeCount; ++i) layout.ranges.push_back(info.pPushConstantRanges[i]);
  return {};
}

Wrong create_set_pool(Validity& v, const Call& c) {
  const VkDescriptorPoolCreateInfo& info = *c.as<args_vkCreateDescriptorPool>().pCreateInfo;
  if (const ObjectId id = c.created(); id != ObjectId::null) v.descriptor_pools.make(id) = {info.flags, v.op()};
  return {};
}

Wrong allocate_sets(Validity& v, const Call& c) {
  const VkDescriptorSetAllocateInfo& info = *c.as<args_vkAllocateDescriptorSets>().pAllocateInfo;
  const auto* counts = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  if (counts != nullptr && counts->descriptorSetCount != 0 && counts->descriptorSetCount != info.descriptorSetCount)
    return "has variable counts for " + std::to_string(counts->descriptorSetCount) + " sets of " +
           std::to_string(info.descriptorSetCount);
  const ObjectId pool_id = c.id(&info.descriptorPool);
  const DescriptorPool* pool = v.descriptor_pools.find(pool_id);
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    const SetLayoutRef* layout = v.set_layouts.find(c.id(&info.pSetLayouts[i]));
    const ObjectId id = c.created(i);
    if (c.id(&info.pSetLayouts[i]) == ObjectId::null) return "the layout of set " + std::to_string(i) + " is null";
    if (layout == nullptr) continue;
    const SetLayout& made_of = **layout;
    if (pushes(made_of)) return v.name(c.id(&info.pSetLayouts[i])) + " is for pushed descriptors";
    if (pool != nullptr && (made_of.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0 &&
        (pool->flags & VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT) == 0)
      return v.name(c.id(&info.pSetLayouts[i])) + " is for sets that are updated when they are bound, and " +
             v.name(pool_id) + " is not";
    if (id == ObjectId::null) continue;
    Set& set = v.sets.make(id);
    set.layout = *layout;
    if (!set.layout->variable) continue;
    set.last = counts != nullptr && i < counts->descriptorSetCount ? counts->pDescriptorCounts[i] : 0;
    if (const Binding& b = set.layout->bindings.back(); set.last > b.count)
      return "allocates " + std::to_string(set.last) + " descriptors for binding " + std::to_string(b.binding) +
             ", which has " + std::to_string(b.count);
  }
  return {};
}

Wrong free_sets(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkFreeDescriptorSets>();
  const ObjectId pool = c.id(&a.descriptorPool);
  v.let_free_single_sets(pool);
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i)
    for (std::uint32_t k = 0; k < i && a.descriptorSetCount <= 4096; ++k)
      if (const ObjectId set = c.id(&a.pDescriptorSets[i]); set != ObjectId::null && set == c.id(&a.pDescriptorSets[k]))
        return "frees " + v.name(set) + " twice";
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i)
    if (const ObjectId set = c.id(&a.pDescriptorSets[i]);
        set != ObjectId::null && v.plan().objects.objects()[set].parent != pool)
      return v.name(set) + " is not of " + v.name(pool);
  return {};
}

// They move ranges within their buffers, which nothing else looks at.
template <class Sets>
Wrong check_offsets(Validity& v, const Call& c, const Sets& a) {
  const std::uint32_t* offset = a.pDynamicOffsets;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    const ObjectId id = c.id(&a.pDescriptorSets[i]);
    const Set* set = v.sets.find(id);
    if (set == nullptr) continue;
    for (const Binding& b : set->layout->bindings)
      for (std::uint32_t e = 0; is_dynamic(b.type) && e < b.count; ++e, ++offset) {
        v.note_offset(b.type, *offset);
        const auto found = set->written.find({b.binding, e});
        if (found == set->written.end()) continue;
        const Set::Descriptor& one = found->second;
        if (const Buffer* buffer = v.buffers.find(one.objects[0]);
            buffer != nullptr && !within(one.offset + *offset, one.range, buffer->bytes))
          return "a dynamic offset of " + std::to_string(*offset) + " moves binding " + std::to_string(b.binding) +
                 " of " + v.name(id) + " outside " + v.name(one.objects[0]);
      }
  }
  return {};
}

template <class Sets>
Wrong bind_sets(Validity& v, const Call& c, const Sets& a, const std::vector<VkPipelineBindPoint>& points) {
  const ObjectId id = c.id(&a.layout);
  const PipelineLayout* layout = v.pipeline_layouts.find(id);
  if (layout == nullptr) return {};
  if (!within(a.firstSet, a.descriptorSetCount, layout->sets.size()))
    return "binds sets " + std::to_string(a.firstSet) + " to " +
           std::to_string(std::uint64_t{a.firstSet} + a.descriptorSetCount) + " of " + v.name(id) + ", which has " +
           std::to_string(layout->sets.size());
  std::uint64_t dynamic = 0;
  bool known = true;
  CommandBuffer* commands = v.command_buffers.find(c.dispatch());
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    const ObjectId set_id = c.id(&a.pDescriptorSets[i]);
    if (set_id == ObjectId::null && !has_parts(v, c)) return "set " + std::to_string(i) + " is null";
    const Set* set = v.sets.find(set_id);
    const SetLayoutRef& wanted = layout->sets[a.firstSet + i];
    for (const VkPipelineBindPoint point : points)
      if (commands != nullptr) commands->bound_sets[{point, a.firstSet + i}] = set_id;
    if (set != nullptr && wanted == nullptr) return v.name(set_id) + " is bound where " + v.name(id) + " has no set";
    if (set == nullptr) {
      known = known && set_id == ObjectId::null;
      continue;
    }
    dynamic += set->layout->dynamic;
    if (wanted != nullptr && wanted != set->layout && wanted->bindings != set->layout->bindings)
      return v.name(set_id) + " does not have the layout of set " + std::to_string(a.firstSet + i) + " of " +
             v.name(id);
  }
  if (known && dynamic > a.dynamicOffsetCount)
    return "has " + std::to_string(a.dynamicOffsetCount) + " dynamic offsets, and its sets have " +
           std::to_string(dynamic);
  if (known && dynamic != a.dynamicOffsetCount) v.change(c, a.dynamicOffsetCount, static_cast<std::uint32_t>(dynamic));
  return known && dynamic != 0 ? check_offsets(v, c, a) : Wrong();
}

Wrong bind_sets_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorSets>();
  return bind_sets(v, c, a, {a.pipelineBindPoint});
}

#ifdef VK_KHR_maintenance6
Wrong bind_sets_2(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdBindDescriptorSets2>().pBindDescriptorSetsInfo;
  if (Wrong w = check_layout(c.id(&info.layout)); !w.empty()) return w;
  return bind_sets(v, c, info, points_of(info.stageFlags));
}

Wrong push_constants_2(Validity&, const Call& c) {
  const auto& info = *c.as<args_vkCmdPushConstants2>().pPushConstantsInfo;
  return check_layout(c.id(&info.layout));
}
#endif

}  // namespace

std::vector<VkPipelineBindPoint> points_of(VkShaderStageFlags stages) {
  constexpr VkShaderStageFlags kRays = VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
                                       VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
                                       VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
  std::vector<VkPipelineBindPoint> points;
  if ((stages & ~(kRays | VK_SHADER_STAGE_COMPUTE_BIT)) != 0) points.push_back(VK_PIPELINE_BIND_POINT_GRAPHICS);
  if ((stages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) points.push_back(VK_PIPELINE_BIND_POINT_COMPUTE);
  if ((stages & kRays) != 0) points.push_back(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR);
  return points;
}

Wrong check_sets_of_layout(const Validity& v, const Call& c, const VkPipelineLayoutCreateInfo& info) {
  for (std::uint32_t i = 0; i < info.setLayoutCount && !has_parts(v, c); ++i)
    if (c.id(&info.pSetLayouts[i]) == ObjectId::null) return "layout " + std::to_string(i) + " is null";
  return {};
}

Wrong check_layout(ObjectId layout) { return layout == ObjectId::null ? "there is no pipeline layout" : Wrong(); }

bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

bool pushes(const SetLayout& layout) {
  return (layout.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) != 0;
}

const SetLayout* set_of(Validity& v, ObjectId layout_id, std::uint32_t set, Wrong& wrong) {
  const PipelineLayout* layout = v.pipeline_layouts.find(layout_id);
  if (layout == nullptr) return nullptr;
  if (set < layout->sets.size()) return layout->sets[set].get();
  wrong = v.name(layout_id) + " has no set " + std::to_string(set);
  return nullptr;
}

void add_descriptor_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateDescriptorSetLayout, create_set_layout);
  add(CommandId::vkCreatePipelineLayout, create_pipeline_layout);
  add(CommandId::vkCreateDescriptorPool, create_set_pool);
  add(CommandId::vkAllocateDescriptorSets, allocate_sets);
  add(CommandId::vkFreeDescriptorSets, free_sets);
  add(CommandId::vkCmdBindDescriptorSets, bind_sets_1);
#ifdef VK_KHR_maintenance6
  add(CommandId::vkCmdBindDescriptorSets2, bind_sets_2);
  add(CommandId::vkCmdPushConstants2, push_constants_2);
#endif
}

}  // namespace rondo::player::validity
