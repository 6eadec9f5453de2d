// SPDX-License-Identifier: Apache-2.0
// Chapter "Synchronization and Cache Control", timeline semaphores: waits that
// are submitted before their signals, values signalled by the host out of the
// order of the work, waits for any and for all of many, and for many fences.
#include "objects.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kSteps = 6;

void signal(Session& s, VkSemaphore semaphore, std::uint64_t value) {
  const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, value};
  CHECK(vkSignalSemaphore(s.device, &info));
}

VkResult wait(Session& s, const std::vector<VkSemaphore>& semaphores, const std::vector<std::uint64_t>& values,
              VkSemaphoreWaitFlags flags = 0, std::uint64_t timeout = UINT64_MAX) {
  const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,         nullptr,           flags,
                                 static_cast<std::uint32_t>(semaphores.size()), semaphores.data(), values.data()};
  return vkWaitSemaphores(s.device, &info, timeout);
}

VkSemaphoreSubmitInfo at(VkSemaphore semaphore, std::uint64_t value) {
  return {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
}

// Doubles the first word and adds one, step by step.
VkCommandBuffer record_step(Session& s, VkCommandPool pool, const MappedBuffer& from, const MappedBuffer& to,
                            std::uint32_t step) {
  const VkCommandBuffer cmd = allocate_command_buffer(s, pool);
  begin(cmd, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  barrier(cmd);
  copy(cmd, from.buffer, step * 4, to.buffer, step * 64, 4);
  vkCmdFillBuffer(cmd, to.buffer, step * 64 + 4, 60, step);
  transfers_to_host(cmd);
  CHECK(vkEndCommandBuffer(cmd));
  return cmd;
}

// The host lets the steps go one by one and sees each in memory before the next.
void one_by_one(Session& s, VkCommandPool pool, const MappedBuffer& from, const MappedBuffer& to) {
  const VkSemaphore gate = keep(s, vkDestroySemaphore, create_timeline(s, 100)),
                    done = keep(s, vkDestroySemaphore, create_timeline(s));
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    const VkSemaphoreSubmitInfo waits[1] = {at(gate, 110 + i * 7)},
                                signals[2] = {at(done, 1 + i * 3), at(gate, 111 + i * 7)};
    const VkCommandBufferSubmitInfo step{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                         record_step(s, pool, from, to, i), 0};
    const VkSubmitInfo2 batch{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, waits, 1, &step, 2, signals};
    CHECK(vkQueueSubmit2(s.queues[0], 1, &batch, VK_NULL_HANDLE));
  }
  EXPECT(s, wait(s, {done}, {1}, 0, 1000) == VK_TIMEOUT);
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    from.words[i] = mix(9, i);
    signal(s, gate, 110 + i * 7);
    CHECK(wait(s, {done, gate}, {1 + i * 3, 111 + i * 7}));
    EXPECT(s, to.words[i * 16] == mix(9, i) && to.words[i * 16 + 15] == i);
    std::uint64_t value = 0;
    CHECK(vkGetSemaphoreCounterValue(s.device, done, &value));
    EXPECT(s, value == 1 + i * 3);
  }
}

// Several semaphores: whichever comes first, then all.
void any_and_all(Session& s, VkCommandPool pool, const MappedBuffer& from, const MappedBuffer& to) {
  std::vector<VkSemaphore> all;
  for (std::uint32_t i = 0; i < 4; ++i) all.push_back(keep(s, vkDestroySemaphore, create_timeline(s, i)));
  CHECK(wait(s, all, {0, 1, 2, 3}));
  CHECK(wait(s, all, {50, 50, 50, 3}, VK_SEMAPHORE_WAIT_ANY_BIT));
  from.words[0] = 4711;
  const VkSemaphoreSubmitInfo signals[3] = {at(all[2], 50), at(all[0], 12), at(all[1], 13)};
  const VkCommandBufferSubmitInfo step{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                       record_step(s, pool, from, to, 0), 0};
  const VkSubmitInfo2 batch{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 0, nullptr, 1, &step, 3, signals};
  CHECK(vkQueueSubmit2(s.queues[0], 1, &batch, VK_NULL_HANDLE));
  CHECK(wait(s, all, {50, 50, 50, 50}, VK_SEMAPHORE_WAIT_ANY_BIT));
  EXPECT(s, to.words[0] == 4711);
  EXPECT(s, wait(s, all, {12, 13, 50, 4}, 0, 0) == VK_TIMEOUT);
  signal(s, all[3], 1ull << 30);
  CHECK(wait(s, all, {12, 13, 50, 4}));
}

void many_fences(Session& s, VkCommandPool pool, const MappedBuffer& from, const MappedBuffer& to) {
  const VkSemaphore gate = keep(s, vkDestroySemaphore, create_timeline(s));
  std::vector<VkFence> fences;
  for (std::uint32_t i = 0; i < 5; ++i) {
    fences.push_back(keep(s, vkDestroyFence, create_fence(s, i == 4 ? VkFlags{VK_FENCE_CREATE_SIGNALED_BIT} : 0u)));
    if (i == 4) break;
    from.words[i] = 30 + i;
    const VkSemaphoreSubmitInfo waits[1] = {at(gate, i < 2 ? 0u : 1u)};
    const VkCommandBufferSubmitInfo step{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                         record_step(s, pool, from, to, i), 0};
    const VkSubmitInfo2 batch{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, nullptr, 0, 1, waits, 1, &step};
    CHECK(vkQueueSubmit2(s.queues[0], 1, &batch, fences[i]));
  }
  CHECK(vkWaitForFences(s.device, 2, fences.data(), VK_TRUE, UINT64_MAX));
  EXPECT(s, to.words[16] == 31);
  EXPECT(s, vkWaitForFences(s.device, 5, fences.data(), VK_TRUE, 0) == VK_TIMEOUT);
  CHECK(vkWaitForFences(s.device, 3, fences.data() + 2, VK_FALSE, UINT64_MAX));  // the last one is signalled
  signal(s, gate, 1);
  CHECK(vkWaitForFences(s.device, 5, fences.data(), VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(s.device, 5, fences.data()));
  EXPECT(s, vkGetFenceStatus(s.device, fences[4]) == VK_NOT_READY);
  EXPECT(s, to.words[48] == 33);
}

}  // namespace

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, timelineSemaphore);
  NEED(needs, Vulkan13Features, synchronization2);
  Session s = open("timelines", needs);
  const VkCommandPool pool = keep(s, vkDestroyCommandPool, create_command_pool(s, 0, s.family));
  const MappedBuffer from = buffer(s, 256, kCopies), to = buffer(s, 1024, kCopies);
  one_by_one(s, pool, from, to);
  any_and_all(s, pool, from, to);
  many_fences(s, pool, from, to);
  add(s, to);
  return finish(s);
}
