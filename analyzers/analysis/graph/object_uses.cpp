// SPDX-License-Identifier: Apache-2.0
#include "analyzers/analysis/graph/object_uses.h"

#include <algorithm>

#include "format/codec/schema.h"
#include "format/native_view.h"
#include "generated/args.h"

namespace rondo::graph {

namespace {

// A list with fewer users is never tidied. A longer one is tidied each time that its length has doubled.
constexpr std::size_t kFewUsers = 16;

// What commands name and nobody needs any more when they execute.
bool is_needed_to_record_only(HandleType type) {
  switch (type) {
    case HandleType::VkPipelineLayout:
    case HandleType::VkDescriptorSetLayout:
    case HandleType::VkDescriptorUpdateTemplate:
    case HandleType::VkShaderModule:
      return true;
    default:
      return false;
  }
}

// An object of the first type is used by whatever uses an object of the second one that was made of it.
bool is_made_of(HandleType one, HandleType of) {
  switch (one) {
    case HandleType::VkImageView:
    case HandleType::VkBufferView:
    case HandleType::VkAccelerationStructureKHR:
      return of == HandleType::VkImage || of == HandleType::VkBuffer;
    case HandleType::VkFramebuffer:
      return of == HandleType::VkImageView;
    default:
      return false;
  }
}

}  // namespace

void ObjectUses::Last::set(std::uint32_t queue, std::uint32_t batch, bool is_quiet) {
  for (Use& one : uses) {
    if (one.queue != queue || one.is_quiet != is_quiet) continue;
    one.batch = std::max(one.batch, batch);
    return;
  }
  uses.push_back({queue, batch, is_quiet});
}

void ObjectUses::add_user(ObjectId of, const User& user) {
  std::vector<User>& all = users_[of];
  if (!all.empty() && all.back() == user) return;
  if (all.size() >= kFewUsers && (all.size() & (all.size() - 1)) == 0) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    // A command buffer that was recorded again names other objects.
    std::erase_if(all, [&](const User& one) {
      const auto commands = commands_.find(one.object);
      return commands != commands_.end() && commands->second.recording != one.recording;
    });
  }
  all.push_back(user);
}

void ObjectUses::record_again(ObjectId id) {
  end(id);
  commands_[id].recording += 1;
  again_.push_back(id);
}

// --- Calls ---

void ObjectUses::take(const model::Call& call) {
  ends_.clear();
  if (!call.succeeded) return;
  if (call.type_of(call.dispatch) == HandleType::VkCommandBuffer) {
    record(call);
  } else if (call.command.canonical == CommandId::vkResetCommandPool) {
    const ObjectId pool = call.id(&call.as<args_vkResetCommandPool>().commandPool);
    for (auto& [id, commands] : commands_)
      if (commands.pool == pool) record_again(id);
  } else if (call.command.canonical == CommandId::vkResetFences) {
    reset_fences(call);
  } else if (call.command.canonical == CommandId::vkResetEvent) {
    ends_.push_back({call.id(&call.as<args_vkResetEvent>().event), false, false, true});
  } else {
    make(call);
    update_sets(call);
  }
  for (const ObjectId id : call.ended) {
    ends_.push_back({id, false, call.type_of(id) == HandleType::VkFence, false});
    gone_.push_back(id);
  }
}

void ObjectUses::reset_fences(const model::Call& call) {
  for (const ObjectId id : call.resolution.ids) {
    if (id == ObjectId::null || call.type_of(id) != HandleType::VkFence) continue;
    ends_.push_back({id, false, true, false});
    again_.push_back(id);
  }
}

void ObjectUses::record(const model::Call& call) {
  CommandBuffer& commands = commands_[call.dispatch];
  switch (call.command.canonical) {
    case CommandId::vkBeginCommandBuffer: {
      record_again(call.dispatch);
      const auto* const info = call.as<args_vkBeginCommandBuffer>().pBeginInfo;
      commands.is_simultaneous = info != nullptr && (info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
      return;
    }
    case CommandId::vkResetCommandBuffer:
      return record_again(call.dispatch);
    case CommandId::vkEndCommandBuffer:
      return;
    default: {
      const bool waits =
          call.command.canonical == CommandId::vkCmdWaitEvents || call.command.canonical == CommandId::vkCmdWaitEvents2;
      for (const ObjectId id : call.resolution.ids)
        if (id != ObjectId::null && id != call.dispatch && !is_needed_to_record_only(call.type_of(id)))
          add_user(id, {call.dispatch, commands.recording, false, waits && call.type_of(id) == HandleType::VkEvent});
    }
  }
}

void ObjectUses::make(const model::Call& call) {
  for (const ObjectId made : call.resolution.created) {
    const HandleType type = call.type_of(made);
    if (type == HandleType::VkCommandBuffer) commands_[made].pool = call.parent_of(made);
    for (const ObjectId id : call.resolution.ids)
      if (id != ObjectId::null && id != made && is_made_of(type, call.type_of(id))) add_user(id, {made, 0, false});
  }
  if (call.command.canonical == CommandId::vkCreateDescriptorSetLayout) {
    const auto* const info = call.as<args_vkCreateDescriptorSetLayout>().pCreateInfo;
    if (info != nullptr && find_chained<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
                               info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO))
      loose_layouts_.insert(call.made());
  } else if (call.command.canonical == CommandId::vkAllocateDescriptorSets) {
    const auto is_loose = [&](ObjectId id) { return loose_layouts_.count(id) != 0; };
    if (std::any_of(call.resolution.ids.begin(), call.resolution.ids.end(), is_loose))
      loose_sets_.insert(call.resolution.created.begin(), call.resolution.created.end());
  }
}

