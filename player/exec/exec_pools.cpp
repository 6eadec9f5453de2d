// SPDX-License-Identifier: Apache-2.0
// Descriptor pools: one that runs out here where the captured one did not
// gets another beside it, of the same kind, with room for what is asked of it.
#include <algorithm>
#include <map>

#include "format/native_view.h"
#include "generated/args.h"
#include "player/run/run.h"

namespace rondo::player {

namespace {

bool ran_out(std::int64_t result) {
  return result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
}

// The op that made an object.
const Op* creator(const Plan& plan, ObjectId object, CommandId command) {
  for (const Op& op : plan.ops)
    if (op.subject == object && codec::info(op.command).canonical == command) return &op;
  return nullptr;
}

// The sizes of a pool that holds what one did and, whatever that was, the sets of this call:
// some drivers give sets that their pool has no room for.
std::vector<VkDescriptorPoolSize> sizes_for(const Run& run, const Op& op, const VkDescriptorSetAllocateInfo& asked,
                                            const VkDescriptorPoolCreateInfo& captured) {
  std::vector<VkDescriptorPoolSize> sizes(captured.pPoolSizes, captured.pPoolSizes + captured.poolSizeCount);
  const auto* variable = find_chained<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      asked.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  std::map<VkDescriptorType, std::uint32_t> needed;
  std::map<ObjectId, std::vector<std::byte>> blocks;  // of the layouts' creation
  const ByObject<Object>& objects = run.plan().objects.objects();
  std::uint32_t set = 0;
  for (const Patch& patch : std::span(run.plan().patches).subspan(op.first_patch, op.patches)) {
    if (objects[patch.id].type != HandleType::VkDescriptorSetLayout) continue;
    const auto [found, fresh] = blocks.try_emplace(patch.id);
    std::vector<std::byte>& block = found->second;
    if (const Op* create = fresh ? creator(run.plan(), patch.id, CommandId::vkCreateDescriptorSetLayout) : nullptr)
      block = run.prepared_copy(*create);
    if (block.empty()) continue;
    const VkDescriptorSetLayoutCreateInfo& layout =
        *reinterpret_cast<const args_vkCreateDescriptorSetLayout*>(block.data())->pCreateInfo;
    const auto* flags = find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
        layout.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    for (std::uint32_t i = 0; i < layout.bindingCount; ++i) {
      const VkDescriptorSetLayoutBinding& binding = layout.pBindings[i];
      const bool varies = flags != nullptr && i < flags->bindingCount &&
                          (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
      const std::uint32_t given =
          variable != nullptr && set < variable->descriptorSetCount ? variable->pDescriptorCounts[set] : 0;
      needed[binding.descriptorType] += varies ? std::min(given, binding.descriptorCount) : binding.descriptorCount;
    }
    ++set;
  }
  for (VkDescriptorPoolSize& size : sizes) {
    const auto found = needed.find(size.type);
    if (found == needed.end()) continue;
    size.descriptorCount = std::max(size.descriptorCount, found->second);
    needed.erase(found);
  }
  for (const auto& [type, count] : needed)
    if (count != 0) sizes.push_back({type, count});
  return sizes;
}

Result<void> allocate_from_pool(Run& run, const Op& op, std::byte* args) {
  std::int64_t result = run.call(op, args);
  if (!ran_out(result)) {
    if (op.checked && result < 0) return tl::unexpected<Error>(run.failure(op, result));
    return {};
  }
  auto& a = as<args_vkAllocateDescriptorSets>(args);
  auto& info = *const_cast<VkDescriptorSetAllocateInfo*>(a.pAllocateInfo);
  DeviceState& device = run.device(op);
  OverflowPools& overflow = run.add_overflow(op.subject);
  for (VkDescriptorPool pool : overflow.pools) {
    info.descriptorPool = pool;
    if (result = run.call(op, args); result >= 0) break;
  }
  if (result < 0) {
    const Op* create = creator(run.plan(), op.subject, CommandId::vkCreateDescriptorPool);
    if (create == nullptr) return tl::unexpected<Error>(run.failure(op, result));
    std::vector<std::byte> again = run.prepared_copy(*create);
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorPoolCreateInfo larger = *as<args_vkCreateDescriptorPool>(again.data()).pCreateInfo;
    const std::vector<VkDescriptorPoolSize> sizes = sizes_for(run, op, info, larger);
    larger.maxSets = std::max(larger.maxSets, info.descriptorSetCount);
    larger.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
    larger.pPoolSizes = sizes.data();
    const VkResult r = device.dispatch.vkCreateDescriptorPool(device.handle, &larger, nullptr, &pool);
    if (r < 0) return tl::unexpected<Error>(run.failure(op, r, "vkCreateDescriptorPool for more room"));
    overflow.pools.push_back(pool);
    info.descriptorPool = pool;
    if (result = run.call(op, args); result < 0) return tl::unexpected<Error>(run.failure(op, result));
  }
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) overflow.home[a.pDescriptorSets[i]] = info.descriptorPool;
  return {};
}

Result<void> free_sets(Run& run, const Op& op, std::byte* args) {
  OverflowPools* overflow = run.overflow(op.subject);
  if (overflow == nullptr) return run.call_checked(op, args);
  const auto& a = as<args_vkFreeDescriptorSets>(args);
  DeviceState& device = run.device(op);
  for (std::uint32_t i = 0; i < a.descriptorSetCount; ++i) {
    if (a.pDescriptorSets[i] == VK_NULL_HANDLE) continue;
    const auto home = overflow->home.find(a.pDescriptorSets[i]);
    const VkDescriptorPool pool = home == overflow->home.end() ? a.descriptorPool : home->second;
    if (VkResult r = device.dispatch.vkFreeDescriptorSets(device.handle, pool, 1, &a.pDescriptorSets[i]); r < 0)
      return tl::unexpected<Error>(run.failure(op, r));
    if (home != overflow->home.end()) overflow->home.erase(home);
  }
  return {};
}

Result<void> reset_pool(Run& run, const Op& op, std::byte* args) {
  if (OverflowPools* overflow = run.overflow(op.subject); overflow != nullptr) {
    for (VkDescriptorPool pool : overflow->pools)
      run.device(op).dispatch.vkResetDescriptorPool(run.device(op).handle, pool, 0);
    overflow->home.clear();
  }
  return run.call_checked(op, args);
}

Result<void> destroy_pool(Run& run, const Op& op, std::byte* args) {
  if (OverflowPools* overflow = run.overflow(op.subject); overflow != nullptr) {
    for (VkDescriptorPool pool : overflow->pools)
      run.device(op).dispatch.vkDestroyDescriptorPool(run.device(op).handle, pool, nullptr);
    *overflow = {};
  }
  return run.call_checked(op, args);
}

}  // namespace

void add_pool_executors(std::vector<Executor>& table) {
  table[static_cast<std::size_t>(CommandId::vkAllocateDescriptorSets)] = allocate_from_pool;
  table[static_cast<std::size_t>(CommandId::vkFreeDescriptorSets)] = free_sets;
  table[static_cast<std::size_t>(CommandId::vkResetDescriptorPool)] = reset_pool;
  table[static_cast<std::size_t>(CommandId::vkDestroyDescriptorPool)] = destroy_pool;
}

}  // namespace rondo::player
