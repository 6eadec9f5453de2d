// SPDX-License-Identifier: Apache-2.0
// Descriptor set layouts, pools and sets.
#include "tests/icd/descriptors.h"

#include <algorithm>
#include <set>

#include "tests/icd/chain.h"
#include "tests/icd/install.h"
#include "tests/icd/memory.h"
#include "tests/icd/physical_device.h"
#include "tests/icd/state.h"

namespace fake {

namespace {

bool takes_samplers(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

void check_layout(Call&, const args_vkCreateDescriptorSetLayout& a) {
  std::set<std::uint32_t> seen;
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < a.pCreateInfo->bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = a.pCreateInfo->pBindings[i];
    if (!seen.insert(b.binding).second) return violation("two bindings have the same number");
    total += b.descriptorCount;
    if (b.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && b.descriptorCount % 4 != 0)
      return violation("an inline uniform block has no multiple of 4 bytes");
    if (b.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK && b.descriptorCount > 256)
      return harmless("an inline uniform block is beyond the limits");  // sets are as large as that
  }
  if ((a.pCreateInfo->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) != 0) {
    for (std::uint32_t i = 0; i < a.pCreateInfo->bindingCount; ++i)
      if (is_dynamic(a.pCreateInfo->pBindings[i].descriptorType) ||
          a.pCreateInfo->pBindings[i].descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
        return violation("a binding is of a type that is never pushed");
    if (total > kMaxPushDescriptors) return violation("there are more descriptors than maxPushDescriptors");
  }
  if (total > 1u << 20) return harmless("there are more descriptors than maxPerSetDescriptors");
  const auto* flags = chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(*a.pCreateInfo);
  if (flags != nullptr && flags->bindingCount != 0 && flags->bindingCount != a.pCreateInfo->bindingCount)
    violation("bindingCount of the flags is neither 0 nor that of the bindings");
}

VkResult create_layout(Call& call, args_vkCreateDescriptorSetLayout& a) {
  const VkDescriptorSetLayoutCreateInfo& info = *a.pCreateInfo;
  bool immutable = false;
  for (std::uint32_t i = 0; i < info.bindingCount; ++i)
    immutable = immutable || info.pBindings[i].pImmutableSamplers != nullptr;
  std::string identity;
  if (!immutable)
    if (const auto same = share(call, DescriptorSetLayout::kType, identity)) {
      *a.pSetLayout = as_handle<VkDescriptorSetLayout>(same->handle);
      return VK_SUCCESS;
    }
  auto layout = std::make_shared<DescriptorSetLayout>();
  layout->flags = info.flags;
  layout->identity = identity;
  const auto* flags = chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(info);
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& b = info.pBindings[i];
    DescriptorSetLayout::Slot& slot = layout->slots[b.binding];
    slot.type = b.descriptorType;
    slot.count = b.descriptorCount;
    slot.stages = b.stageFlags;
    if (flags != nullptr && i < flags->bindingCount) slot.flags = flags->pBindingFlags[i];
    for (std::uint32_t k = 0;
         takes_samplers(b.descriptorType) && b.pImmutableSamplers != nullptr && k < b.descriptorCount; ++k)
      slot.immutable.push_back(get<Sampler>(b.pImmutableSamplers[k]));
  }
  *a.pSetLayout = as_handle<VkDescriptorSetLayout>(publish(layout, call.device));
  return VK_SUCCESS;
}

void layout_support(Call&, args_vkGetDescriptorSetLayoutSupport& a) { a.pSupport->supported = VK_TRUE; }

void check_pool(Call&, const args_vkCreateDescriptorPool& a) {
  if (a.pCreateInfo->maxSets == 0) return harmless("maxSets is 0");  // of which nothing is allocated
  for (std::uint32_t i = 0; i < a.pCreateInfo->poolSizeCount; ++i)
    if (a.pCreateInfo->pPoolSizes[i].descriptorCount == 0) return harmless("a pool size is 0");
}

VkResult create_pool(Call& call, args_vkCreateDescriptorPool& a) {
  auto pool = std::make_shared<DescriptorPool>();
  std::uint64_t descriptors = 0;
  for (std::uint32_t i = 0; i < a.pCreateInfo->poolSizeCount; ++i)
    descriptors += a.pCreateInfo->pPoolSizes[i].descriptorCount;
  pool->room = reserve(descriptors * sizeof(Descriptor));
  if (pool->room == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
  pool->flags = a.pCreateInfo->flags;
  pool->max_sets = a.pCreateInfo->maxSets;
  for (std::uint32_t i = 0; i < a.pCreateInfo->poolSizeCount; ++i)
    pool->capacity[a.pCreateInfo->pPoolSizes[i].type] += a.pCreateInfo->pPoolSizes[i].descriptorCount;
  *a.pDescriptorPool = as_handle<VkDescriptorPool>(publish(pool, call.device));
  return VK_SUCCESS;
}

std::uint32_t variable_count(const VkDescriptorSetAllocateInfo& info, std::uint32_t i) {
  const auto* counts = chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(info);
  return counts != nullptr && i < counts->descriptorSetCount ? counts->pDescriptorCounts[i] : 0;
}

std::shared_ptr<DescriptorSet> set_of(std::uint64_t handle) {
  return std::static_pointer_cast<DescriptorSet>(find(DescriptorSet::kType, handle));
}

using Needs = std::map<VkDescriptorType, std::uint64_t>;  // descriptors; bytes of inline blocks

Needs content_of(const DescriptorSet& set) {
  Needs needs;
  for (const auto& [binding, slot] : set.layout->slots)
    needs[slot.type] += set.slots.at(binding).inline_block.size() + set.slots.at(binding).descriptors.size();
  return needs;
}

std::uint32_t count_of(const DescriptorSetLayout::Slot& slot, std::uint32_t variable) {
  return (slot.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0 ? variable : slot.count;
}

bool has_room(const DescriptorPool& pool, const DescriptorSetLayout& layout, std::uint32_t variable) {
  if (pool.members.size() >= pool.max_sets) return false;
  Needs needs;
  for (const auto& [binding, slot] : layout.slots) needs[slot.type] += count_of(slot, variable);
  return std::all_of(needs.begin(), needs.end(), [&](const auto& need) {
    const auto used = pool.used.find(need.first), capacity = pool.capacity.find(need.first);
    return need.second == 0 || (capacity != pool.capacity.end() &&
                                need.second + (used != pool.used.end() ? used->second : 0) <= capacity->second);
  });
}

void check_allocate(Call&, const args_vkAllocateDescriptorSets& a) {
  const VkDescriptorSetAllocateInfo& info = *a.pAllocateInfo;
  if (info.descriptorSetCount == 0) return violation("descriptorSetCount is 0");
  const auto pool = get<DescriptorPool>(info.descriptorPool);
  const auto* counts = chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(info);
  if (counts != nullptr && counts->descriptorSetCount != 0 && counts->descriptorSetCount != info.descriptorSetCount)
    return violation("the variable counts are not as many as the sets");
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    const auto layout = get<DescriptorSetLayout>(info.pSetLayouts[i]);
    if ((layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) != 0)
      return violation("the layout is for push descriptors");
    if ((layout->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT) != 0 &&
        (pool->flags & VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT) == 0)
      return violation("the layout is for a pool of sets that are updated after bind");
    if (!layout->slots.empty() &&
        (layout->slots.rbegin()->second.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0 &&
        variable_count(info, i) > layout->slots.rbegin()->second.count)
      return violation("a variable count is more than its layout says");
  }
}

void give_back(DescriptorPool& pool, const DescriptorSet& set) {
  for (const auto& [type, count] : content_of(set)) pool.used[type] -= count;
  pool.members.erase(set.handle);
  retire(DescriptorSet::kType, set.handle);
}

VkResult allocate(Call& call, args_vkAllocateDescriptorSets& a) {
  const VkDescriptorSetAllocateInfo& info = *a.pAllocateInfo;
  const auto pool = get<DescriptorPool>(info.descriptorPool);
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) a.pDescriptorSets[i] = VK_NULL_HANDLE;
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    const auto layout = get<DescriptorSetLayout>(info.pSetLayouts[i]);
    if (!has_room(*pool, *layout, variable_count(info, i))) {
      for (std::uint32_t k = 0; k < i; ++k) {
        give_back(*pool, *set_of(number(a.pDescriptorSets[k])));
        a.pDescriptorSets[k] = VK_NULL_HANDLE;
      }
      return VK_ERROR_OUT_OF_POOL_MEMORY;
    }
    auto set = make_set(layout, variable_count(info, i));
    for (const auto& [type, count] : content_of(*set)) pool->used[type] += count;
    set->pool = pool->handle;
    const std::uint64_t handle = publish(set, call.device);
    pool->members.insert(handle);
    a.pDescriptorSets[i] = as_handle<VkDescriptorSet>(handle);
  }
  return VK_SUCCESS;
}

void check_free(Call&, const args_vkFreeDescriptorSets& a) {
  const auto pool = get<DescriptorPool>(a.descriptorPool);
  if ((pool->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT) == 0)
    return violation("the pool frees no single sets");
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    const std::uint64_t handle = number(a.pDescriptorSets[i]);
    if (handle == 0) continue;
    if (set_of(handle)->pool != pool->handle) return violation("a set is of another pool");
    if (!seen.insert(handle).second) return violation("a set is freed twice");
  }
}

VkResult free_sets(Call&, args_vkFreeDescriptorSets& a) {
  const auto pool = get<DescriptorPool>(a.descriptorPool);
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i)
    if (a.pDescriptorSets[i] != VK_NULL_HANDLE) give_back(*pool, *set_of(number(a.pDescriptorSets[i])));
  return VK_SUCCESS;
}