// Nobody knows here which descriptor a shader uses: what is in a set is perhaps used with it.
void ObjectUses::update_sets(const model::Call& call) {
  std::vector<ObjectId> sets;
  if (call.command.canonical == CommandId::vkUpdateDescriptorSets) {
    const auto& a = call.as<args_vkUpdateDescriptorSets>();
    if (a.pDescriptorWrites != nullptr)
      for (const VkWriteDescriptorSet& one : std::span(a.pDescriptorWrites, a.descriptorWriteCount))
        sets.push_back(call.id(&one.dstSet));
    if (a.pDescriptorCopies != nullptr)
      for (const VkCopyDescriptorSet& one : std::span(a.pDescriptorCopies, a.descriptorCopyCount))
        sets.push_back(call.id(&one.dstSet));
  } else if (call.command.canonical == CommandId::vkUpdateDescriptorSetWithTemplate) {
    sets.push_back(call.id(&call.as<args_vkUpdateDescriptorSetWithTemplate>().descriptorSet));
  } else {
    return;
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  for (const ObjectId set : sets) {
    if (set == ObjectId::null) continue;
    end(set, loose_sets_.count(set) != 0);
    for (const ObjectId id : call.resolution.ids)
      if (id != ObjectId::null && call.type_of(id) != HandleType::VkDescriptorSet && id != call.dispatch &&
          !is_needed_to_record_only(call.type_of(id)))
        add_user(id, {set, 0, true});
  }
}

void ObjectUses::done() {
  for (const ObjectId id : gone_) {
    last_.erase(id);
    users_.erase(id);
    commands_.erase(id);
    loose_layouts_.erase(id);
    loose_sets_.erase(id);
  }
  // What executed an earlier recording has nothing to do with the next one.
  for (const ObjectId id : again_) {
    last_.erase(id);
    users_.erase(id);
  }
  gone_.clear();
  again_.clear();
}

// --- Batches ---

void ObjectUses::ends_of(const model::Batch& batch, std::vector<ObjectId>& out) const {
  for (const ObjectId id : batch.command_buffers)
    if (const auto found = commands_.find(id); found != commands_.end() && !found->second.is_simultaneous)
      out.push_back(id);
}

void ObjectUses::begins(std::uint32_t number, std::uint32_t queue, const model::Batch& batch) {
  // The host does not learn by a wait when a present is over.
  const bool is_quiet = batch.kind == model::Batch::Kind::present;
  for (const ObjectId id : batch.command_buffers) last_[id].set(queue, number, is_quiet);
  for (const auto* const uses : {&batch.waits, &batch.signals})
    for (const model::SemaphoreUse& one : *uses) last_[one.semaphore].set(queue, number, is_quiet);
  for (const model::PresentedImage& one : batch.images) last_[one.swapchain].set(queue, number, is_quiet);
  if (batch.fence != ObjectId::null) last_[batch.fence].set(queue, number, is_quiet);
}

void ObjectUses::find(const User& user, bool is_quiet, bool waits_alone, std::unordered_set<ObjectId>& seen,
                      Last& into) const {
  if (!seen.insert(user.object).second) return;
  const auto commands = commands_.find(user.object);
  if (commands != commands_.end() && user.recording != 0 && commands->second.recording != user.recording) return;
  if (const auto found = last_.find(user.object); found != last_.end())
    for (const Use& one : found->second.uses) into.set(one.queue, one.batch, one.is_quiet || is_quiet);
  if (const auto found = users_.find(user.object); found != users_.end())
    for (const User& one : found->second)
      if (!waits_alone || one.waits) find(one, is_quiet || one.is_quiet, false, seen, into);
}

void ObjectUses::uses_of(ObjectId object, const model::Placement& placement, bool waits_alone,
                         std::vector<Use>& out) const {
  out.clear();
  if (object == ObjectId::null) return;
  Last all;
  std::unordered_set<ObjectId> seen;
  find({object, 0, false}, false, waits_alone, seen, all);
  for (const ObjectId one : placement.on(object, 0, UINT64_MAX)) find({one, 0, false}, false, false, seen, all);
  out = std::move(all.uses);
  std::sort(out.begin(), out.end());
}

}  // namespace rondo::graph
