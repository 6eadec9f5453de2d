// SPDX-License-Identifier: Apache-2.0
// What goes into descriptor sets: updates, copies, templates, pushes.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "tests/icd/chain.h"
#include "tests/icd/descriptors.h"
#include "tests/icd/execute.h"
#include "tests/icd/install.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

using rondo::codec::template_item;
using rondo::codec::TemplateItem;

using rondo::codec::load;

bool is_inline(VkDescriptorType type) { return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK; }

// How many elements a binding of the set has; bytes of an inline block.
std::uint32_t capacity(const DescriptorSetLayout& layout, const DescriptorSet* set, std::uint32_t binding) {
  if (set == nullptr) return layout.slots.at(binding).count;
  const auto& slot = set->slots.at(binding);
  return static_cast<std::uint32_t>(slot.descriptors.size() + slot.inline_block.size());
}

// A write runs on into the next bindings. Calls visit(binding, first element,
// elements, elements before these); false: it runs out of the layout.
template <class Visit>
bool each_binding(const DescriptorSetLayout& layout, const DescriptorSet* set, std::uint32_t binding,
                  std::uint32_t element, std::uint32_t count, Visit visit) {
  auto at = layout.slots.find(binding);
  std::uint64_t first = element;
  std::uint32_t done = 0;
  for (; at != layout.slots.end() && done < count; ++at) {
    const std::uint32_t room = capacity(layout, set, at->first);
    if (first >= room && room != 0) {
      first -= room;
      continue;
    }
    if (room == 0) continue;
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(count - done, room - first));
    if (!visit(at->first, static_cast<std::uint32_t>(first), n, done)) return true;
    done += n;
    first = 0;
  }
  return done == count;
}

bool mutable_slot(VkDescriptorType type) { return type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT; }

void check_buffer_info(VkDescriptorType type, const VkDescriptorBufferInfo& info) {
  const auto buffer = get<Buffer>(info.buffer);
  if (buffer == nullptr) return;  // a null descriptor
  const bool uniform = type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  const VkBufferUsageFlags needed = uniform ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if ((buffer->usage & needed) == 0)
    harmless("the buffer's usage does not allow such a descriptor");
  else if (buffer->binding.memory == nullptr)
    violation("the buffer is not bound to memory");
  else if (info.offset > buffer->size)
    violation("offset is outside the buffer");
  else if (info.range != VK_WHOLE_SIZE && info.range > buffer->size - info.offset)
    violation("offset + range reaches outside the buffer");
  else if (info.range == 0 || info.offset == buffer->size)
    harmless("the range is empty");  // what is behind its end is out of bounds as ever
  else if (info.offset % 64 != 0)
    harmless("offset is no multiple of the alignment for such descriptors");
}

void check_image_info(VkDescriptorType type, const VkDescriptorImageInfo& info, bool immutable) {
  const bool samples = type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  if (samples && !immutable && get<Sampler>(info.sampler) == nullptr)
    return violation("sampler is no live VkSampler, and the binding has no immutable one");
  if (type == VK_DESCRIPTOR_TYPE_SAMPLER) return;
  const auto view = get<ImageView>(info.imageView);
  if (view == nullptr) return;  // a null descriptor
  VkImageUsageFlags needed = VK_IMAGE_USAGE_SAMPLED_BIT;
  if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) needed = VK_IMAGE_USAGE_STORAGE_BIT;
  if (type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT) needed = VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  if ((view->image->usage & needed) == 0) harmless("the image's usage does not allow such a descriptor");
}

void apply_one(Descriptor& d, VkDescriptorType type, const std::byte* at, bool immutable) {
  d.type = type;
  d.written = true;
  switch (template_item(static_cast<std::uint32_t>(type))) {
    case TemplateItem::image: {
      const auto info = load<VkDescriptorImageInfo>(at);
      const bool samples = type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
      if (samples && !immutable) d.sampler = get<Sampler>(info.sampler);
      if (type != VK_DESCRIPTOR_TYPE_SAMPLER) {
        d.view = get<ImageView>(info.imageView);
        d.layout = info.imageLayout;
      }
      return;
    }
    case TemplateItem::buffer: {
      const auto info = load<VkDescriptorBufferInfo>(at);
      d.buffer = get<Buffer>(info.buffer);
      d.offset = info.offset;
      d.range = info.range;
      if (d.buffer != nullptr && info.range == VK_WHOLE_SIZE) d.range = d.buffer->size - info.offset;
      return;
    }
    case TemplateItem::texel_view:
      d.texels = get<BufferView>(load<VkBufferView>(at));
      return;
    default:
      return;
  }
}

