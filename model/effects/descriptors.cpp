// SPDX-License-Identifier: Apache-2.0
// What is written to descriptor sets, put there by templates and copies, or written into memory (specification,
// "Descriptor Sets").
#include <optional>

#include "format/codec/shapes.h"
#include "model/effects/descriptor_writes.h"

namespace rondo::model {

namespace {

using codec::template_item;
using codec::TemplateItem;

void create_set_layout(Effects& e, const Call& c) {
  e.set_layouts.make(c.made()) = set_layout_of(*c.as<args_vkCreateDescriptorSetLayout>().pCreateInfo);
}

void create_pipeline_layout(Effects& e, const Call& c) {
  const VkPipelineLayoutCreateInfo& info = *c.as<args_vkCreatePipelineLayout>().pCreateInfo;
  std::vector<SetLayoutRef>& sets = e.pipeline_layouts.make(c.made());
  for (const VkDescriptorSetLayout& one : std::span(info.pSetLayouts, info.setLayoutCount)) {
    const SetLayoutRef* set = e.set_layouts.find(c.id(&one));
    sets.push_back(set != nullptr ? *set : nullptr);
  }
}

void allocate_sets(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkAllocateDescriptorSets>();
  for (std::uint32_t i = 0; a.pDescriptorSets != nullptr && i < a.pAllocateInfo->descriptorSetCount; ++i) {
    const SetLayoutRef* layout = e.set_layouts.find(c.id(&a.pAllocateInfo->pSetLayouts[i]));
    if (layout == nullptr) continue;
    DescriptorSet& made = e.sets.make(c.id(&a.pDescriptorSets[i]));
    made.layout = *layout;
    made.last = last_count_of(**layout, *a.pAllocateInfo, i);
  }
}

// --- Put into sets ---

void put(Effects& e, const DescriptorTarget& to, std::uint32_t binding, std::uint32_t element,
         const std::vector<Descriptor>& all) {
  std::optional<DescriptorPlace> place;
  if (to.layout != nullptr) place.emplace(*to.layout, to.set != nullptr ? to.set->last : UINT32_MAX, binding, element);
  for (std::uint32_t i = 0; i < all.size() && (!place || place->there()); ++i) {
    const DescriptorKey key = place ? place->key() : DescriptorKey(binding, element + i);
    if (to.set != nullptr && to.set->has_many(key.first)) {
      reach_descriptor(e, all[i].object);
    } else if (const auto found = to.written.find(key); found != to.written.end()) {
      found->second = all[i];
    } else {
      if (!e.keep_descriptors(1, to.set == nullptr)) return;
      to.written.emplace(key, all[i]);
    }
    if (place) place->next();
  }
}

DescriptorTarget target_of(DescriptorSet& set) { return {set.written, set.layout.get(), &set}; }

// `at`: in the record. The data of a template need not be aligned.
Descriptor descriptor_at(const Call& c, VkDescriptorType type, const std::byte* at) {
  switch (template_item(type)) {
    case TemplateItem::buffer: {
      const auto info = codec::load<VkDescriptorBufferInfo>(at);
      return {type, c.id(at + offsetof(VkDescriptorBufferInfo, buffer)), info.offset, info.range};
    }
    case TemplateItem::image:
      return {type, c.id(at + offsetof(VkDescriptorImageInfo, imageView))};
    default:
      return {type, c.id(at)};
  }
}

// What is no memory has no place in what sets hold.
bool is_memory(VkDescriptorType type) {
  const TemplateItem item = template_item(type);
  return item != TemplateItem::bytes && item != TemplateItem::unknown && type != VK_DESCRIPTOR_TYPE_SAMPLER;
}

// What was written to a binding of very many is not known one by one: then neither is what is copied from it.
void copy(Effects& e, const Call& c, const VkCopyDescriptorSet& copied) {
  const DescriptorSet* from = e.sets.find(c.id(&copied.srcSet));
  DescriptorSet* to = e.sets.find(c.id(&copied.dstSet));
  if (from == nullptr || to == nullptr) return;
  if (copied.descriptorCount > e.most_descriptors()) return e.give_up();
  std::vector<Descriptor> all;  // the sets may be one
  for_each_copied(copied, from->place(copied.srcBinding, copied.srcArrayElement),
                  to->place(copied.dstBinding, copied.dstArrayElement),
                  [&](const DescriptorKey& source, const DescriptorKey& target) {
                    const auto found = from->written.find(source);
                    all.push_back(found != from->written.end() ? found->second : Descriptor{});
                    if (from->has_many(source.first)) to->copied.insert(target.first);
                  });
  put(e, target_of(*to), copied.dstBinding, copied.dstArrayElement, all);
}

void update_sets(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSets>();
  for (const VkWriteDescriptorSet& w : std::span(a.pDescriptorWrites, a.descriptorWriteCount))
    if (DescriptorSet* set = e.sets.find(c.id(&w.dstSet)); set != nullptr) write_descriptors(e, c, target_of(*set), w);
  for (const VkCopyDescriptorSet& one : std::span(a.pDescriptorCopies, a.descriptorCopyCount)) copy(e, c, one);
}

void create_template(Effects& e, const Call& c) {
  const auto& info = *c.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
  DescriptorTemplate& made = e.templates.make(c.made());
  made.point = info.pipelineBindPoint;
  made.entries.assign(info.pDescriptorUpdateEntries, info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
}

void update_with_template(Effects& e, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSetWithTemplate>();
  DescriptorSet* set = e.sets.find(c.id(&a.descriptorSet));
  const DescriptorTemplate* by = e.templates.find(c.id(&a.descriptorUpdateTemplate));
  if (set != nullptr && by != nullptr) write_with_template(e, c, target_of(*set), *by, a.pData);
}

// --- In memory (VK_EXT_descriptor_buffer) ---

// What a descriptor names may be reached from wherever the program puts it.
void get_descriptor(Effects& e, const Call& c) {
  for (const ObjectId id : c.resolution.ids)
    if (e.views.views.find(id) != nullptr || e.views.structures.find(id) != nullptr) reach_descriptor(e, id);
}

}  // namespace

void reach_descriptor(Effects& e, ObjectId id) {
  if (const ImageView* view = e.views.views.find(id); view != nullptr) id = view->image;
  if (const BufferView* view = e.buffer_views.find(id); view != nullptr) id = view->buffer;
  if (const auto* structure = e.views.structures.find(id); structure != nullptr) e.reach_in_memory(structure->buffer);
  e.reach_in_memory(id);
}

void write_descriptors(Effects& e, const Call& c, const DescriptorTarget& to, const VkWriteDescriptorSet& w) {
  if (!is_memory(w.descriptorType)) return;
  const WrittenDescriptors written = written_descriptors(w);
  std::vector<Descriptor> all;
  for (std::uint32_t i = 0; i < written.count; ++i)
    all.push_back(descriptor_at(c, w.descriptorType, written.first + i * written.stride));
  put(e, to, w.dstBinding, w.dstArrayElement, all);
}

// The data lies in the record as the program had it, and its handles are resolved like any.
void write_with_template(Effects& e, const Call& c, const DescriptorTarget& to, const DescriptorTemplate& by,
                         const void* data) {
  if (data == nullptr || !c.view.holds(data)) return;
  const auto* bytes = static_cast<const std::byte*>(data);
  const std::uint64_t room = c.view.lowered().bytes.size() - c.view.offset(data);
  for (const VkDescriptorUpdateTemplateEntry& entry : by.entries) {
    if (!is_memory(entry.descriptorType)) continue;
    std::vector<Descriptor> all;
    const bool whole = for_each_of_template(entry, bytes, room, [&](const std::byte* at) {
      if (all.size() > e.most_descriptors()) return e.give_up(), false;  // many in one place, by a stride of 0
      all.push_back(descriptor_at(c, entry.descriptorType, at));
      return true;
    });
    if (!whole) return;
    put(e, to, entry.dstBinding, entry.dstArrayElement, all);
  }
}

void add_descriptors(Handlers& handlers) {
  add(handlers, CommandId::vkCreateDescriptorSetLayout, create_set_layout, kObjects);
  add(handlers, CommandId::vkCreatePipelineLayout, create_pipeline_layout, kObjects);
  add(handlers, CommandId::vkAllocateDescriptorSets, allocate_sets, kObjects);
  add(handlers, CommandId::vkUpdateDescriptorSets, update_sets, kObjects);
  add(handlers, CommandId::vkCreateDescriptorUpdateTemplate, create_template, kObjects);
  add(handlers, CommandId::vkUpdateDescriptorSetWithTemplate, update_with_template, kObjects);
  add(handlers, CommandId::vkGetDescriptorEXT, get_descriptor, kObjects);
}

}  // namespace rondo::model
