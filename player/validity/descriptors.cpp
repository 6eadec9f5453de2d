// SPDX-License-Identifier: Apache-2.0
// Descriptor sets: what is written lies within their layouts, and what is bound
// has the layout that the pipeline layout says.
#include "player/validity/descriptors.h"

#include <algorithm>

#include "format/codec/shapes.h"
#include "generated/args.h"
#include "player/validity/validity.h"

namespace rondo::player::validity {

namespace {

bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

Wrong create_set_layout(Validity& v, const Call& c) {
  const VkDescriptorSetLayoutCreateInfo& info = *c.as<args_vkCreateDescriptorSetLayout>().pCreateInfo;
  auto layout = std::make_shared<SetLayout>();
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = info.pBindings[i];
    layout->bindings.push_back({b.binding, b.descriptorType, b.descriptorCount, b.pImmutableSamplers != nullptr});
    if (is_dynamic(b.descriptorType)) layout->dynamic += b.descriptorCount;
  }
  std::uint32_t last = 0;
  for (const Binding& b : layout->bindings) last = std::max(last, b.binding);
  const auto* flags = find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  constexpr VkDescriptorBindingFlags kLate =
      VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;
  for (std::uint32_t i = 0; flags != nullptr && flags->pBindingFlags != nullptr && i < info.bindingCount &&
                            i < flags->bindingCount;
       ++i) {
    if ((flags->pBindingFlags[i] & kLate) != 0) layout->late.push_back(info.pBindings[i].binding);
    layout->variable = layout->variable ||
                       (info.pBindings[i].binding == last &&
                        (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0);
  }
  std::sort(layout->bindings.begin(), layout->bindings.end(),
            [](const Binding& a, const Binding& b) { return a.binding < b.binding; });
  for (std::size_t i = 1; i < layout->bindings.size(); ++i)
    if (layout->bindings[i].binding == layout->bindings[i - 1].binding)
      return "has binding " + std::to_string(layout->bindings[i].binding) + " twice";
  if (const ObjectId id = c.created(); id != 0) v.set_layouts.make(id) = std::move(layout);
  return {};
}

Wrong create_pipeline_layout(Validity& v, const Call& c) {
  const VkPipelineLayoutCreateInfo& info = *c.as<args_vkCreatePipelineLayout>().pCreateInfo;
  const ObjectId id = c.created();
  if (id == 0) return {};
  PipelineLayout& layout = v.pipeline_layouts.make(id);
  for (std::uint32_t i = 0; i < info.setLayoutCount; ++i) {
    const SetLayoutRef* set = v.set_layouts.find(c.id(&info.pSetLayouts[i]));
    layout.sets.push_back(set != nullptr ? *set : nullptr);
  }
  for (std::uint32_t i = 0; i < info.pushConstantRangeCount; ++i)
    layout.ranges.push_back(info.pPushConstantRanges[i]);
  return {};
}

Wrong allocate_sets(Validity& v, const Call& c) {
  const VkDescriptorSetAllocateInfo& info = *c.as<args_vkAllocateDescriptorSets>().pAllocateInfo;
  const auto* counts = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    const SetLayoutRef* layout = v.set_layouts.find(c.id(&info.pSetLayouts[i]));
    const ObjectId id = c.created(i);
    if (id == 0 || layout == nullptr) continue;
    Set& set = v.sets.make(id);
    set.layout = *layout;
    if (!set.layout->variable) continue;
    set.last = counts != nullptr && i < counts->descriptorSetCount ? counts->pDescriptorCounts[i] : 0;
    if (const Binding& b = set.layout->bindings.back(); set.last > b.count)
      return "allocates " + std::to_string(set.last) + " descriptors for binding " +
             std::to_string(b.binding) + ", which has " + std::to_string(b.count);
  }
  return {};
}

Wrong free_sets(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkFreeDescriptorSets>();
  const ObjectId pool = c.id(&a.descriptorPool);
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i)
    if (const ObjectId set = c.id(&a.pDescriptorSets[i]);
        set != 0 && v.plan().objects.objects()[set].parent != pool)
      return v.name(set) + " is not of " + v.name(pool);
  return {};
}

// A range that reaches beyond its buffer ends with it.
Wrong check_buffer_info(Validity& v, const Call& c, ObjectId id, const VkDescriptorBufferInfo& info) {
  VkDeviceSize range = info.range;
  const Buffer* buffer = v.buffers.find(id);
  if (buffer != nullptr && info.offset < buffer->bytes && range != VK_WHOLE_SIZE &&
      range > buffer->bytes - info.offset) {
    range = buffer->bytes - info.offset;
    v.change(c, info.range, range);
  }
  return check_bytes(v, "pBufferInfo", id, info.offset, range);
}