bool after_bind(const DescriptorSetLayout& layout, std::uint32_t binding) {
  const auto slot = layout.slots.find(binding);
  return slot != layout.slots.end() &&
         (slot->second.flags &
          (VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT)) != 0;
}

void check_not_pending(const DescriptorSet& set, std::uint32_t binding) {
  if (set.pending != 0 && !after_bind(*set.layout, binding))
    violation("the set is in use by work that is not finished");
}

// --- updates ------------------------------------------------------------

void check_update_sets(Call&, const args_vkUpdateDescriptorSets& a) {
  for (std::uint32_t i = 0; i < a.descriptorWriteCount; ++i) {
    const auto set = get<DescriptorSet>(a.pDescriptorWrites[i].dstSet);
    if (a.pDescriptorWrites[i].descriptorCount == 0) return harmless("descriptorCount is 0");
    check_not_pending(*set, a.pDescriptorWrites[i].dstBinding);
    check_write(*set->layout, set.get(), as_write(a.pDescriptorWrites[i]));
  }
  for (std::uint32_t i = 0; i < a.descriptorCopyCount; ++i) {
    const VkCopyDescriptorSet& copy = a.pDescriptorCopies[i];
    const auto from = get<DescriptorSet>(copy.srcSet), to = get<DescriptorSet>(copy.dstSet);
    const auto all = [](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) { return true; };
    const auto source = from->layout->slots.find(copy.srcBinding), target = to->layout->slots.find(copy.dstBinding);
    if (source == from->layout->slots.end() || target == to->layout->slots.end())
      return violation("a copy names a binding that a layout lacks");
    if (source->second.type != target->second.type && !mutable_slot(source->second.type) &&
        !mutable_slot(target->second.type))
      return violation("a copy is between bindings of different types");
    if (!each_binding(*from->layout, from.get(), copy.srcBinding, copy.srcArrayElement, copy.descriptorCount, all) ||
        !each_binding(*to->layout, to.get(), copy.dstBinding, copy.dstArrayElement, copy.descriptorCount, all))
      return violation("a copy reaches outside a layout");
    check_not_pending(*to, copy.dstBinding);
  }
}

void copy_descriptors(const VkCopyDescriptorSet& copy) {
  const auto from = get<DescriptorSet>(copy.srcSet), to = get<DescriptorSet>(copy.dstSet);
  std::vector<Descriptor> read;
  std::vector<std::byte> bytes;
  std::unique_lock lock(from->mutex);
  each_binding(*from->layout, from.get(), copy.srcBinding, copy.srcArrayElement, copy.descriptorCount,
               [&](std::uint32_t binding, std::uint32_t first, std::uint32_t n, std::uint32_t) {
                 const auto& slot = from->slots.at(binding);
                 for (std::uint32_t i = first; i < first + n; ++i) {
                   if (slot.inline_block.empty())
                     read.push_back(slot.descriptors[i]);
                   else
                     bytes.push_back(slot.inline_block[i]);
                 }
                 return true;
               });
  lock.unlock();  // both may be one set
  lock = std::unique_lock(to->mutex);
  each_binding(*to->layout, to.get(), copy.dstBinding, copy.dstArrayElement, copy.descriptorCount,
               [&](std::uint32_t binding, std::uint32_t first, std::uint32_t n, std::uint32_t done) {
                 auto& slot = to->slots.at(binding);
                 const bool immutable = !to->layout->slots.at(binding).immutable.empty();
                 for (std::uint32_t i = 0; i < n; ++i) {
                   if (!slot.inline_block.empty()) {
                     if (done + i < bytes.size()) slot.inline_block[first + i] = bytes[done + i];
                   } else if (done + i < read.size()) {
                     auto sampler = slot.descriptors[first + i].sampler;
                     slot.descriptors[first + i] = read[done + i];
                     if (immutable) slot.descriptors[first + i].sampler = std::move(sampler);
                   }
                 }
                 return true;
               });
}

void update(Call&, args_vkUpdateDescriptorSets& a) {
  for (std::uint32_t i = 0; i < a.descriptorWriteCount; ++i)
    apply_write(*get<DescriptorSet>(a.pDescriptorWrites[i].dstSet), as_write(a.pDescriptorWrites[i]));
  for (std::uint32_t i = 0; i < a.descriptorCopyCount; ++i) copy_descriptors(a.pDescriptorCopies[i]);
}

// --- templates ------------------------------------------------------------

