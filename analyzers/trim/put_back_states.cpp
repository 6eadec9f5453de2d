// SPDX-License-Identifier: Apache-2.0
// Queries, events, fences, semaphores: as they are where the span begins, nothing being worked on.
#include <algorithm>

#include "analyzers/trim/put_back.h"
#include "format/native_view.h"
#include "generated/args.h"

namespace rondo::trim {

using player::kNone;
using player::Op;

Result<void> PutBack::write_queries() {
  for (const auto& [pool, states] : states_.queries) {
    const std::uint32_t made = keep_.made_by(pool);
    if (!is_there(pool) || made == kNone) continue;
    view_.load(plan_, plan_.ops[made]);
    const VkQueryType type = view_.as<args_vkCreateQueryPool>().pCreateInfo->queryType;
    const bool plain =
        type == VK_QUERY_TYPE_OCCLUSION || type == VK_QUERY_TYPE_PIPELINE_STATISTICS || type == VK_QUERY_TYPE_TIMESTAMP;
    const QueueOf* queue =
        queue_for(plan_.place_of(objects_[pool].device), VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_GRAPHICS_BIT);
    if (queue == nullptr)
      queue = queue_for(plan_.place_of(objects_[pool].device), VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_COMPUTE_BIT);
    for (std::size_t first = 0; first < states.size();) {
      std::size_t last = first;
      while (last < states.size() && states[last] == states[first]) ++last;
      if (states[first] != QueryState::unknown) {
        if (queue == nullptr) return cannot(pool, "has no queue that could reset it");
        const args_rondoQueries args{captured<VkQueue>(queue->id),
                                     captured<VkQueryPool>(pool),
                                     type,
                                     static_cast<std::uint32_t>(first),
                                     static_cast<std::uint32_t>(last - first),
                                     plain && states[first] == QueryState::ended ? VK_TRUE : VK_FALSE};
        RONDO_TRY(out_.write(CommandId::rondoQueries, args));
      }
      first = last;
    }
  }
  return {};
}

Result<void> PutBack::write_events() {
  for (const auto& [event, state] : states_.events)
    if (state.set && is_there(event)) RONDO_TRY(write_event(event, state));
  return {};
}

// As a wait wants it: by the host, or with the dependency, or the stages, of what set it.
Result<void> PutBack::write_event(ObjectId event, const player::EventStates::State& state) {
  if (state.setter == kNone) {
    const args_vkSetEvent args{captured<VkDevice>(objects_[event].device), captured<VkEvent>(event)};
    return out_.write(CommandId::vkSetEvent, args, VK_SUCCESS);
  }
  const QueueOf* queue = queue_for(plan_.place_of(objects_[event].device), VK_QUEUE_FAMILY_IGNORED,
                                   VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  if (queue == nullptr) return cannot(event, "has no queue that could set it");
  args_rondoEventSet args{};
  args.queue = captured<VkQueue>(queue->id);
  args.event = captured<VkEvent>(event);
  const Op& op = plan_.ops[state.setter];
  view_.load(plan_, op);
  const VkDependencyInfo* info = nullptr;
  switch (codec::info(op.command).canonical) {
    case CommandId::vkCmdSetEvent2:
      info = view_.as<args_vkCmdSetEvent2>().pDependencyInfo;
      break;
    case CommandId::rondoEventSet:
      info = view_.as<args_rondoEventSet>().pDependencyInfo;
      args.stageMask = view_.as<args_rondoEventSet>().stageMask;
      break;
    default:
      args.stageMask = view_.as<args_vkCmdSetEvent>().stageMask;
      break;
  }
  // What stands in its handles are not values: the objects have them.
  VkDependencyInfo copy{};
  std::vector<VkBufferMemoryBarrier2> buffers;
  std::vector<VkImageMemoryBarrier2> images;
  if (info != nullptr) {
    copy = *info;
    for (std::uint32_t i = 0; i < copy.bufferMemoryBarrierCount; ++i) {
      buffers.push_back(copy.pBufferMemoryBarriers[i]);
      buffers.back().buffer = captured<VkBuffer>(view_.id(&info->pBufferMemoryBarriers[i].buffer));
    }
    for (std::uint32_t i = 0; i < copy.imageMemoryBarrierCount; ++i) {
      images.push_back(copy.pImageMemoryBarriers[i]);
      images.back().image = captured<VkImage>(view_.id(&info->pImageMemoryBarriers[i].image));
    }
    copy.pBufferMemoryBarriers = buffers.data();
    copy.pImageMemoryBarriers = images.data();
    args.pDependencyInfo = &copy;
  }
  return out_.write(CommandId::rondoEventSet, args);
}

// What the acquires that are kept signal.
std::set<ObjectId> PutBack::signalled_by_acquires() const {
  std::set<ObjectId> signalled;
  std::set<std::uint64_t> records;
  for (const auto& [image, record] : survey_.acquired)
    if (keep_.has(image.first)) records.insert(record);
  for (std::uint32_t i = 0; i < plan_.span.first && !records.empty(); ++i) {
    const Op& op = plan_.ops[i];
    if (records.count(op.sequence) == 0) continue;
    for (std::uint32_t p = 0; p < op.patches; ++p) signalled.insert(plan_.patches[op.first_patch + p].id);
  }
  return signalled;
}

Result<void> PutBack::write_fences() {
  const std::set<ObjectId> acquired = signalled_by_acquires();
  for (const ObjectId id : all_ids(objects_.size())) {
    if (objects_[id].type != HandleType::VkFence || !is_there(id) || keep_.made_by(id) == kNone) continue;
    const auto& device = run_.device_at(plan_.place_of(objects_[id].device));
    if (device == nullptr || run_.slot(id) == 0) continue;
    view_.load(plan_, plan_.ops[keep_.made_by(id)]);
    const bool made_so = (view_.as<args_vkCreateFence>().pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
    const bool would_be = made_so || acquired.count(id) != 0;
    const bool is =
        device->dispatch.vkGetFenceStatus(device->handle, reinterpret_cast<VkFence>(run_.slot(id))) == VK_SUCCESS;
    if (is == would_be) continue;
    const VkFence fence = captured<VkFence>(id);
    if (!is) {
      const args_vkResetFences args{captured<VkDevice>(objects_[id].device), 1, &fence};
      RONDO_TRY(out_.write(CommandId::vkResetFences, args, VK_SUCCESS));
      continue;
    }
    const QueueOf* queue = queue_for(plan_.place_of(objects_[id].device), VK_QUEUE_FAMILY_IGNORED, ~VkQueueFlags{0});
    if (queue == nullptr) return cannot(id, "has no queue that could signal it");
    const args_vkQueueSubmit args{captured<VkQueue>(queue->id), 0, nullptr, fence};
    RONDO_TRY(out_.write(CommandId::vkQueueSubmit, args, VK_SUCCESS));
  }
  return {};
}

Result<void> PutBack::write_semaphores() {
  const std::set<ObjectId> acquired = signalled_by_acquires();
  for (const ObjectId id : all_ids(objects_.size())) {
    if (objects_[id].type != HandleType::VkSemaphore || !is_there(id) || keep_.made_by(id) == kNone) continue;
    const auto& device = run_.device_at(plan_.place_of(objects_[id].device));
    if (device == nullptr || run_.slot(id) == 0) continue;
    view_.load(plan_, plan_.ops[keep_.made_by(id)]);
    const auto* type = find_chained<VkSemaphoreTypeCreateInfo>(view_.as<args_vkCreateSemaphore>().pCreateInfo->pNext,
                                                               VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    const VkSemaphore semaphore = captured<VkSemaphore>(id);
    if (type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE) {
      std::uint64_t value = 0;
      const VkResult r = device->dispatch.vkGetSemaphoreCounterValue(
          device->handle, reinterpret_cast<VkSemaphore>(run_.slot(id)), &value);
      if (r < 0) return cannot(id, "does not tell its value");
      if (value <= type->initialValue || !puts_back("timelines")) continue;
      const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, value};
      const args_vkSignalSemaphore args{captured<VkDevice>(objects_[id].device), &info};
      RONDO_TRY(out_.write(CommandId::vkSignalSemaphore, args, VK_SUCCESS));
      continue;
    }
    // All that gave anything to a sync fd has ended: what came in one is signalled.
    const bool is = states_.signalled.count(id) != 0 || survey_.imported.count(id) != 0,
               would_be = acquired.count(id) != 0;
    if (is == would_be || !puts_back("binaries")) continue;
    const QueueOf* queue = queue_for(plan_.place_of(objects_[id].device), VK_QUEUE_FAMILY_IGNORED, ~VkQueueFlags{0});
    if (queue == nullptr) return cannot(id, "has no queue that could signal it");
    constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = is ? 0 : 1;
    submit.pWaitSemaphores = &semaphore;
    submit.pWaitDstStageMask = &stage;
    submit.signalSemaphoreCount = is ? 1 : 0;
    submit.pSignalSemaphores = &semaphore;
    const args_vkQueueSubmit args{captured<VkQueue>(queue->id), 1, &submit, VK_NULL_HANDLE};
    RONDO_TRY(out_.write(CommandId::vkQueueSubmit, args, VK_SUCCESS));
  }
  return {};
}

}  // namespace rondo::trim
