// SPDX-License-Identifier: Apache-2.0
// What is written to descriptor sets, pushed, or put there by templates: it
// lies within their layouts, and what it names is remembered.
#include <algorithm>
#include <optional>

#include "format/codec/shapes.h"
#include "generated/args.h"
#include "player/legal/descriptors.h"
#include "player/legal/validity.h"

namespace rondo::player::validity {

namespace {

// A range that reaches beyond its buffer ends with it.
Wrong check_buffer_info(Validity& v, const Call& c, ObjectId id, VkDescriptorType type,
                        const VkDescriptorBufferInfo& info) {
  v.note_offset(type, info.offset);
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
Wrong check_place(const SetLayout& layout, std::uint32_t last, const std::string& where, std::uint32_t binding,
                  std::uint32_t element, std::uint32_t count, VkDescriptorType type) {
  auto at = std::find_if(layout.bindings.begin(), layout.bindings.end(),
                         [&](const Binding& b) { return b.binding == binding; });
  const std::string what = "binding " + std::to_string(binding);
  if (at == layout.bindings.end()) return where + " has no " + what;
  if (at->type != type && at->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT && type != kAnyType)
    return what + " of " + where + " has another descriptor type";
  if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && (element % 4 != 0 || count % 4 != 0))
    return "an inline uniform block is written at no multiple of 4 bytes";
  std::uint64_t end = std::uint64_t{element} + count;
  while (true) {
    if (at->count != 0 && at->type != type && at->type != VK_DESCRIPTOR_TYPE_MUTABLE_EXT && type != kAnyType)
      return what + " of " + where + " has another descriptor type";
    const bool is_last = std::next(at) == layout.bindings.end();
    const std::uint32_t elements = is_last ? std::min(at->count, last) : at->count;
    if (end <= elements) return {};
    end -= elements;
    if (type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK || ++at == layout.bindings.end())
      return std::to_string(count) + " descriptors from element " + std::to_string(element) + " do not fit " + what +
             " of " + where;
  }
}

// Where none are immutable. The element may lie in a binding behind.
bool needs_sampler(const SetLayout& layout, std::uint32_t binding, std::uint64_t element, VkDescriptorType type) {
  if (type != VK_DESCRIPTOR_TYPE_SAMPLER && type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) return false;
  auto at = std::find_if(layout.bindings.begin(), layout.bindings.end(),
                         [&](const Binding& b) { return b.binding == binding; });
  for (; at != layout.bindings.end() && element >= at->count; ++at) element -= at->count;
  return at != layout.bindings.end() && !at->samplers;
}

Wrong check_write(Validity& v, const Call& c, const SetLayout* layout, std::uint32_t last, const std::string& where,
                  const VkWriteDescriptorSet& w) {
  if (w.descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT) return "writes a descriptor without a type";
  if (layout != nullptr)
    if (Wrong wrong =
            check_place(*layout, last, where, w.dstBinding, w.dstArrayElement, w.descriptorCount, w.descriptorType);
        !wrong.empty())
      return wrong;
  if (w.pImageInfo != nullptr && layout != nullptr && descriptor_item(w.descriptorType) == DescriptorItem::image)
    for (std::uint32_t i = 0; i < w.descriptorCount; ++i)
      if (c.id(&w.pImageInfo[i].sampler) == ObjectId::null &&
          needs_sampler(*layout, w.dstBinding, std::uint64_t{w.dstArrayElement} + i, w.descriptorType))
        return "a descriptor has no sampler";
  if (w.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
    const auto* data = find_chained<VkWriteDescriptorSetInlineUniformBlock>(
        w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
    if (data == nullptr || data->dataSize != w.descriptorCount)
      return "has not as many bytes for an inline uniform block as it says";
    return {};
  }
  if (w.descriptorType == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR) {
    const auto* which = find_chained<VkWriteDescriptorSetAccelerationStructureKHR>(
        w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
    if (which == nullptr || which->accelerationStructureCount != w.descriptorCount)
      return "has not as many acceleration structures as it says";
    for (std::uint32_t i = 0; i < w.descriptorCount; ++i)
      if (c.id(&which->pAccelerationStructures[i]) == ObjectId::null &&
          !v.allows(c.dispatch(), Relaxation::null_descriptors))
        return "an acceleration structure is null";
    return {};
  }
  if (w.pBufferInfo != nullptr && descriptor_item(w.descriptorType) == DescriptorItem::buffer)
    for (std::uint32_t i = 0; i < w.descriptorCount; ++i)
      if (Wrong wrong = check_buffer_info(v, c, c.id(&w.pBufferInfo[i].buffer), w.descriptorType, w.pBufferInfo[i]);
          !wrong.empty())
        return wrong;
  return {};
}

// Where the n-th descriptor of a write goes: it may go on in the bindings behind.
struct Target {
  const Set& set;
  std::vector<Binding>::const_iterator at;
  std::uint32_t element;
  Target(const Set& to, std::uint32_t binding, std::uint32_t first) : set(to), element(first) {
    at = std::find_if(set.layout->bindings.begin(), set.layout->bindings.end(),
                      [&](const Binding& b) { return b.binding == binding; });
    settle();
  }
  bool there() const { return at != set.layout->bindings.end(); }
  std::uint32_t room() const {
    return std::next(at) == set.layout->bindings.end() ? std::min(at->count, set.last) : at->count;
  }
  void settle() {
    while (there() && element >= room()) element -= room(), ++at;
  }
  void next() {
    if (!there()) return;
    ++element;
    settle();
  }
};

// What shaders and dynamic offsets reach. Not of bindings that may hold
// anything: nobody knows what of them is used, and they may be large.
void note_descriptor(Validity& v, Set& set, const Target& to, const Set::Descriptor& what) {
  if (!to.there()) return;
  const auto& partial = set.layout->partial;
  if (!is_dynamic(to.at->type) && std::find(partial.begin(), partial.end(), to.at->binding) != partial.end()) return;
  const std::size_t before = set.written.size();
  Set::Descriptor& one = set.written[{to.at->binding, to.element}];
  one = what;
  if (to.at->samplers) one.objects[1] = ObjectId::null;
  v.count_written(set.written.size() - before);
}

Set::Descriptor buffer_descriptor(Validity& v, ObjectId id, const VkDescriptorBufferInfo& info) {
  Set::Descriptor one;
  one.objects[0] = id;
  one.offset = info.offset;
  one.range = info.range;
  if (const Buffer* buffer = v.buffers.find(id); buffer != nullptr && info.offset <= buffer->bytes)
    one.range = std::min(one.range, buffer->bytes - info.offset);
  return one;
}

void note_write(Validity& v, const Call& c, ObjectId set_id, const VkWriteDescriptorSet& w) {
  Set* set = v.sets.find(set_id);
  const DescriptorItem item = descriptor_item(w.descriptorType);
  if (set == nullptr || item == DescriptorItem::bytes || item == DescriptorItem::other) return;
  Target to(*set, w.dstBinding, w.dstArrayElement);
  for (std::uint32_t i = 0; i < w.descriptorCount && to.there(); ++i, to.next()) {
    Set::Descriptor one;
    if (item == DescriptorItem::buffer && w.pBufferInfo != nullptr)
      one = buffer_descriptor(v, c.id(&w.pBufferInfo[i].buffer), w.pBufferInfo[i]);
    if (item == DescriptorItem::texel_view && w.pTexelBufferView != nullptr)
      one.objects[0] = c.id(&w.pTexelBufferView[i]);
    if (item == DescriptorItem::image && w.pImageInfo != nullptr) {
      one.objects[0] = c.id(&w.pImageInfo[i].imageView);
      one.objects[1] = c.id(&w.pImageInfo[i].sampler);
    }
    note_descriptor(v, *set, to, one);
  }
}

void note_copy(Validity& v, ObjectId from_id, ObjectId to_id, const VkCopyDescriptorSet& copy) {
  const Set* from = v.sets.find(from_id);
  Set* to = v.sets.find(to_id);
  if (from == nullptr || to == nullptr) return;
  std::vector<Set::Descriptor> all;  // the sets may be one
  Target source(*from, copy.srcBinding, copy.srcArrayElement);
  for (std::uint32_t i = 0; i < copy.descriptorCount && source.there(); ++i, source.next()) {
    if (source.at->type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) return;
    const auto found = from->written.find({source.at->binding, source.element});
    all.push_back(found != from->written.end() ? found->second : Set::Descriptor{});
  }
  Target target(*to, copy.dstBinding, copy.dstArrayElement);
  for (std::size_t i = 0; i < all.size() && target.there(); ++i, target.next()) note_descriptor(v, *to, target, all[i]);
  to->stale = to->stale || from->stale;
}

void hold_written(Validity& v, const Call& c, ObjectId set, const VkWriteDescriptorSet& w) {
  note_write(v, c, set, w);
  if (const auto* which = find_chained<VkWriteDescriptorSetAccelerationStructureKHR>(
          w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
      which != nullptr)
    for (std::uint32_t i = 0; i < which->accelerationStructureCount; ++i)
      v.hold(c.id(&which->pAccelerationStructures[i]), set);
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
    if (Wrong w =
            check_write(v, c, known, state != nullptr ? state->last : UINT32_MAX, v.name(set), a.pDescriptorWrites[i]);
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
    if (Wrong w = check_place(*from->layout, from->last, v.name(from_id), copy.srcBinding, copy.srcArrayElement,
                              copy.descriptorCount, type);
        !w.empty())
      return w;
    if (Wrong w = check_place(*to->layout, to->last, v.name(to_id), copy.dstBinding, copy.dstArrayElement,
                              copy.descriptorCount, type);
        !w.empty())
      return w;
    note_copy(v, from_id, to_id, copy);
  }
  return {};
}

template <class Push>
Wrong push_set(Validity& v, const Call& c, const Push& a, const std::vector<VkPipelineBindPoint>& points) {
  Wrong wrong;
  const ObjectId id = c.id(&a.layout);
  const SetLayout* layout = set_of(v, id, a.set, wrong);
  if (wrong.empty() && (layout == nullptr || !pushes(*layout)) && v.pipeline_layouts.find(id) != nullptr)
    return "set " + std::to_string(a.set) + " of " + v.name(id) + " is not for pushed descriptors";
  if (CommandBuffer* commands = v.command_buffers.find(c.dispatch()); commands != nullptr)
    for (const VkPipelineBindPoint point : points) commands->bound_sets[{point, a.set}] = ObjectId::null;
  for (std::uint32_t i = 0; wrong.empty() && i < a.descriptorWriteCount; ++i)
    wrong = check_write(v, c, layout, UINT32_MAX, "set " + std::to_string(a.set) + " of " + v.name(id),
                        a.pDescriptorWrites[i]);
  return wrong;
}

Wrong push_set_1(Validity& v, const Call& c) {
  const auto& a = c.as<args_vkCmdPushDescriptorSetKHR>();
  return push_set(v, c, a, {a.pipelineBindPoint});
}

#ifdef VK_KHR_maintenance6
Wrong push_set_2(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdPushDescriptorSet2>().pPushDescriptorSetInfo;
  if (Wrong w = check_layout(c.id(&info.layout)); !w.empty()) return w;
  return push_set(v, c, info, points_of(info.stageFlags));
}
#endif

Wrong create_template(Validity& v, const Call& c) {
  const VkDescriptorUpdateTemplateCreateInfo& info = *c.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
  const ObjectId id = c.created();
  Wrong wrong;
  const SetLayout* layout = nullptr;
  ObjectId of = ObjectId::null;
  if (info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
    of = c.id(&info.pipelineLayout);
    layout = set_of(v, of, info.set, wrong);
    if (wrong.empty() && layout != nullptr && !pushes(*layout))
      return "set " + std::to_string(info.set) + " of " + v.name(of) + " is not for pushed descriptors";
    if (wrong.empty() && layout == nullptr && v.pipeline_layouts.find(of) != nullptr)
      return v.name(of) + " has no set " + std::to_string(info.set);
  } else {
    of = c.id(&info.descriptorSetLayout);
    if (const SetLayoutRef* set = v.set_layouts.find(of); set != nullptr) layout = set->get();
  }
  for (std::uint32_t i = 0; wrong.empty() && layout != nullptr && i < info.descriptorUpdateEntryCount; ++i) {
    const VkDescriptorUpdateTemplateEntry& e = info.pDescriptorUpdateEntries[i];
    wrong = check_place(*layout, UINT32_MAX, v.name(of), e.dstBinding, e.dstArrayElement, e.descriptorCount,
                        e.descriptorType);
  }
  if (id != ObjectId::null) {
    Template& made = v.templates.make(id);
    made.entries.assign(info.pDescriptorUpdateEntries, info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
    made.pushes = info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
    made.set = info.set;
  }
  return wrong;
}

// The driver reads where the template says: there must be data, and handles
// that were resolved. `set`: that it goes to, null: pushed.
Wrong check_template_data(Validity& v, const Call& c, ObjectId id, const void* data, const SetLayout* layout,
                          std::uint32_t last, const std::string& where, ObjectId set_id) {
  const Template* made = v.templates.find(id);
  if (made == nullptr) return {};
  if (data == nullptr) return "pData is null";
  Set* set = v.sets.find(set_id);
  const std::uint64_t start = c.view.offset(data), bytes = c.lowered.bytes.size() - start;
  const auto names = [&](std::uint64_t at, HandleType type) {
    const std::size_t handle = c.view.handle_at(static_cast<std::uint32_t>(start + at));
    return handle != NativeView::kNoHandle && c.lowered.handles[handle].type == type;
  };
  const std::string differs = "its data is not what " + v.name(id) + " says";
  for (const VkDescriptorUpdateTemplateEntry& e : made->entries) {
    if (layout != nullptr)
      if (Wrong w =
              check_place(*layout, last, where, e.dstBinding, e.dstArrayElement, e.descriptorCount, e.descriptorType);
          !w.empty())
        return w;
    const DescriptorItem item = descriptor_item(e.descriptorType);
    const std::uint64_t size = item == DescriptorItem::bytes ? e.descriptorCount : item_bytes(item);
    const std::uint64_t count = item == DescriptorItem::bytes ? 1 : e.descriptorCount;
    std::optional<Target> to;
    if (set != nullptr) to.emplace(*set, e.dstBinding, e.dstArrayElement);
    for (std::uint64_t i = 0; i < count && size != 0; ++i) {
      const std::uint64_t at = e.offset + i * e.stride;
      const bool samples =
          layout != nullptr && needs_sampler(*layout, e.dstBinding, e.dstArrayElement + i, e.descriptorType);
      Set::Descriptor one;
      if (e.offset > bytes || (i != 0 && e.stride > bytes) || !within(at, size, bytes)) return differs;
      if (item == DescriptorItem::buffer) {
        if (!names(at, HandleType::VkBuffer)) return differs;
        const std::byte* const place = c.view.at(static_cast<std::uint32_t>(start + at));
        const auto info = codec::load<VkDescriptorBufferInfo>(place);  // it need not be aligned
        const ObjectId buffer = c.id(place + offsetof(VkDescriptorBufferInfo, buffer));
        if (Wrong w = check_buffer_info(v, c, buffer, e.descriptorType, info); !w.empty()) return w;
        one = buffer_descriptor(v, buffer, info);
      } else if (item == DescriptorItem::image && e.descriptorType != VK_DESCRIPTOR_TYPE_SAMPLER &&
                 !is_enumerant(EnumId::VkImageLayout,
                               codec::load<std::uint32_t>(c.view.at(static_cast<std::uint32_t>(start + at)) +
                                                          offsetof(VkDescriptorImageInfo, imageLayout)))) {
        return "an imageLayout of its data is none";
      } else if ((item == DescriptorItem::image &&
                  !(names(at, HandleType::VkSampler) && names(at + 8, HandleType::VkImageView))) ||
                 (item == DescriptorItem::texel_view && !names(at, HandleType::VkBufferView))) {
        return differs;
      } else if (item == DescriptorItem::image || item == DescriptorItem::texel_view) {
        const auto id_at = [&](std::uint64_t place) {
          return c.id(c.view.at(static_cast<std::uint32_t>(start + place)));
        };
        one.objects[0] = id_at(item == DescriptorItem::image ? at + 8 : at);
        if (item == DescriptorItem::image) one.objects[1] = id_at(at);
        if (samples && one.objects[1] == ObjectId::null) return "a descriptor has no sampler";
      }
      if (to && item != DescriptorItem::bytes) {
        note_descriptor(v, *set, *to, one);
        to->next();
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
    if (id != ObjectId::null && id != set && id != c.dispatch()) v.hold(id, set);
  if (const Template* made = v.templates.find(c.id(&a.descriptorUpdateTemplate)); made != nullptr && made->pushes)
    return v.name(c.id(&a.descriptorUpdateTemplate)) + " is for pushes";
  return check_template_data(v, c, c.id(&a.descriptorUpdateTemplate), a.pData,
                             state != nullptr ? state->layout.get() : nullptr,
                             state != nullptr ? state->last : UINT32_MAX, v.name(set), set);
}

template <class Push>
Wrong push_with_template(Validity& v, const Call& c, const Push& a) {
  const ObjectId template_id = c.id(&a.descriptorUpdateTemplate), id = c.id(&a.layout);
  const Template* made = v.templates.find(template_id);
  Wrong wrong;
  const SetLayout* layout = set_of(v, id, a.set, wrong);
  if (!wrong.empty()) return wrong;
  const std::string where = "set " + std::to_string(a.set) + " of " + v.name(id);
  if (layout != nullptr && !pushes(*layout)) return where + " is not for pushed descriptors";
  if (layout == nullptr && v.pipeline_layouts.find(id) != nullptr)
    return v.name(id) + " has no set " + std::to_string(a.set);
  if (made != nullptr && (!made->pushes || made->set != a.set))
    return v.name(template_id) + " is not for pushes to " + where;
  return check_template_data(v, c, template_id, a.pData, layout, UINT32_MAX, where, ObjectId::null);
}

Wrong push_with_template_1(Validity& v, const Call& c) {
  return push_with_template(v, c, c.as<args_vkCmdPushDescriptorSetWithTemplateKHR>());
}

#ifdef VK_KHR_maintenance6
Wrong push_with_template_2(Validity& v, const Call& c) {
  const auto& info = *c.as<args_vkCmdPushDescriptorSetWithTemplate2>().pPushDescriptorSetWithTemplateInfo;
  if (Wrong w = check_layout(c.id(&info.layout)); !w.empty()) return w;
  return push_with_template(v, c, info);
}
#endif

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

void add_descriptor_write_checks(std::vector<Handler>& table) {
  const auto add = [&](CommandId id, Handler handler) { table[static_cast<std::size_t>(id)] = handler; };
  add(CommandId::vkUpdateDescriptorSets, update_sets);
  add(CommandId::vkCmdPushDescriptorSetKHR, push_set_1);
#ifdef VK_KHR_maintenance6
  add(CommandId::vkCmdPushDescriptorSet2, push_set_2);
  add(CommandId::vkCmdPushDescriptorSetWithTemplate2, push_with_template_2);
#endif
  add(CommandId::vkCreateDescriptorUpdateTemplate, create_template);
  add(CommandId::vkUpdateDescriptorSetWithTemplate, update_with_template);
  add(CommandId::vkCmdPushDescriptorSetWithTemplateKHR, push_with_template_1);
}

}  // namespace rondo::player::validity