void check_create_template(Call&, const args_vkCreateDescriptorUpdateTemplate& a) {
  const VkDescriptorUpdateTemplateCreateInfo& info = *a.pCreateInfo;
  const bool pushes = info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR;
  if (info.descriptorUpdateEntryCount == 0) return harmless("descriptorUpdateEntryCount is 0");
  std::shared_ptr<DescriptorSetLayout> layout;
  if (pushes) {
    const auto pipelines = get<PipelineLayout>(info.pipelineLayout);
    if (info.set >= pipelines->sets.size() || pipelines->sets[info.set] == nullptr)
      return violation("set is none of the pipeline layout");
    layout = pipelines->sets[info.set];
    if ((layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) == 0)
      return violation("set is not one to push descriptors to");
  } else {
    layout = get<DescriptorSetLayout>(info.descriptorSetLayout);
  }
  for (std::uint32_t i = 0; i < info.descriptorUpdateEntryCount; ++i) {
    const auto& e = info.pDescriptorUpdateEntries[i];
    DescriptorWrite write{e.dstBinding, e.dstArrayElement, e.descriptorCount, e.descriptorType, nullptr, 0};
    check_write(*layout, nullptr, write);
  }
}

VkResult create_template(Call& call, args_vkCreateDescriptorUpdateTemplate& a) {
  const VkDescriptorUpdateTemplateCreateInfo& info = *a.pCreateInfo;
  auto made = std::make_shared<UpdateTemplate>();
  made->template_type = info.templateType;
  made->entries.assign(info.pDescriptorUpdateEntries, info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
  if (info.templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
    made->pipeline_layout = get<PipelineLayout>(info.pipelineLayout);
    made->layout = made->pipeline_layout->sets[info.set];
    made->bind_point = info.pipelineBindPoint;
    made->set = info.set;
  } else {
    made->layout = get<DescriptorSetLayout>(info.descriptorSetLayout);
  }
  *a.pDescriptorUpdateTemplate = as_handle<VkDescriptorUpdateTemplate>(publish(made, call.device));
  return VK_SUCCESS;
}

void check_update_sets_with(Call&, const args_vkUpdateDescriptorSetWithTemplate& a) {
  const auto made = get<UpdateTemplate>(a.descriptorUpdateTemplate);
  const auto set = get<DescriptorSet>(a.descriptorSet);
  if (a.pData == nullptr) return violation("pData is null");
  if (made->template_type != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET)
    return violation("the template is not for sets");
  for (const auto& entry : made->entries) {
    check_not_pending(*set, entry.dstBinding);
    check_write(*set->layout, set.get(), as_write(entry, a.pData));
  }
}

void update_with(Call&, args_vkUpdateDescriptorSetWithTemplate& a) {
  const auto set = get<DescriptorSet>(a.descriptorSet);
  for (const auto& entry : get<UpdateTemplate>(a.descriptorUpdateTemplate)->entries)
    apply_write(*set, as_write(entry, a.pData));
}

// --- pushes -------------------------------------------------------------

std::shared_ptr<DescriptorSetLayout> pushed_layout(VkPipelineLayout handle, std::uint32_t set) {
  const auto layout = get<PipelineLayout>(handle);
  if (set >= layout->sets.size() || layout->sets[set] == nullptr ||
      (layout->sets[set]->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) == 0)
    return nullptr;
  return layout->sets[set];
}

// What was pushed before to the same place stays: a copy, changed.
template <class Write>
void push(Call& call, VkPipelineBindPoint point, std::uint32_t number_of_set,
          const std::shared_ptr<DescriptorSetLayout>& layout, Write write) {
  auto& pushed = call.command_buffer->pushed[{point, number_of_set}];
  auto next = pushed != nullptr && pushed->layout == layout ? std::make_shared<DescriptorSet>() : make_set(layout, 0);
  if (pushed != nullptr && pushed->layout == layout) {
    next->layout = layout;
    next->slots = pushed->slots;
  }
  write(*next);
  pushed = next;
  record_call(call, nullptr);  // what was pushed counts for what follows
  record(call, [point, number_of_set, next](Execution& execution) {
    execution.bind_point(point).sets[number_of_set] = {next, {}};
  });
}

void check_push(Call&, const args_vkCmdPushDescriptorSetKHR& a) {
  const auto layout = pushed_layout(a.layout, a.set);
  if (layout == nullptr) return violation("set is not one to push descriptors to");
  if (a.descriptorWriteCount == 0) return violation("descriptorWriteCount is 0");
  for (std::uint32_t i = 0; i < a.descriptorWriteCount; ++i) {
    if (a.pDescriptorWrites[i].descriptorCount == 0) return harmless("descriptorCount is 0");
    check_write(*layout, nullptr, as_write(a.pDescriptorWrites[i]));
  }
}

void push_set(Call& call, args_vkCmdPushDescriptorSetKHR& a) {
  push(call, a.pipelineBindPoint, a.set, pushed_layout(a.layout, a.set), [&](DescriptorSet& set) {
    for (std::uint32_t i = 0; i < a.descriptorWriteCount; ++i) apply_write(set, as_write(a.pDescriptorWrites[i]));
  });
}

void check_push_with(Call&, const args_vkCmdPushDescriptorSetWithTemplateKHR& a) {
  const auto made = get<UpdateTemplate>(a.descriptorUpdateTemplate);
  if (a.pData == nullptr) return violation("pData is null");
  if (made->template_type != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR)
    return violation("the template is not for pushes");
  const auto layout = pushed_layout(a.layout, a.set);
  if (layout == nullptr || made->set != a.set) return violation("set is not the template's");
  for (const auto& entry : made->entries) check_write(*layout, nullptr, as_write(entry, a.pData));
}

void push_with(Call& call, args_vkCmdPushDescriptorSetWithTemplateKHR& a) {
  const auto made = get<UpdateTemplate>(a.descriptorUpdateTemplate);
  push(call, made->bind_point, a.set, pushed_layout(a.layout, a.set), [&](DescriptorSet& set) {
    for (const auto& entry : made->entries) apply_write(set, as_write(entry, a.pData));
  });
}

// --- binding --------------------------------------------------------------

// `offsets`: one for each dynamic descriptor of the set, which there are enough of.
const std::uint32_t* check_offsets(const DescriptorSet& set, const std::uint32_t* offsets) {
  const std::lock_guard lock(set.mutex);
  for (const auto& [binding, slot] : set.slots)
    for (const Descriptor& d : slot.descriptors) {
      if (!is_dynamic(d.type)) continue;
      if (d.buffer != nullptr && d.offset + *offsets > d.buffer->size - std::min(d.range, d.buffer->size))
        violation("a dynamic offset moves a descriptor's range outside its buffer");
      ++offsets;
    }
  return offsets;
}

void check_bind(Call&, const args_vkCmdBindDescriptorSets& a) {
  const auto layout = get<PipelineLayout>(a.layout);
  if (a.descriptorSetCount == 0) return violation("descriptorSetCount is 0");
  if (a.firstSet > layout->sets.size() || a.descriptorSetCount > layout->sets.size() - a.firstSet)
    return violation("there are more sets than the layout has");
  std::uint32_t dynamic = 0;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    const auto set = get<DescriptorSet>(a.pDescriptorSets[i]);
    const auto& wanted = layout->sets[a.firstSet + i];
    if (set == nullptr) continue;
    if (wanted == nullptr) return violation("a set is bound where the pipeline layout has none");
    bool same = set->layout->slots.size() == wanted->slots.size();
    for (const auto& [binding, slot] : set->layout->slots) {
      const auto other = wanted->slots.find(binding);
      same =
          same && other != wanted->slots.end() && other->second.type == slot.type && other->second.count == slot.count;
      if (is_dynamic(slot.type)) dynamic += static_cast<std::uint32_t>(set->slots.at(binding).descriptors.size());
    }
    if (!same) return violation("a set's layout is not compatible with the pipeline layout");
  }
  if (dynamic != a.dynamicOffsetCount)
    return violation("dynamicOffsetCount is " + std::to_string(a.dynamicOffsetCount) + ", and the sets have " +
                     std::to_string(dynamic) + " dynamic descriptors");
  for (std::uint32_t i = 0; i < a.dynamicOffsetCount; ++i)
    if (a.pDynamicOffsets[i] % 64 != 0)  // as those in descriptors
      return harmless("a dynamic offset is no multiple of the alignment");
  const std::uint32_t* offsets = a.pDynamicOffsets;
  for (std::uint32_t i = 0; i < a.descriptorSetCount && dynamic != 0; ++i)
    if (const auto set = get<DescriptorSet>(a.pDescriptorSets[i])) offsets = check_offsets(*set, offsets);
}

}  // namespace