// What is written to a set while work uses it waits for that work.
void change_set(Validity& v, ObjectId set, const SetLayout* layout, std::uint32_t binding) {
  if (layout == nullptr || std::find(layout->late.begin(), layout->late.end(), binding) == layout->late.end())
    v.needs_end_of_use(set);
}

constexpr VkDescriptorType kAnyType = VK_DESCRIPTOR_TYPE_MAX_ENUM;

// A write of `count` descriptors, which may go on in the bindings behind.
// `last`: as of Set.
Wrong check_place(const SetLayout& layout, std::uint32_t last, const std::string& where,
                  std::uint32_t binding, std::uint32_t element, std::uint32_t count, VkDescriptorType type) {
  auto at = std::find_if(layout.bindings.begin(), layout.bindings.end(),
                         [&](const Binding& b) { return b.binding == binding; });
  const std::string what = "binding " + std::to_string(binding);
  if (at == layout.bindings.end()) return where + " has no " + what;
  std::uint64_t end = std::uint64_t{element} + count;
  while (true) {
    if (at->count != 0 && at->type != type && at->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT && type != kAnyType)
      return what + " of " + where + " has another descriptor type";
    const bool is_last = std::next(at) == layout.bindings.end();
    const std::uint32_t elements = is_last ? std::min(at->count, last) : at->count;
    if (end <= elements) return {};
    end -= elements;
    if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK || ++at == layout.bindings.end())
      return std::to_string(count) + " descriptors from element " + std::to_string(element) + " do not fit " +
             what + " of " + where;
  }
}

