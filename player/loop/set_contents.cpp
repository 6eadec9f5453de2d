// SPDX-License-Identifier: Apache-2.0
#include "player/loop/set_contents.h"

#include <unordered_map>

#include "format/native_view.h"
#include "generated/args.h"
#include "model/gpu/one_shot.h"

namespace rondo::player {

SetContents::~SetContents() {
  for (const Kept& kept : kept_) {
    const auto& device = run_.device_at(kept.device);
    if (device == nullptr) continue;
    device->dispatch.vkDestroyDescriptorPool(device->handle, kept.pool, nullptr);
    device->dispatch.vkDestroyDescriptorSetLayout(device->handle, kept.layout, nullptr);
  }
}

Result<void> SetContents::keep(const std::vector<ObjectId>& sets) {
  if (sets.empty()) return {};
  const Plan& plan = run_.plan();
  struct Place {
    const Op* op;
    std::uint32_t index;
  };
  std::unordered_map<ObjectId, Place> allocations;
  std::unordered_map<ObjectId, const Op*> layouts;
  for (const Op& op : plan.ops) {
    const CommandId id = codec::info(op.command).canonical;
    if (id == CommandId::vkCreateDescriptorSetLayout) layouts[op.subject] = &op;
    if (id != CommandId::vkAllocateDescriptorSets) continue;
    for (std::uint32_t i = 0; i < op.created; ++i) allocations[plan.created[op.first_created + i].id] = {&op, i};
  }
  for (const ObjectId set : sets) {
    const auto found = allocations.find(set);
    if (found != allocations.end()) RONDO_TRY(keep_one(set, *found->second.op, found->second.index, layouts));
  }
  for (const Kept& kept : kept_) copy(kept, false);
  return {};
}

Result<void> SetContents::keep_one(ObjectId set, const Op& allocation, std::uint32_t index,
                                   const std::unordered_map<ObjectId, const Op*>& layouts) {
  const Plan& plan = run_.plan();
  const auto& objects = plan.objects.objects();
  const auto failed = [&](const std::string& why) {
    return fail(Status::failed,
                plan.path + ": the span cannot be looped: it writes " + plan.full_name(set) + ", " + why);
  };
  // The layouts stand in the order of the sets.
  ObjectId layout = ObjectId::null;
  std::uint32_t seen = 0;
  for (std::uint32_t i = 0; i < allocation.patches && layout == ObjectId::null; ++i) {
    const ObjectId id = plan.patches[allocation.first_patch + i].id;
    if (objects[id].type == HandleType::VkDescriptorSetLayout && seen++ == index) layout = id;
  }
  const auto made = layouts.find(layout);
  const Op* const create = made == layouts.end() ? nullptr : made->second;
  if (layout == ObjectId::null || create == nullptr) return failed("whose layout is not known");

  std::vector<std::byte> block = run_.prepared_copy(*create);
  VkDescriptorSetLayoutCreateInfo& info = *const_cast<VkDescriptorSetLayoutCreateInfo*>(
      reinterpret_cast<args_vkCreateDescriptorSetLayout*>(block.data())->pCreateInfo);
  std::vector<std::byte> allocate_block = run_.prepared_copy(allocation);
  const auto* variable = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      reinterpret_cast<args_vkAllocateDescriptorSets*>(allocate_block.data())->pAllocateInfo->pNext,
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  const std::uint32_t given =
      variable != nullptr && index < variable->descriptorSetCount ? variable->pDescriptorCounts[index] : 0;
  const auto* flags = find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);

  Kept kept;
  kept.set = set;
  kept.device = plan.place_of(objects[set].device);
  if (kept.device >= plan.devices.size() || run_.device_at(kept.device) == nullptr)
    return failed("whose device is not there");
  std::vector<VkDescriptorPoolSize> sizes;
  std::uint32_t inline_blocks = 0;
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    auto& binding = const_cast<VkDescriptorSetLayoutBinding&>(info.pBindings[i]);
    const bool varies = flags != nullptr && i < flags->bindingCount &&
                        (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
    const std::uint32_t count = varies ? given : binding.descriptorCount;
    if (binding.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) ++inline_blocks;
    if (count == 0) continue;
    if (binding.pImmutableSamplers != nullptr) {
      for (std::uint32_t s = 0; s < binding.descriptorCount; ++s)
        if (binding.pImmutableSamplers[s] == VK_NULL_HANDLE) return failed("whose layout has a sampler that is gone");
      if (binding.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER) continue;  // nothing is written there
    }
    kept.bindings.push_back({binding.binding, count});
    sizes.push_back({binding.descriptorType, count});
  }
  for (std::uint32_t i = 0; i < info.bindingCount; ++i)
    if (info.pBindings[i].pImmutableSamplers != nullptr &&
        info.pBindings[i].descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER)
      sizes.push_back({VK_DESCRIPTOR_TYPE_SAMPLER, info.pBindings[i].descriptorCount});
  if (kept.bindings.empty()) return {};

  DeviceState& device = *run_.device_at(kept.device);
  const Dispatch& vk = device.dispatch;
  VkDescriptorPoolInlineUniformBlockCreateInfo inline_info{};
  inline_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO;
  inline_info.maxInlineUniformBlockBindings = inline_blocks;
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.pNext = inline_blocks != 0 ? &inline_info : nullptr;
  if ((info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0)
    pool.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT;
  pool.maxSets = 1;
  pool.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool.pPoolSizes = sizes.data();
  VkDescriptorSetVariableDescriptorCountAllocateInfo counts{};
  counts.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO;
  counts.descriptorSetCount = 1;
  counts.pDescriptorCounts = &given;
  VkResult r = vk.vkCreateDescriptorSetLayout(device.handle, &info, nullptr, &kept.layout);
  if (r >= 0) r = vk.vkCreateDescriptorPool(device.handle, &pool, nullptr, &kept.pool);
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       variable != nullptr ? &counts : nullptr, kept.pool, 1, &kept.layout};
  if (r >= 0) r = vk.vkAllocateDescriptorSets(device.handle, &allocate, &kept.copy);
  kept_.push_back(std::move(kept));  // what was made is destroyed with it
  return r < 0 ? failed("of which no copy can be made: " + gpu::describe("allocating it", r)) : Result<void>();
}

void SetContents::copy(const Kept& kept, bool back) {
  DeviceState& device = *run_.device_at(kept.device);
  const auto live = reinterpret_cast<VkDescriptorSet>(run_.slot(kept.set));
  copies_.clear();
  for (const Binding& binding : kept.bindings) {
    VkCopyDescriptorSet one{};
    one.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
    one.srcSet = back ? kept.copy : live;
    one.srcBinding = binding.binding;
    one.dstSet = back ? live : kept.copy;
    one.dstBinding = binding.binding;
    one.descriptorCount = binding.count;
    copies_.push_back(one);
  }
  device.dispatch.vkUpdateDescriptorSets(device.handle, 0, nullptr, static_cast<std::uint32_t>(copies_.size()),
                                         copies_.data());
}

void SetContents::restore() {
  for (const Kept& kept : kept_) copy(kept, true);
}

}  // namespace rondo::player
