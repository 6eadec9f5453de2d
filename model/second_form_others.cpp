// SPDX-License-Identifier: Apache-2.0
// Queries, bindings and submits.
#include "format/native_view.h"
#include "model/second_form_maker.h"

namespace rondo::model {

namespace {

const void* write_timestamp(Maker& m, const args_vkCmdWriteTimestamp& a) {
  auto* const args = m.make<args_vkCmdWriteTimestamp2>();
  m.link(args->commandBuffer, a.commandBuffer);
  args->stage = a.pipelineStage;
  m.link(args->queryPool, a.queryPool);
  args->query = a.query;
  return args;
}

const void* begin_query(Maker& m, const args_vkCmdBeginQuery& a) {
  auto* const args = m.make<args_vkCmdBeginQueryIndexedEXT>();
  m.link(args->commandBuffer, a.commandBuffer);
  m.link(args->queryPool, a.queryPool);
  args->query = a.query;
  args->flags = a.flags;
  return args;
}

const void* end_query(Maker& m, const args_vkCmdEndQuery& a) {
  auto* const args = m.make<args_vkCmdEndQueryIndexedEXT>();
  m.link(args->commandBuffer, a.commandBuffer);
  m.link(args->queryPool, a.queryPool);
  args->query = a.query;
  return args;
}

const void* bind_vertices(Maker& m, const args_vkCmdBindVertexBuffers& a) {
  auto* const args = m.make<args_vkCmdBindVertexBuffers2>();
  m.link(args->commandBuffer, a.commandBuffer);
  args->firstBinding = a.firstBinding;
  args->bindingCount = a.bindingCount;
  args->pBuffers = a.pBuffers;
  args->pOffsets = a.pOffsets;
  return args;
}

// Semaphores of the first form, with the values and devices that chained structures have for them.
const VkSemaphoreSubmitInfo* semaphores(Maker& m, std::uint32_t count, const VkSemaphore* from,
                                        const VkPipelineStageFlags* stages, std::uint32_t value_count,
                                        const std::uint64_t* values, std::uint32_t device_count,
                                        const std::uint32_t* devices) {
  auto* const made = m.make<VkSemaphoreSubmitInfo>(count);
  for (std::uint32_t i = 0; i < count; ++i)
    made[i] = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
               nullptr,
               from[i],
               values != nullptr && i < value_count ? values[i] : 0,
               stages != nullptr ? stages[i] : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
               devices != nullptr && i < device_count ? devices[i] : 0};
  m.link_array(made, &VkSemaphoreSubmitInfo::semaphore, from, count);
  return made;
}

VkSubmitInfo2 batch_of(Maker& m, const VkSubmitInfo& from) {
  const auto* values =
      find_chained<VkTimelineSemaphoreSubmitInfo>(from.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const auto* group = find_chained<VkDeviceGroupSubmitInfo>(from.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
  const auto* is_protected = find_chained<VkProtectedSubmitInfo>(from.pNext, VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO);
  const VkTimelineSemaphoreSubmitInfo no_values{};
  const VkDeviceGroupSubmitInfo no_group{};
  const VkTimelineSemaphoreSubmitInfo& v = values != nullptr ? *values : no_values;
  const VkDeviceGroupSubmitInfo& g = group != nullptr ? *group : no_group;
  VkSubmitInfo2 to{};
  to.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  to.pNext = from.pNext;
  if (is_protected != nullptr && is_protected->protectedSubmit != VK_FALSE) to.flags = VK_SUBMIT_PROTECTED_BIT;
  to.waitSemaphoreInfoCount = from.waitSemaphoreCount;
  to.pWaitSemaphoreInfos =
      semaphores(m, from.waitSemaphoreCount, from.pWaitSemaphores, from.pWaitDstStageMask, v.waitSemaphoreValueCount,
                 v.pWaitSemaphoreValues, g.waitSemaphoreCount, g.pWaitSemaphoreDeviceIndices);
  auto* const commands = m.make<VkCommandBufferSubmitInfo>(from.commandBufferCount);
  for (std::uint32_t i = 0; i < from.commandBufferCount; ++i)
    commands[i] = {
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, from.pCommandBuffers[i],
        g.pCommandBufferDeviceMasks != nullptr && i < g.commandBufferCount ? g.pCommandBufferDeviceMasks[i] : 0};
  m.link_array(commands, &VkCommandBufferSubmitInfo::commandBuffer, from.pCommandBuffers, from.commandBufferCount);
  to.commandBufferInfoCount = from.commandBufferCount;
  to.pCommandBufferInfos = commands;
  to.signalSemaphoreInfoCount = from.signalSemaphoreCount;
  to.pSignalSemaphoreInfos =
      semaphores(m, from.signalSemaphoreCount, from.pSignalSemaphores, nullptr, v.signalSemaphoreValueCount,
                 v.pSignalSemaphoreValues, g.signalSemaphoreCount, g.pSignalSemaphoreDeviceIndices);
  return to;
}

const void* submit(Maker& m, const args_vkQueueSubmit& a) {
  auto* const args = m.make<args_vkQueueSubmit2>();
  m.link(args->queue, a.queue);
  auto* const batches = m.make<VkSubmitInfo2>(a.submitCount);
  for (std::uint32_t i = 0; i < a.submitCount; ++i) batches[i] = batch_of(m, a.pSubmits[i]);
  args->submitCount = a.submitCount;
  args->pSubmits = batches;
  m.link(args->fence, a.fence);
  return args;
}

constexpr Pair kOtherPairs[] = {
    pair<args_vkCmdWriteTimestamp, write_timestamp>(CommandId::vkCmdWriteTimestamp, CommandId::vkCmdWriteTimestamp2),
    pair<args_vkCmdBeginQuery, begin_query>(CommandId::vkCmdBeginQuery, CommandId::vkCmdBeginQueryIndexedEXT),
    pair<args_vkCmdEndQuery, end_query>(CommandId::vkCmdEndQuery, CommandId::vkCmdEndQueryIndexedEXT),
    pair<args_vkCmdBindVertexBuffers, bind_vertices>(CommandId::vkCmdBindVertexBuffers,
                                                     CommandId::vkCmdBindVertexBuffers2),
    pair<args_vkQueueSubmit, submit>(CommandId::vkQueueSubmit, CommandId::vkQueueSubmit2),
};

}  // namespace

std::span<const Pair> pairs_of_others() { return kOtherPairs; }

}  // namespace rondo::model
