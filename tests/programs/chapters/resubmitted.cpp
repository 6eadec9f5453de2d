// SPDX-License-Identifier: Apache-2.0
// Chapter "Command Buffers": several primaries in one batch, submitted again and
// again while they may still run, one of them twice in a batch; secondaries that
// primaries share; what a pool's reset, a trim and an implicit reset leave.
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 5;

VkCommandBuffer allocate(Session& s, VkCommandPool pool, VkCommandBufferLevel level) {
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool, level, 1};
  VkCommandBuffer buffer;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &buffer));
  return buffer;
}

void begin_secondary(VkCommandBuffer buffer, VkCommandBufferUsageFlags usage) {
  const VkCommandBufferInheritanceInfo nothing{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, usage, &nothing};
  CHECK(vkBeginCommandBuffer(buffer, &info));
}

// Counts `step` at `to`; everything before is finished then.
void record(VkCommandBuffer cmd, const Kernel& k, std::uint32_t to, std::uint32_t step) {
  bind(cmd, k);
  push(cmd, k, to, step, 99);
  vkCmdDispatch(cmd, 1, 1, 1);
  barrier(cmd);
}

void many_in_one(Session& s, const Kernel& k, VkCommandPool pool, const MappedBuffer& out) {
  const VkCommandBuffer secondary = allocate(s, pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  begin_secondary(secondary, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  record(secondary, k, 0, 1);
  CHECK(vkEndCommandBuffer(secondary));
  VkCommandBuffer primaries[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    primaries[i] = allocate(s, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    begin(primaries[i], VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    record(primaries[i], k, 1 + i, 10);
    const VkCommandBuffer twice[2] = {secondary, secondary};
    vkCmdExecuteCommands(primaries[i], 2, twice);
    record(primaries[i], k, 1 + i, 100);
    CHECK(vkEndCommandBuffer(primaries[i]));
  }
  const VkCommandBuffer batch[4] = {primaries[0], primaries[1], primaries[0], primaries[2]};
  const VkSubmitInfo infos[2] = {
      {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 4, .pCommandBuffers = batch},
      {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = primaries + 2}};
  for (std::uint32_t i = 0; i < kRounds; ++i)
    CHECK(vkQueueSubmit(s.queues[0], 2, infos, i + 1 == kRounds ? s.commands.done : VK_NULL_HANDLE));
  wait(s, s.commands);
  // Groups of four invocations.
  EXPECT(s, out.words[0] == 4 * kRounds * 5 * 2 && out.words[1] == 4 * kRounds * 2 * 110);
  EXPECT(s, out.words[2] == 4 * kRounds * 110 && out.words[3] == 4 * kRounds * 2 * 110);
}

// Recorded, submitted, reset each way and recorded anew, with other buffers between that stay initial.
void lives(Session& s, const Kernel& k, const MappedBuffer& out) {
  const VkCommandPool pool =
      keep(s, vkDestroyCommandPool,
           create_command_pool(
               s, VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, s.family));
  VkCommandBuffer buffers[4];
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 4};
  CHECK(vkAllocateCommandBuffers(s.device, &info, buffers));
  for (std::uint32_t life = 0; life < 6; ++life) {
    for (std::uint32_t i = 0; i < 3; ++i) {  // the last one is never begun
      begin(buffers[i], i == 0 ? VkFlags{VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT} : 0u);
      record(buffers[i], k, 8 + i, 1 + life);
      if (i < 2 || life == 5) CHECK(vkEndCommandBuffer(buffers[i]));  // else it stays open until it is reset
    }
    const VkSubmitInfo batch{
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = life == 5 ? 3u : 2u, .pCommandBuffers = buffers};
    CHECK(vkQueueSubmit(s.queues[0], 1, &batch, s.commands.done));
    wait(s, s.commands);
    if (life == 1 || life == 3)
      CHECK(vkResetCommandPool(s.device, pool, life == 3 ? VkFlags{VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT} : 0u));
    if (life == 0 || life == 2) CHECK(vkResetCommandBuffer(buffers[2], VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT));
    if (life == 2) vkTrimCommandPool(s.device, pool, 0);
    if (life == 4) {  // freed and another one in its place, null handles beside
      const VkCommandBuffer freed[3] = {VK_NULL_HANDLE, buffers[2], buffers[1]};
      vkFreeCommandBuffers(s.device, pool, 3, freed);
      buffers[1] = allocate(s, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
      buffers[2] = allocate(s, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    }
  }
  EXPECT(s, out.words[8] == 4 * 21 && out.words[9] == 4 * 21 && out.words[10] == 4 * 6);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("resubmitted", needs);
  const MappedBuffer unused = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  const Kernel k = create_kernel(s, shader(s, count_comp_spv), {unused, out});
  many_in_one(s, k, keep(s, vkDestroyCommandPool, create_command_pool(s, 0, s.family)), out);
  lives(s, k, out);
  add(s, out);
  return finish(s);
}