DescriptorWrite as_write(const VkWriteDescriptorSet& w) {
  DescriptorWrite out{w.dstBinding, w.dstArrayElement, w.descriptorCount, w.descriptorType, nullptr, 0};
  switch (template_item(static_cast<std::uint32_t>(w.descriptorType))) {
    case TemplateItem::image:
      out.data = reinterpret_cast<const std::byte*>(w.pImageInfo);
      out.stride = sizeof(VkDescriptorImageInfo);
      break;
    case TemplateItem::buffer:
      out.data = reinterpret_cast<const std::byte*>(w.pBufferInfo);
      out.stride = sizeof(VkDescriptorBufferInfo);
      break;
    case TemplateItem::texel_view:
      out.data = reinterpret_cast<const std::byte*>(w.pTexelBufferView);
      out.stride = sizeof(VkBufferView);
      break;
    case TemplateItem::bytes:
      if (const auto* block = chained<VkWriteDescriptorSetInlineUniformBlock>(w)) {
        out.data = static_cast<const std::byte*>(block->pData);
        out.stride = 1;
        if (block->dataSize != w.descriptorCount) out.data = nullptr;
      }
      break;
    default:
      break;
  }
  return out;
}

DescriptorWrite as_write(const VkDescriptorUpdateTemplateEntry& e, const void* data) {
  return {e.dstBinding,
          e.dstArrayElement,
          e.descriptorCount,
          e.descriptorType,
          static_cast<const std::byte*>(data) + e.offset,
          is_inline(e.descriptorType) ? 1 : e.stride};
}

