// SPDX-License-Identifier: Apache-2.0
// What is written to descriptor sets, pushed, put there by templates, or written into memory; and what is bound.
#include <algorithm>
#include <cstddef>
#include <optional>

#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "generated/args.h"
#include "model/access/tracker.h"

namespace rondo::access {

namespace {

using codec::template_item;
using codec::TemplateItem;

void create_set_layout(Tracker& t, const Call& c) {
  const VkDescriptorSetLayoutCreateInfo& info = *c.as<args_vkCreateDescriptorSetLayout>().pCreateInfo;
  auto layout = std::make_shared<SetLayout>();
  for (const VkDescriptorSetLayoutBinding& b : std::span(info.pBindings, info.bindingCount))
    layout->bindings[b.binding] = {b.descriptorType, b.descriptorCount};
  t.set_layouts.make(c.created()) = std::move(layout);
}

void create_pipeline_layout(Tracker& t, const Call& c) {
  const VkPipelineLayoutCreateInfo& info = *c.as<args_vkCreatePipelineLayout>().pCreateInfo;
  std::vector<SetLayoutRef>& sets = t.pipeline_layouts.make(c.created());
  for (const VkDescriptorSetLayout& one : std::span(info.pSetLayouts, info.setLayoutCount)) {
    const SetLayoutRef* set = t.set_layouts.find(c.id(&one));
    sets.push_back(set != nullptr ? *set : nullptr);
  }
}

void allocate_sets(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkAllocateDescriptorSets>();
  const auto* counts = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      a.pAllocateInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  for (std::uint32_t i = 0; a.pDescriptorSets != nullptr && i < a.pAllocateInfo->descriptorSetCount; ++i) {
    const SetLayoutRef* layout = t.set_layouts.find(c.id(&a.pAllocateInfo->pSetLayouts[i]));
    if (layout == nullptr) continue;
    Set& made = t.sets.make(c.id(&a.pDescriptorSets[i]));
    made.layout = *layout;
    if (counts != nullptr && i < counts->descriptorSetCount) made.last = counts->pDescriptorCounts[i];
  }
}

// Where the n-th descriptor of a write goes: it may go on in the bindings behind.
class Place {
 public:
  Place(const SetLayout& layout, std::uint32_t binding, std::uint32_t element)
      : layout_(layout), at_(layout.bindings.find(binding)), element_(element) {
    settle();
  }
  bool there() const { return at_ != layout_.bindings.end(); }
  std::pair<std::uint32_t, std::uint32_t> key() const { return {at_->first, element_}; }
  void next() {
    ++element_;
    settle();
  }

