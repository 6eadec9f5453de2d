// SPDX-License-Identifier: Apache-2.0
// Submits of every shape: with a fence only, of no command buffer, of many
// batches that wait for each other, with masks of a device group of one, and
// as synchronization 2 has them. How often the work was done shows in memory.
#include "objects.h"
#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kChain = 16;

VkSubmitInfo batch(const VkCommandBuffer* commands, std::uint32_t count) {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = count;
  info.pCommandBuffers = commands;
  return info;
}

void done(const Context& c, VkFence fence) {
  CHECK(vkWaitForFences(c.device, 1, &fence, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(c.device, 1, &fence));
}

void nothing_but_fences(const Context& c, VkFence fence) {
  CHECK(vkQueueSubmit(c.queues[0], 0, nullptr, fence));
  done(c, fence);
  CHECK(vkQueueSubmit(c.queues[0], 0, nullptr, VK_NULL_HANDLE));
  const VkSubmitInfo empty = batch(nullptr, 0);
  CHECK(vkQueueSubmit(c.queues[0], 1, &empty, fence));
  done(c, fence);
  CHECK(vkQueueSubmit2(c.queues[0], 0, nullptr, fence));
  done(c, fence);
}

// One call; each batch waits for the one before and does the work twice.
void a_chain(const Context& c, VkCommandBuffer work, VkFence fence) {
  VkSemaphore between[kChain];
  for (VkSemaphore& semaphore : between) semaphore = create_semaphore(c);
  const VkCommandBuffer twice[2] = {work, work};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo infos[kChain];
  for (std::uint32_t i = 0; i < kChain; ++i) {
    infos[i] = batch(twice, 2);
    if (i > 0) {
      infos[i].waitSemaphoreCount = 1;
      infos[i].pWaitSemaphores = &between[i - 1];
      infos[i].pWaitDstStageMask = &stage;
    }
    infos[i].signalSemaphoreCount = i + 1 < kChain ? 1 : 0;
    infos[i].pSignalSemaphores = &between[i];
  }
  CHECK(vkQueueSubmit(c.queues[0], kChain, infos, fence));
  done(c, fence);
  for (VkSemaphore semaphore : between) vkDestroySemaphore(c.device, semaphore, nullptr);
}

// A batch that signals and does nothing, one that waits with a device mask.
void with_masks(const Context& c, VkCommandBuffer work, VkFence fence) {
  VkSemaphore between = create_semaphore(c);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const std::uint32_t mask = 1, index = 0;
  VkDeviceGroupSubmitInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO;
  group.waitSemaphoreCount = 1;
  group.pWaitSemaphoreDeviceIndices = &index;
  group.commandBufferCount = 1;
  group.pCommandBufferDeviceMasks = &mask;
  VkSubmitInfo infos[2] = {batch(nullptr, 0), batch(&work, 1)};
  infos[0].signalSemaphoreCount = infos[1].waitSemaphoreCount = 1;
  infos[0].pSignalSemaphores = infos[1].pWaitSemaphores = &between;
  infos[1].pWaitDstStageMask = &stage;
  infos[1].pNext = &group;
  CHECK(vkQueueSubmit(c.queues[0], 2, infos, fence));
  done(c, fence);
  vkDestroySemaphore(c.device, between, nullptr);
}

void as_synchronization2(const Context& c, VkCommandBuffer work, VkFence fence) {
  VkSemaphoreSubmitInfo between{};
  between.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  between.semaphore = create_semaphore(c);
  between.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkCommandBufferSubmitInfo commands[3]{};
  for (VkCommandBufferSubmitInfo& one : commands) {
    one.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    one.commandBuffer = work;
  }
  VkSubmitInfo2 infos[2]{};
  infos[0].sType = infos[1].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  infos[0].commandBufferInfoCount = 3;
  infos[1].commandBufferInfoCount = 1;
  infos[0].pCommandBufferInfos = infos[1].pCommandBufferInfos = commands;
  infos[0].signalSemaphoreInfoCount = infos[1].waitSemaphoreInfoCount = 1;
  infos[0].pSignalSemaphoreInfos = infos[1].pWaitSemaphoreInfos = &between;
  CHECK(vkQueueSubmit2(c.queues[0], 2, infos, fence));
  done(c, fence);
  vkDestroySemaphore(c.device, between.semaphore, nullptr);
}

}  // namespace

int main() {
  VkPhysicalDeviceSynchronization2Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES;
  features.synchronization2 = VK_TRUE;
  Wanted wanted;
  wanted.api_version = VK_API_VERSION_1_3;
  wanted.features = &features;
  Context c = create_context("submits", wanted);
  Commands commands = create_commands(c);
  Shift shift = create_shift(c);
  begin(commands.buffer, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  vkCmdSetDeviceMask(commands.buffer, 1);
  record_shift(shift, commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));

  nothing_but_fences(c, commands.done);
  expect_shifted(shift, 0);
  a_chain(c, commands.buffer, commands.done);
  expect_shifted(shift, 2 * kChain);
  with_masks(c, commands.buffer, commands.done);
  expect_shifted(shift, 2 * kChain + 1);
  as_synchronization2(c, commands.buffer, commands.done);
  expect_shifted(shift, 2 * kChain + 5);

  std::printf("submits: %u batches, checksum %016llx\n", 1 + kChain + 2 + 2,
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  destroy(c, shift);
  destroy(c, commands);
  destroy(c);
  return 0;
}
