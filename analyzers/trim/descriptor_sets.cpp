// SPDX-License-Identifier: Apache-2.0
#include "analyzers/trim/descriptor_sets.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <span>

#include "format/codec/shapes.h"
#include "format/codec/template_data.h"
#include "generated/args.h"

namespace rondo::trim {

using codec::template_item;
using codec::TemplateItem;

void DescriptorSets::take(const model::Call& call) {
  if (call.succeeded) switch (call.command.canonical) {
      case CommandId::vkCreateDescriptorSetLayout:
        make_layout(call);
        break;
      case CommandId::vkAllocateDescriptorSets:
        allocate(call);
        break;
      case CommandId::vkCreateDescriptorUpdateTemplate: {
        const auto& info = *call.as<args_vkCreateDescriptorUpdateTemplate>().pCreateInfo;
        templates_[call.created()].entries.assign(info.pDescriptorUpdateEntries,
                                                  info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount);
        break;
      }
      case CommandId::vkUpdateDescriptorSets:
        update(call);
        break;
      case CommandId::vkUpdateDescriptorSetWithTemplate:
        update_by_template(call);
        break;
      default:
        break;
    }
  for (const ObjectId id : call.resolution.ended) {
    if (const auto found = sets_.find(id); found != sets_.end()) {
      descriptors_ -= found->second.written.size();
      sets_.erase(found);
    }
    layouts_.erase(id);
    templates_.erase(id);
  }
}

void DescriptorSets::make_layout(const model::Call& call) {
  layouts_[call.created()] = model::set_layout_of(*call.as<args_vkCreateDescriptorSetLayout>().pCreateInfo);
}

void DescriptorSets::allocate(const model::Call& call) {
  const auto& a = call.as<args_vkAllocateDescriptorSets>();
  for (std::uint32_t i = 0; a.pDescriptorSets != nullptr && i < a.pAllocateInfo->descriptorSetCount; ++i) {
    const auto layout = layouts_.find(call.id(&a.pAllocateInfo->pSetLayouts[i]));
    if (layout == layouts_.end()) continue;
    Set& made = sets_[call.id(&a.pDescriptorSets[i])] = {};
    made.layout = layout->second;
    made.last_count = model::last_count_of(*layout->second, *a.pAllocateInfo, i);
  }
}

// `at`: in the record; the data of a template need not be aligned.
DescriptorSets::Descriptor DescriptorSets::read(const model::Call& call, VkDescriptorType type,
                                                const std::byte* at) const {
  Descriptor one;
  one.type = type;
  switch (template_item(type)) {
    case TemplateItem::image: {
      one.image = codec::load<VkDescriptorImageInfo>(at);
      if (type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
        one.objects[0] = call.id(at + offsetof(VkDescriptorImageInfo, sampler));
      if (type != VK_DESCRIPTOR_TYPE_SAMPLER) one.objects[1] = call.id(at + offsetof(VkDescriptorImageInfo, imageView));
      if (one.objects[0] == ObjectId::null) one.image.sampler = VK_NULL_HANDLE;  // an immutable one, or none
      if (one.objects[1] == ObjectId::null) one.image.imageView = VK_NULL_HANDLE;
      break;
    }
    case TemplateItem::buffer: {
      one.buffer = codec::load<VkDescriptorBufferInfo>(at);
      one.objects[0] = call.id(at + offsetof(VkDescriptorBufferInfo, buffer));
      if (one.objects[0] == ObjectId::null) one.buffer.buffer = VK_NULL_HANDLE;
      break;
    }
    default:
      one.objects[0] = call.id(at);
      if (one.objects[0] != ObjectId::null) std::memcpy(&one.handle, at, sizeof one.handle);
      break;
  }
  return one;
}

void DescriptorSets::put(Set& set, std::uint32_t binding, std::uint32_t element, const std::vector<Descriptor>& all) {
  const std::size_t before = set.written.size();
  model::DescriptorPlace place = set.place(binding, element);
  for (const Descriptor& one : all) {
    if (!place.there()) break;
    if (descriptors_ + set.written.size() - before >= kMost) {
      too_many_ = true;
      break;
    }
    set.written[place.key()] = one;
    place.next();
  }
  descriptors_ += set.written.size() - before;
}

void DescriptorSets::put_bytes(Set& set, std::uint32_t binding, std::uint32_t offset, const std::byte* bytes,
                               std::uint32_t count) {
  const auto found = set.layout->bindings.find(binding);
  if (found == set.layout->bindings.end() || offset > found->second.count || count > found->second.count - offset)
    return;
  std::vector<std::byte>& block = set.bytes[binding];
  block.resize(std::max<std::size_t>(block.size(), offset + count));
  std::memcpy(block.data() + offset, bytes, count);
}

void DescriptorSets::write_set(const model::Call& call, const VkWriteDescriptorSet& w) {
  const auto found = sets_.find(call.id(&w.dstSet));
  if (found == sets_.end()) return;
  Set& set = found->second;
  set.last = call.sequence;
  const TemplateItem item = template_item(w.descriptorType);
  if (item == TemplateItem::bytes) {
    const auto* block = find_chained<VkWriteDescriptorSetInlineUniformBlock>(
        w.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
    if (block != nullptr && block->pData != nullptr)
      put_bytes(set, w.dstBinding, w.dstArrayElement, static_cast<const std::byte*>(block->pData), block->dataSize);
    return;
  }
  const model::WrittenDescriptors written = model::written_descriptors(w);
  std::vector<Descriptor> all;
  for (std::uint32_t i = 0; i < written.count; ++i)
    all.push_back(read(call, w.descriptorType, written.first + i * written.stride));
  put(set, w.dstBinding, w.dstArrayElement, all);
}

void DescriptorSets::copy_set(const model::Call& call, const VkCopyDescriptorSet& copy) {
  const auto from = sets_.find(call.id(&copy.srcSet));
  const auto to = sets_.find(call.id(&copy.dstSet));
  if (from == sets_.end() || to == sets_.end()) return;
  to->second.last = call.sequence;
  if (const auto block = from->second.bytes.find(copy.srcBinding); block != from->second.bytes.end()) {
    const std::vector<std::byte> bytes = block->second;  // the sets may be one
    if (copy.srcArrayElement <= bytes.size() && copy.descriptorCount <= bytes.size() - copy.srcArrayElement)
      put_bytes(to->second, copy.dstBinding, copy.dstArrayElement, bytes.data() + copy.srcArrayElement,
                copy.descriptorCount);
    return;
  }
  if (copy.descriptorCount > kMost) {
    too_many_ = true;
    return;
  }
  // What was never written is not there to be copied.
  std::vector<std::pair<Key, Descriptor>> all;
  model::for_each_copied(
      copy, from->second.place(copy.srcBinding, copy.srcArrayElement),
      to->second.place(copy.dstBinding, copy.dstArrayElement), [&](const Key& source, const Key& target) {
        if (const auto found = from->second.written.find(source); found != from->second.written.end())
          all.emplace_back(target, found->second);
      });
  for (const auto& [key, one] : all) put(to->second, key.first, key.second, {one});
}

void DescriptorSets::update(const model::Call& call) {
  const auto& a = call.as<args_vkUpdateDescriptorSets>();
  for (const VkWriteDescriptorSet& w : std::span(a.pDescriptorWrites, a.descriptorWriteCount)) write_set(call, w);
  for (const VkCopyDescriptorSet& c : std::span(a.pDescriptorCopies, a.descriptorCopyCount)) copy_set(call, c);
}

// The data lies in the record as the program had it.
void DescriptorSets::update_by_template(const model::Call& call) {
  const auto& a = call.as<args_vkUpdateDescriptorSetWithTemplate>();
  const auto found = sets_.find(call.id(&a.descriptorSet));
  const auto made = templates_.find(call.id(&a.descriptorUpdateTemplate));
  if (found == sets_.end() || made == templates_.end() || a.pData == nullptr || !call.view.holds(a.pData)) return;
  found->second.last = call.sequence;
  const auto* bytes = static_cast<const std::byte*>(a.pData);
  const std::uint64_t room = call.view.lowered().bytes.size() - call.view.offset(a.pData);
  for (const VkDescriptorUpdateTemplateEntry& e : made->second.entries) {
    const TemplateItem item = template_item(e.descriptorType);
    if (item == TemplateItem::unknown || e.offset > room) continue;
    if (item == TemplateItem::bytes) {
      if (e.descriptorCount <= room - e.offset)
        put_bytes(found->second, e.dstBinding, e.dstArrayElement, bytes + e.offset, e.descriptorCount);
      continue;
    }
    std::vector<Descriptor> all;
    const bool whole = model::for_each_of_template(e, bytes, room, [&](const std::byte* at) {
      if (all.size() == kMost) return false;  // many in one place, by a stride of 0
      all.push_back(read(call, e.descriptorType, at));
      return true;
    });
    if (!whole && all.size() != kMost) return;
    put(found->second, e.dstBinding, e.dstArrayElement, all);
  }
}

void DescriptorSets::each_object(ObjectId set, const std::function<void(ObjectId)>& visit) const {
  const auto found = sets_.find(set);
  if (found == sets_.end()) return;
  for (const auto& [key, one] : found->second.written)
    for (const ObjectId id : one.objects)
      if (id != ObjectId::null) visit(id);
}

std::uint64_t DescriptorSets::last_written(ObjectId set) const {
  const auto found = sets_.find(set);
  return found == sets_.end() ? 0 : found->second.last;
}

// The arrays that the writes point to stay where they are.
struct DescriptorSets::Writes {
  std::vector<VkWriteDescriptorSet> all;
  std::deque<std::vector<VkDescriptorImageInfo>> images;
  std::deque<std::vector<VkDescriptorBufferInfo>> buffers;
  std::deque<std::vector<std::uint64_t>> handles;
  std::deque<VkWriteDescriptorSetAccelerationStructureKHR> structures;
  std::deque<VkWriteDescriptorSetInlineUniformBlock> blocks;
};

void DescriptorSets::collect(Writes& out, std::uint64_t set_handle, const Set& set,
                             const std::function<bool(ObjectId)>& alive) const {
  VkWriteDescriptorSet w{};
  w.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  std::memcpy(&w.dstSet, &set_handle, sizeof w.dstSet);
  for (const auto& [binding, bytes] : set.bytes) {
    VkWriteDescriptorSetInlineUniformBlock& block = out.blocks.emplace_back();
    block = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK, nullptr,
             static_cast<std::uint32_t>(bytes.size()), bytes.data()};
    w.pNext = &block;
    w.dstBinding = binding;
    w.dstArrayElement = 0;
    w.descriptorCount = block.dataSize;
    w.descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
    out.all.push_back(w);
  }
  w.pNext = nullptr;
  const auto there = [&](const Descriptor& one) {
    return std::all_of(std::begin(one.objects), std::end(one.objects),
                       [&](ObjectId id) { return id == ObjectId::null || alive(id); });
  };
  for (auto at = set.written.begin(); at != set.written.end();) {
    if (!there(at->second)) {
      ++at;
      continue;
    }
    const VkDescriptorType type = at->second.type;
    const TemplateItem item = template_item(type);
    w.dstBinding = at->first.first;
    w.dstArrayElement = at->first.second;
    w.descriptorType = type;
    w.pImageInfo = nullptr;
    w.pBufferInfo = nullptr;
    w.pTexelBufferView = nullptr;
    w.pNext = nullptr;
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<std::uint64_t> handles;
    std::uint32_t element = at->first.second;
    for (; at != set.written.end() && at->first == Key{w.dstBinding, element} && at->second.type == type &&
           there(at->second);
         ++at, ++element) {
      if (item == TemplateItem::image)
        images.push_back(at->second.image);
      else if (item == TemplateItem::buffer)
        buffers.push_back(at->second.buffer);
      else
        handles.push_back(at->second.handle);
    }
    w.descriptorCount = element - w.dstArrayElement;
    if (item == TemplateItem::image) {
      w.pImageInfo = out.images.emplace_back(std::move(images)).data();
    } else if (item == TemplateItem::buffer) {
      w.pBufferInfo = out.buffers.emplace_back(std::move(buffers)).data();
    } else {
      const std::vector<std::uint64_t>& kept = out.handles.emplace_back(std::move(handles));
      if (item == TemplateItem::texel_view) {
        w.pTexelBufferView = reinterpret_cast<const VkBufferView*>(kept.data());
      } else {
        VkWriteDescriptorSetAccelerationStructureKHR& structures = out.structures.emplace_back();
        structures = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR, nullptr, w.descriptorCount,
                      reinterpret_cast<const VkAccelerationStructureKHR*>(kept.data())};
        w.pNext = &structures;
      }
    }
    out.all.push_back(w);
  }
}

Result<void> DescriptorSets::write(RecordEncoder& out, VkDevice device, const std::vector<ObjectId>& sets,
                                   const std::vector<std::uint64_t>& handles,
                                   const std::function<bool(ObjectId)>& alive) const {
  Writes writes;
  for (std::size_t i = 0; i < sets.size(); ++i)
    if (const auto found = sets_.find(sets[i]); found != sets_.end()) collect(writes, handles[i], found->second, alive);
  if (writes.all.empty()) return {};
  const args_vkUpdateDescriptorSets args{device, static_cast<std::uint32_t>(writes.all.size()), writes.all.data(), 0,
                                         nullptr};
  return out.write(CommandId::vkUpdateDescriptorSets, args);
}

}  // namespace rondo::trim