 private:
  void settle() {
    while (there() && element_ >= at_->second.count) element_ -= at_->second.count, ++at_;
  }
  const SetLayout& layout_;
  std::map<std::uint32_t, SetLayout::Binding>::const_iterator at_;
  std::uint32_t element_;
};

// May be reached from now on, wherever the descriptor lies.
void reach(Tracker& t, const Descriptor& d) {
  ObjectId id = d.object;
  if (const ImageView* view = t.views.find(id); view != nullptr) id = view->image;
  if (const BufferView* view = t.buffer_views.find(id); view != nullptr) id = view->buffer;
  if (const Structure* structure = t.structures.find(id); structure != nullptr) t.in_memory.insert(structure->buffer);
  if (id != ObjectId::null) t.in_memory.insert(id);
}

// Where descriptors are written to: a set, or what is pushed. Without a layout, of pushes whose layout nobody made,
// as the write says.
struct Target {
  Descriptors& written;
  const SetLayout* layout;
  const Set* set = nullptr;
};

void put(Tracker& t, const Target& to, std::uint32_t binding, std::uint32_t element,
         const std::vector<Descriptor>& all) {
  std::optional<Place> place;
  if (to.layout != nullptr) place.emplace(*to.layout, binding, element);
  const std::size_t before = to.written.size();
  for (std::uint32_t i = 0; i < all.size() && (!place || place->there()); ++i) {
    const auto key = place ? place->key() : std::pair(binding, element + i);
    if (to.set != nullptr && to.set->has_many(key.first))
      reach(t, all[i]);
    else if (t.descriptors + to.written.size() - before < t.limits.descriptors)
      to.written[key] = all[i];
    else
      t.too_many = true;
    if (place) place->next();
  }
  if (to.set != nullptr) t.descriptors += to.written.size() - before;
}

Target target_of(Set& set) { return {set.written, set.layout.get(), &set}; }

// `at`: a VkDescriptorBufferInfo in the record. The data of a template need not be aligned.
Descriptor buffer_descriptor(const Call& c, VkDescriptorType type, const void* at) {
  const auto info = codec::load<VkDescriptorBufferInfo>(at);
  return {type, c.id(static_cast<const std::byte*>(at) + offsetof(VkDescriptorBufferInfo, buffer)), info.offset,
          info.range};
}

std::vector<Descriptor> descriptors_of(const Call& c, const VkWriteDescriptorSet& w) {
  std::vector<Descriptor> all;
  const auto* structures = find_chained<VkWriteDescriptorSetAccelerationStructureKHR>(
      w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
  const TemplateItem item = template_item(w.descriptorType);
  // Their arrays are as long as the count says; of others nothing is known.
  std::uint32_t count = w.descriptorCount;
  if (item == TemplateItem::acceleration_structure)
    count = structures != nullptr ? std::min(count, structures->accelerationStructureCount) : 0;
  if (item == TemplateItem::bytes || item == TemplateItem::unknown || w.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER)
    count = 0;
  if (item == TemplateItem::image && w.pImageInfo == nullptr) count = 0;
  if (item == TemplateItem::buffer && w.pBufferInfo == nullptr) count = 0;
  if (item == TemplateItem::texel_view && w.pTexelBufferView == nullptr) count = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Descriptor one{w.descriptorType, ObjectId::null, 0, 0};
    if (item == TemplateItem::buffer)
      one = buffer_descriptor(c, w.descriptorType, &w.pBufferInfo[i]);
    else if (item == TemplateItem::image)
      one.object = c.id(&w.pImageInfo[i].imageView);
    else if (item == TemplateItem::texel_view)
      one.object = c.id(&w.pTexelBufferView[i]);
    else
      one.object = c.id(&structures->pAccelerationStructures[i]);
    all.push_back(one);
  }
  return all;
}

// What was written to a binding of very many is not known one by one: then neither is what is copied from it.
void copy(Tracker& t, const Call& c, const VkCopyDescriptorSet& copy) {
  const Set* from = t.sets.find(c.id(&copy.srcSet));
  Set* to = t.sets.find(c.id(&copy.dstSet));
  if (from == nullptr || to == nullptr) return;
  if (copy.descriptorCount > t.limits.descriptors) {
    t.too_many = true;
    return;
  }
  std::vector<Descriptor> all;  // the sets may be one
  Place source(*from->layout, copy.srcBinding, copy.srcArrayElement);
  Place target(*to->layout, copy.dstBinding, copy.dstArrayElement);
  for (std::uint32_t i = 0; i < copy.descriptorCount && source.there() && target.there();
       ++i, source.next(), target.next()) {
    const auto found = from->written.find(source.key());
    all.push_back(found != from->written.end() ? found->second : Descriptor{});
    if (from->has_many(source.key().first)) to->copied.insert(target.key().first);
  }
  put(t, target_of(*to), copy.dstBinding, copy.dstArrayElement, all);
}

void update_sets(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSets>();
  for (const VkWriteDescriptorSet& w : std::span(a.pDescriptorWrites, a.descriptorWriteCount))
    if (Set* set = t.sets.find(c.id(&w.dstSet)); set != nullptr)
      put(t, target_of(*set), w.dstBinding, w.dstArrayElement, descriptors_of(c, w));
  for (const VkCopyDescriptorSet& one : std::span(a.pDescriptorCopies, a.descriptorCopyCount)) copy(t, c, one);
}

void create_template(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
  Template& made = t.templates.make(c.created());
  made.point = info.pipelineBindPoint;
  made.entries.assign(info.pDescriptorUpdateEntries, info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
}

// The data lies in the record as the program had it, and its handles are resolved like any.
void put_by_template(Tracker& t, const Call& c, const Target& to, ObjectId id, const void* data) {
  const Template* made = t.templates.find(id);
  if (made == nullptr || data == nullptr || !c.view.holds(data)) return;
  const auto* bytes = static_cast<const std::byte*>(data);
  const std::uint64_t room = c.view.lowered().bytes.size() - c.view.offset(data);
  for (const VkDescriptorUpdateTemplateEntry& e : made->entries) {
    const TemplateItem item = template_item(e.descriptorType);
    if (item == TemplateItem::bytes || item == TemplateItem::unknown || e.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER)
      continue;
    std::vector<Descriptor> all;
    for (std::uint64_t i = 0; i < e.descriptorCount; ++i) {
      if (i > t.limits.descriptors) {  // many in one place, by a stride of 0
        t.too_many = true;
        return;
      }
      const std::uint64_t at = e.offset + i * e.stride;
      if (e.offset > room || e.stride > room || at > room || codec::item_bytes(item) > room - at) return;
      Descriptor one{e.descriptorType, ObjectId::null, 0, 0};
      if (item == TemplateItem::buffer)
        one = buffer_descriptor(c, e.descriptorType, bytes + at);
      else
        one.object = c.id(bytes + at + (item == TemplateItem::image ? offsetof(VkDescriptorImageInfo, imageView) : 0));
      all.push_back(one);
    }
    put(t, to, e.dstBinding, e.dstArrayElement, all);
  }
}

void update_with_template(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSetWithTemplate>();
  if (Set* set = t.sets.find(c.id(&a.descriptorSet)); set != nullptr)
    put_by_template(t, c, target_of(*set), c.id(&a.descriptorUpdateTemplate), a.pData);
}

// --- Bound, pushed ---

// Dynamic offsets go to the sets in their order, as many to each as it has dynamic descriptors.
template <class Binds>
void bind_sets(Tracker& t, const Call& c, const Binds& a, VkPipelineBindPoint at) {
  CommandBuffer::Point& point = t.recording(c).points[index_of(at)];
  point.bound.reset();
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    Bound::PlacedSet placed;
    placed.set = c.id(&a.pDescriptorSets[i]);
    std::uint64_t wanted = 0;
    if (const Set* set = t.sets.find(placed.set); set != nullptr)
      for (const auto& [number, binding] : set->layout->bindings)
        if (binding.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
            binding.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
          wanted += binding.count;
    for (; wanted != 0 && next < a.dynamicOffsetCount; --wanted) placed.offsets.push_back(a.pDynamicOffsets[next++]);
    point.sets[a.firstSet + i] = std::move(placed);
  }
}

void bind_sets_1(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorSets>();
  bind_sets(t, c, a, a.pipelineBindPoint);
}

// What was pushed to this set before stays, but for what is pushed now.
template <class Put>
void push(Tracker& t, const Call& c, const VkPipelineLayout& layout_handle, std::uint32_t number,
          VkPipelineBindPoint at, const Put& put_all) {
  CommandBuffer::Point& point = t.recording(c).points[index_of(at)];
  point.bound.reset();
  Bound::PlacedSet& placed = point.sets[number];
  auto descriptors = placed.pushed != nullptr && placed.set == ObjectId::null
                         ? std::make_shared<Descriptors>(*placed.pushed)
                         : std::make_shared<Descriptors>();
  const SetLayout* layout = nullptr;
  if (const auto* sets = t.pipeline_layouts.find(c.id(&layout_handle)); sets != nullptr && number < sets->size())
    layout = (*sets)[number].get();
  put_all(Target{*descriptors, layout});
  t.remember(c, descriptors->size());
  placed = Bound::PlacedSet{};
  placed.pushed = std::move(descriptors);
}

template <class Pushes>
void push_set(Tracker& t, const Call& c, const Pushes& a, VkPipelineBindPoint at) {
  push(t, c, a.layout, a.set, at, [&](const Target& to) {
    for (const VkWriteDescriptorSet& w : std::span(a.pDescriptorWrites, a.descriptorWriteCount))
      put(t, to, w.dstBinding, w.dstArrayElement, descriptors_of(c, w));
  });
}

void push_set_1(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdPushDescriptorSetKHR>();
  push_set(t, c, a, a.pipelineBindPoint);
}

template <class Pushes>
void push_with_template(Tracker& t, const Call& c, const Pushes& a) {
  const ObjectId id = c.id(&a.descriptorUpdateTemplate);
  const Template* made = t.templates.find(id);
  if (made == nullptr) return;
  push(t, c, a.layout, a.set, made->point, [&](const Target& to) { put_by_template(t, c, to, id, a.pData); });
}

void push_with_template_1(Tracker& t, const Call& c) {
  push_with_template(t, c, c.as<args_vkCmdPushDescriptorSetWithTemplateKHR>());
}

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

void bind_sets_2(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCmdBindDescriptorSets2>().pBindDescriptorSetsInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) bind_sets(t, c, info, at);
}

void push_set_2(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCmdPushDescriptorSet2>().pPushDescriptorSetInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) push_set(t, c, info, at);
}

void push_with_template_2(Tracker& t, const Call& c) {
  push_with_template(t, c, *c.as<args_vkCmdPushDescriptorSetWithTemplate2>().pPushDescriptorSetWithTemplateInfo);
}
#endif

// --- In memory (VK_EXT_descriptor_buffer) ---

// What a descriptor names may be reached from wherever the program puts it.
void get_descriptor(Tracker& t, const Call& c) {
  for (const ObjectId id : c.resolution.ids)
    if (t.views.find(id) != nullptr || t.structures.find(id) != nullptr) reach(t, {{}, id, 0, 0});
}

void bind_buffers(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorBuffersEXT>();
  CommandBuffer& to = t.recording(c);
  to.descriptor_buffers.clear();
  for (const VkDescriptorBufferBindingInfoEXT& one : std::span(a.pBindingInfos, a.bufferCount))
    to.descriptor_buffers.push_back(one.address);
  to.changed();
}

template <class Offsets>
void set_offsets(Tracker& t, const Call& c, const Offsets& a, VkPipelineBindPoint at) {
  CommandBuffer::Point& point = t.recording(c).points[index_of(at)];
  point.bound.reset();
  for (std::uint32_t i = 0; i < a.setCount; ++i) {
    Bound::PlacedSet placed;
    placed.in_memory = true;
    point.sets[a.firstSet + i] = std::move(placed);
  }
}

void set_offsets_1(Tracker& t, const Call& c) {
  const auto& a = c.as<args_vkCmdSetDescriptorBufferOffsetsEXT>();
  set_offsets(t, c, a, a.pipelineBindPoint);
}

#ifdef VK_KHR_maintenance6
void set_offsets_2(Tracker& t, const Call& c) {
  const auto& info = *c.as<args_vkCmdSetDescriptorBufferOffsets2EXT>().pSetDescriptorBufferOffsetsInfo;
  for (const VkPipelineBindPoint at : points_of(info.stageFlags)) set_offsets(t, c, info, at);
}
#endif

}  // namespace