Wrong check_write(Validity& v, const Call& c, const SetLayout* layout, std::uint32_t last,
                  const std::string& where, const VkWriteDescriptorSet& w) {
  if (w.descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return "writes a descriptor without a type";
  if (layout != nullptr)
    if (Wrong wrong = check_place(*layout, last, where, w.dstBinding, w.dstArrayElement, w.descriptorCount,
                                  w.descriptorType);
        !wrong.empty())
      return wrong;
  const bool samples = w.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                       w.descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  if (samples && w.pImageInfo != nullptr && layout != nullptr &&
      std::any_of(layout->bindings.begin(), layout->bindings.end(),
                  [&](const Binding& b) { return b.binding == w.dstBinding && !b.samplers; }))
    for (std::uint32_t i = 0; i < w.descriptorCount; ++i)
      if (c.id(&w.pImageInfo[i].sampler) == 0) return "a descriptor has no sampler";
  if (w.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
    const auto* data = find_chained<VkWriteDescriptorSetInlineUniformBlock>(
        w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
    if (data == nullptr || data->dataSize != w.descriptorCount)
      return "has not as many bytes for an inline uniform block as it says";
    return {};
  }
  if (w.pBufferInfo != nullptr && descriptor_item(w.descriptorType) == DescriptorItem::buffer)
    for (std::uint32_t i = 0; i < w.descriptorCount; ++i)
      if (Wrong wrong = check_buffer_info(v, c, c.id(&w.pBufferInfo[i].buffer), w.pBufferInfo[i]);
          !wrong.empty())
        return wrong;
  return {};
}

void hold_written(Validity& v, const Call& c, ObjectId set, const VkWriteDescriptorSet& w) {
  for (std::uint32_t i = 0; i < w.descriptorCount; ++i) switch (descriptor_item(w.descriptorType)) {
      case DescriptorItem::buffer:
        if (w.pBufferInfo != nullptr) v.hold(c.id(&w.pBufferInfo[i].buffer), set);
        break;
      case DescriptorItem::image:
        if (w.pImageInfo == nullptr) break;
        v.hold(c.id(&w.pImageInfo[i].imageView), set);
        v.hold(c.id(&w.pImageInfo[i].sampler), set);
        break;
      case DescriptorItem::texel_view:
        if (w.pTexelBufferView != nullptr) v.hold(c.id(&w.pTexelBufferView[i]), set);
        break;
      default:
        return;
    }
}

Wrong update_sets(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSets>();
  for (std::uint32_t i = 0; i < a.descriptorWriteCount; ++i) {
    const ObjectId set = c.id(&a.pDescriptorWrites[i].dstSet);
    const Set* state = v.sets.find(set);
    const SetLayout* known = state != nullptr ? state->layout.get() : nullptr;
    if (Wrong w = check_write(v, c, known, state != nullptr ? state->last : UINT32_MAX, v.name(set),
                              a.pDescriptorWrites[i]);
        !w.empty())
      return w;
    change_set(v, set, known, a.pDescriptorWrites[i].dstBinding);
    hold_written(v, c, set, a.pDescriptorWrites[i]);
  }
  for (std::uint32_t i = 0; i < a.descriptorCopyCount; ++i) {
    const VkCopyDescriptorSet& copy = a.pDescriptorCopies[i];
    const ObjectId from_id = c.id(&copy.srcSet), to_id = c.id(&copy.dstSet);
    const Set *from = v.sets.find(from_id), *to = v.sets.find(to_id);
    if (from == nullptr || to == nullptr) continue;
    change_set(v, to_id, to->layout.get(), copy.dstBinding);
    v.hold(from_id, to_id);  // as far as it goes: what was written to the one may be used by the other
    VkDescriptorType type{};
    for (const Binding& b : from->layout->bindings)
      if (b.binding == copy.srcBinding) type = b.type;
    // What a mutable descriptor is at the moment is for the program to know.
    if (type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) type = kAnyType;
    if (Wrong w = check_place(*from->layout, from->last, v.name(from_id), copy.srcBinding,
                              copy.srcArrayElement, copy.descriptorCount, type);
        !w.empty())
      return w;
    if (Wrong w = check_place(*to->layout, to->last, v.name(to_id), copy.dstBinding, copy.dstArrayElement,
                              copy.descriptorCount, type);
        !w.empty())
      return w;
  }
  return {};
}

const SetLayout* set_of(Validity& v, ObjectId layout_id, std::uint32_t set, Wrong& wrong) {
  const PipelineLayout* layout = v.pipeline_layouts.find(layout_id);
  if (layout == nullptr) return nullptr;
  if (set < layout->sets.size()) return layout->sets[set].get();
  wrong = v.name(layout_id) + " has no set " + std::to_string(set);
  return nullptr;
}

Wrong push_set(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPushDescriptorSetKHR>();
  Wrong wrong;
  const ObjectId id = c.id(&a.layout);
  const SetLayout* layout = set_of(v, id, a.set, wrong);
  for (std::uint32_t i = 0; wrong.empty() && i < a.descriptorWriteCount; ++i)
    wrong = check_write(v, c, layout, UINT32_MAX, "set " + std::to_string(a.set) + " of " + v.name(id),
                        a.pDescriptorWrites[i]);
  return wrong;
}

Wrong bind_sets(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdBindDescriptorSets>();
  const ObjectId id = c.id(&a.layout);
  const PipelineLayout* layout = v.pipeline_layouts.find(id);
  if (layout == nullptr) return {};
  if (!within(a.firstSet, a.descriptorSetCount, layout->sets.size()))
    return "binds sets " + std::to_string(a.firstSet) + " to " +
           std::to_string(std::uint64_t{a.firstSet} + a.descriptorSetCount) + " of " + v.name(id) +
           ", which has " + std::to_string(layout->sets.size());
  std::uint64_t dynamic = 0;
  bool known = true;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    const ObjectId set_id = c.id(&a.pDescriptorSets[i]);
    const Set* set = v.sets.find(set_id);
    const SetLayoutRef& wanted = layout->sets[a.firstSet + i];
    if (set == nullptr) {
      known = known && set_id == 0;
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
  if (known && dynamic != a.dynamicOffsetCount)
    v.change(c, a.dynamicOffsetCount, static_cast<std::uint32_t>(dynamic));
  return {};
}

Wrong create_template(Validity& v, const Call& c) {
  const VkDescriptorUpdateTemplateCreateInfo& info =
      *c.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
  const ObjectId id = c.created();
  Wrong wrong;
  const SetLayout* layout = nullptr;
  ObjectId of = 0;
  if (info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
    of = c.id(&info.pipelineLayout);
    layout = set_of(v, of, info.set, wrong);
  } else {
    of = c.id(&info.descriptorSetLayout);
    if (const SetLayoutRef* set = v.set_layouts.find(of); set != nullptr) layout = set->get();
  }
  for (std::uint32_t i = 0; wrong.empty() && layout != nullptr && i < info.descriptorUpdateEntryCount; ++i) {
    const VkDescriptorUpdateTemplateEntry& e = info.pDescriptorUpdateEntries[i];
    wrong = check_place(*layout, UINT32_MAX, v.name(of), e.dstBinding, e.dstArrayElement, e.descriptorCount,
                        e.descriptorType);
  }
  if (id != 0)
    v.templates.make(id).entries.assign(info.pDescriptorUpdateEntries,
                                        info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
  return wrong;
}

// The driver reads where the template says: there must be data, and handles
// that were resolved. `set`: that it goes to, null: pushed.
Wrong check_template_data(Validity& v, const Call& c, ObjectId id, const void* data, const Set* set,
                          ObjectId set_id) {
  const Template* made = v.templates.find(id);
  if (made == nullptr || data == nullptr) return {};
  const std::uint64_t start = c.view.offset(data), bytes = c.lowered.bytes.size() - start;
  const auto names = [&](std::uint64_t at, HandleType type) {
    const std::size_t handle = c.view.handle_at(static_cast<std::uint32_t>(start + at));
    return handle != NativeView::kNoHandle && c.lowered.handles[handle].type == type;
  };
  const std::string differs = "its data is not what " + v.name(id) + " says";
  for (const VkDescriptorUpdateTemplateEntry& e : made->entries) {
    if (set != nullptr)
      if (Wrong w = check_place(*set->layout, set->last, v.name(set_id), e.dstBinding, e.dstArrayElement,
                                e.descriptorCount, e.descriptorType);
          !w.empty())
        return w;
    const DescriptorItem item = descriptor_item(e.descriptorType);
    const std::uint64_t size = item == DescriptorItem::bytes ? e.descriptorCount : item_bytes(item);
    const std::uint64_t count = item == DescriptorItem::bytes ? 1 : e.descriptorCount;
    for (std::uint64_t i = 0; i < count && size != 0; ++i) {
      const std::uint64_t at = e.offset + i * e.stride;
      if (e.offset > bytes || (i != 0 && e.stride > bytes) || !within(at, size, bytes)) return differs;
      if (item == DescriptorItem::buffer) {
        if (!names(at, HandleType::VkBuffer)) return differs;
        const auto& info = *reinterpret_cast<const VkDescriptorBufferInfo*>(
            c.view.at(static_cast<std::uint32_t>(start + at)));
        if (Wrong w = check_buffer_info(v, c, c.id(&info.buffer), info); !w.empty()) return w;
      } else if (item == DescriptorItem::image &&
                 !is_enumerant(EnumId::VkImageLayout,
                               codec::load<std::uint32_t>(c.view.at(static_cast<std::uint32_t>(start + at)) +
                                                          offsetof(VkDescriptorImageInfo, imageLayout)))) {
        return "an imageLayout of its data is none";
      } else if ((item == DescriptorItem::image &&
                  !(names(at, HandleType::VkSampler) && names(at + 8, HandleType::VkImageView))) ||
                 (item == DescriptorItem::texel_view && !names(at, HandleType::VkBufferView))) {
        return differs;
      }
    }
  }
  return {};
}

Wrong update_with_template(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkUpdateDescriptorSetWithTemplate>();
  const ObjectId set = c.id(&a.descriptorSet);
  const Set* state = v.sets.find(set);
  if (const Template* made = v.templates.find(c.id(&a.descriptorUpdateTemplate)); made != nullptr)
    for (const VkDescriptorUpdateTemplateEntry& e : made->entries)
      change_set(v, set, state != nullptr ? state->layout.get() : nullptr, e.dstBinding);
  for (const ObjectId id : c.resolution.ids)
    if (id != 0 && id != set && id != c.dispatch()) v.hold(id, set);
  return check_template_data(v, c, c.id(&a.descriptorUpdateTemplate), a.pData, state, set);
}

Wrong push_with_template(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPushDescriptorSetWithTemplateKHR>();
  return check_template_data(v, c, c.id(&a.descriptorUpdateTemplate), a.pData, nullptr, 0);
}

}  // namespace

DescriptorItem descriptor_item(VkDescriptorType type) {
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      return DescriptorItem::image;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      return DescriptorItem::buffer;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      return DescriptorItem::texel_view;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
      return DescriptorItem::bytes;
    default:
      return DescriptorItem::other;
  }
}

std::uint64_t item_bytes(DescriptorItem item) {
  switch (item) {
    case DescriptorItem::image:
      return sizeof(VkDescriptorImageInfo);
    case DescriptorItem::buffer:
      return sizeof(VkDescriptorBufferInfo);
    default:
      return sizeof(std::uint64_t);
  }
}

void add_descriptor_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkCreateDescriptorSetLayout, create_set_layout);
  add(CommandId::vkCreatePipelineLayout, create_pipeline_layout);
  add(CommandId::vkAllocateDescriptorSets, allocate_sets);
  add(CommandId::vkFreeDescriptorSets, free_sets);
  add(CommandId::vkUpdateDescriptorSets, update_sets);
  add(CommandId::vkCmdPushDescriptorSetKHR, push_set);
  add(CommandId::vkCmdBindDescriptorSets, bind_sets);
  add(CommandId::vkCreateDescriptorUpdateTemplate, create_template);
  add(CommandId::vkUpdateDescriptorSetWithTemplate, update_with_template);
  add(CommandId::vkCmdPushDescriptorSetWithTemplateKHR, push_with_template);
}

}  // namespace rondo::player::validity
