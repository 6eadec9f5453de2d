// SPDX-License-Identifier: Apache-2.0
// Chapter "Command Buffers", submission: batches with every structure that the
// first version's may carry, binary and timeline semaphores side by side, several
// stages to wait at, the second version's with masks and stages of its own, and
// fences on the last of many.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

VkCommandBuffer record(Session& s, const MappedBuffer& out, std::uint32_t place, std::uint32_t from) {
  const VkCommandBuffer cmd = allocate_command_buffer(s, s.commands.pool);
  begin(cmd, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  barrier(cmd);
  copy(cmd, out.buffer, from * 4, out.buffer, place * 4, 8);
  barrier(cmd);
  vkCmdFillBuffer(cmd, out.buffer, from * 4, 4, place);
  barrier(cmd);
  CHECK(vkEndCommandBuffer(cmd));
  return cmd;
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, timelineSemaphore);
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("mixed_submits", needs);
  const MappedBuffer out = buffer(s, 1024, kCopies);
  fill(out, 1);
  VkCommandBuffer work[6];
  for (std::uint32_t i = 0; i < 6; ++i) work[i] = record(s, out, 16 + 8 * i, i * 4 + i % 2);
  const VkSemaphore binary[3] = {keep(s, vkDestroySemaphore, create_semaphore(s)),
                                 keep(s, vkDestroySemaphore, create_semaphore(s)),
                                 keep(s, vkDestroySemaphore, create_semaphore(s))};
  const VkSemaphore timeline = keep(s, vkDestroySemaphore, create_timeline(s, 5)),
                    other = keep(s, vkDestroySemaphore, create_timeline(s));

  // Values beside binary semaphores mean nothing.
  const VkSemaphore first_signals[3] = {binary[0], timeline, binary[1]},
                    second_waits[3] = {binary[1], other, binary[0]};
  const std::uint64_t first_values[3] = {99, 7, 98}, second_values[3] = {97, 3, 96}, last_values[1] = {20};
  const VkTimelineSemaphoreSubmitInfo first_timelines{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 0, nullptr, 3, first_values};
  const std::uint32_t masks[2] = {1, 1}, nobody[3] = {0, 0, 0};
  const VkDeviceGroupSubmitInfo group{
      VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO, &first_timelines, 0, nullptr, 2, masks, 3, nobody};
  const VkTimelineSemaphoreSubmitInfo second_timelines{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 3, second_values, 1, last_values};
  const VkProtectedSubmitInfo unprotected{VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, &second_timelines, VK_FALSE};
  const VkPipelineStageFlags stages[3] = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT};
  const VkSubmitInfo batches[2] = {
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, &group, 0, nullptr, nullptr, 2, work, 3, first_signals},
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, &unprotected, 3, second_waits, stages, 2, work + 2, 1, &timeline}};
  CHECK(vkQueueSubmit(s.queues[0], 2, batches, s.commands.done));
  const VkSemaphoreSignalInfo go{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, other, 3};
  CHECK(vkSignalSemaphore(s.device, &go));

  const VkSemaphoreSubmitInfo waits[1] = {{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, timeline, 20,
                                           VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT, 0}};
  const VkSemaphoreSubmitInfo signals[2] = {
      {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, binary[2], 44, VK_PIPELINE_STAGE_2_NONE, 0},
      {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, other, 1000, VK_PIPELINE_STAGE_2_COPY_BIT, 0}};
  const VkCommandBufferSubmitInfo three[3] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, work[4], 0},
                                              {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, work[5], 1},
                                              {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, work[0], 0}};
  const VkSemaphoreSubmitInfo end[1] = {
      {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, binary[2], 0, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0}};
  const VkSubmitInfo2 newer[3] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, waits, 3, three, 2, signals},
                                  {VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, end, 1, three},
                                  {VK_STRUCTURE_TYPE_SUBMIT_INFO_2}};
  const VkFence last = keep(s, vkDestroyFence, create_fence(s));
  CHECK(vkQueueSubmit2(s.queues[0], 3, newer, last));
  const VkFence both[2] = {last, s.commands.done};
  CHECK(vkWaitForFences(s.device, 2, both, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(s.device, 2, both));
  CHECK(vkDeviceWaitIdle(s.device));
  std::uint64_t value = 0;
  CHECK(vkGetSemaphoreCounterValue(s.device, timeline, &value));
  EXPECT(s, value == 20);
  EXPECT(s, out.words[0] == 16 && out.words[4 + 1] == 24);
  add(s, out);
  return finish(s);
}