void add_descriptors(Handlers& handlers) {
  const auto add = [&](CommandId id, Handler handler) { handlers[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateDescriptorSetLayout, create_set_layout);
  add(CommandId::vkCreatePipelineLayout, create_pipeline_layout);
  add(CommandId::vkAllocateDescriptorSets, allocate_sets);
  add(CommandId::vkUpdateDescriptorSets, update_sets);
  add(CommandId::vkCreateDescriptorUpdateTemplate, create_template);
  add(CommandId::vkUpdateDescriptorSetWithTemplate, update_with_template);
  add(CommandId::vkCmdBindDescriptorSets, bind_sets_1);
  add(CommandId::vkCmdPushDescriptorSetKHR, push_set_1);
  add(CommandId::vkCmdPushDescriptorSetWithTemplateKHR, push_with_template_1);
  add(CommandId::vkGetDescriptorEXT, get_descriptor);
  add(CommandId::vkCmdBindDescriptorBuffersEXT, bind_buffers);
  add(CommandId::vkCmdSetDescriptorBufferOffsetsEXT, set_offsets_1);
#ifdef VK_KHR_maintenance6
  add(CommandId::vkCmdBindDescriptorSets2, bind_sets_2);
  add(CommandId::vkCmdPushDescriptorSet2, push_set_2);
  add(CommandId::vkCmdPushDescriptorSetWithTemplate2, push_with_template_2);
  add(CommandId::vkCmdSetDescriptorBufferOffsets2EXT, set_offsets_2);
#endif
}

}  // namespace rondo::access