void check_members_idle(const DescriptorPool& pool) {
  for (const std::uint64_t handle : pool.members)
    if (const auto set = set_of(handle); set != nullptr && set->pending != 0)
      return violation("a set of the pool is in use by work that is not finished");
}

void empty(DescriptorPool& pool) {
  for (const std::uint64_t handle : pool.members) retire(DescriptorSet::kType, handle);
  pool.members.clear();
  pool.used.clear();
}

void check_reset_sets(Call&, const args_vkResetDescriptorPool& a) {
  check_members_idle(*get<DescriptorPool>(a.descriptorPool));
}
VkResult reset_pool(Call&, args_vkResetDescriptorPool& a) {
  empty(*get<DescriptorPool>(a.descriptorPool));
  return VK_SUCCESS;
}
void check_destroy_pool(Call&, const args_vkDestroyDescriptorPool& a) {
  if (const auto pool = get<DescriptorPool>(a.descriptorPool); pool != nullptr) check_members_idle(*pool);
}
void destroy_pool(Call&, args_vkDestroyDescriptorPool& a) {
  const auto pool = get<DescriptorPool>(a.descriptorPool);
  if (pool == nullptr) return;
  empty(*pool);
  retire(DescriptorPool::kType, pool->handle);
}

}  // namespace

std::shared_ptr<DescriptorSet> make_set(const std::shared_ptr<DescriptorSetLayout>& layout, std::uint32_t variable) {
  auto set = std::make_shared<DescriptorSet>();
  set->layout = layout;
  for (const auto& [binding, from] : layout->slots) {
    DescriptorSet::Slot& slot = set->slots[binding];
    const std::uint32_t count = count_of(from, variable);
    if (from.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      slot.inline_block.resize(count);
      continue;
    }
    slot.descriptors.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      slot.descriptors[i].type = from.type;
      if (i < from.immutable.size()) slot.descriptors[i].sampler = from.immutable[i];
      slot.descriptors[i].written = !from.immutable.empty() && from.type == VK_DESCRIPTOR_TYPE_SAMPLER;
    }
  }
  return set;
}

void install_descriptors(Table& table) {
  table.check<check_layout>(CommandId::vkCreateDescriptorSetLayout);
  table.behave<create_layout>(CommandId::vkCreateDescriptorSetLayout);
  table.behave<layout_support>(CommandId::vkGetDescriptorSetLayoutSupport);
  table.check<check_pool>(CommandId::vkCreateDescriptorPool);
  table.behave<create_pool>(CommandId::vkCreateDescriptorPool);
  table.check<check_allocate>(CommandId::vkAllocateDescriptorSets);
  table.behave<allocate>(CommandId::vkAllocateDescriptorSets);
  table.check<check_free>(CommandId::vkFreeDescriptorSets);
  table.behave<free_sets>(CommandId::vkFreeDescriptorSets);
  table.check<check_reset_sets>(CommandId::vkResetDescriptorPool);
  table.behave<reset_pool>(CommandId::vkResetDescriptorPool);
  table.check<check_destroy_pool>(CommandId::vkDestroyDescriptorPool);
  table.behave<destroy_pool>(CommandId::vkDestroyDescriptorPool);
}

}  // namespace fake