void check_write(const DescriptorSetLayout& layout, const DescriptorSet* set, const DescriptorWrite& write) {
  const auto slot = layout.slots.find(write.binding);
  if (slot == layout.slots.end()) return violation("dstBinding is none of the layout");
  if (slot->second.type != write.type && !mutable_slot(slot->second.type))
    return violation("descriptorType is not that of the binding");
  const bool inside =
      each_binding(layout, set, write.binding, write.element, write.count,
                   [&](std::uint32_t binding, std::uint32_t, std::uint32_t n, std::uint32_t done) {
                     const auto& target = layout.slots.at(binding);
                     if (target.type != write.type && !mutable_slot(target.type)) {
                       violation("a write runs on into a binding of another type");
                       return false;
                     }
                     if (write.data == nullptr) return true;
                     const TemplateItem item = template_item(static_cast<std::uint32_t>(write.type));
                     for (std::uint32_t i = 0; i < n; ++i) {
                       const std::byte* at = write.data + (done + i) * write.stride;
                       if (item == TemplateItem::buffer)
                         check_buffer_info(write.type, load<VkDescriptorBufferInfo>(at));
                       if (item == TemplateItem::image)
                         check_image_info(write.type, load<VkDescriptorImageInfo>(at), !target.immutable.empty());
                     }
                     return true;
                   });
  if (!inside) violation("a write reaches outside the layout");
  if (is_inline(write.type) && (write.element % 4 != 0 || write.count % 4 != 0))
    violation("an inline uniform block is written at no multiple of 4");
}

void apply_write(DescriptorSet& set, const DescriptorWrite& write) {
  if (write.data == nullptr) return;
  const std::lock_guard lock(set.mutex);
  each_binding(*set.layout, &set, write.binding, write.element, write.count,
               [&](std::uint32_t binding, std::uint32_t first, std::uint32_t n, std::uint32_t done) {
                 DescriptorSet::Slot& slot = set.slots.at(binding);
                 if (!slot.inline_block.empty()) {
                   std::memcpy(slot.inline_block.data() + first, write.data + done, n);
                   return true;
                 }
                 const bool immutable = !set.layout->slots.at(binding).immutable.empty();
                 for (std::uint32_t i = 0; i < n; ++i)
                   apply_one(slot.descriptors[first + i], write.type, write.data + (done + i) * write.stride,
                             immutable);
                 return true;
               });
}

void install_descriptor_writes(Table& table) {
  table.check<check_update_sets>(CommandId::vkUpdateDescriptorSets);
  table.behave<update>(CommandId::vkUpdateDescriptorSets);
  table.check<check_create_template>(CommandId::vkCreateDescriptorUpdateTemplate);
  table.behave<create_template>(CommandId::vkCreateDescriptorUpdateTemplate);
  table.check<check_update_sets_with>(CommandId::vkUpdateDescriptorSetWithTemplate);
  table.behave<update_with>(CommandId::vkUpdateDescriptorSetWithTemplate);
  table.check<check_push>(CommandId::vkCmdPushDescriptorSetKHR);
  table.behave<push_set>(CommandId::vkCmdPushDescriptorSetKHR);
  table.check<check_push_with>(CommandId::vkCmdPushDescriptorSetWithTemplateKHR);
  table.behave<push_with>(CommandId::vkCmdPushDescriptorSetWithTemplateKHR);
  table.check<check_bind>(CommandId::vkCmdBindDescriptorSets);
}

}  // namespace fake
