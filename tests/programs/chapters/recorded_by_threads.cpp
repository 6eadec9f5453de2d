// SPDX-License-Identifier: Apache-2.0
// Chapter "Command Buffers": secondaries that four threads record at once, each in
// pools of its own, executed together in primaries which are submitted while the
// threads record the next, pools reset as a whole by turns.
#include <thread>

#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr std::uint32_t kThreads = 4, kFrames = 10, kParts = 8;

struct Worker {
  VkCommandPool pools[2] = {};
  VkCommandBuffer buffers[2][kParts] = {};
};

Worker create_worker(Session& s) {
  Worker w;
  for (std::uint32_t turn = 0; turn < 2; ++turn) {
    w.pools[turn] =
        keep(s, vkDestroyCommandPool, create_command_pool(s, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, s.family));
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, w.pools[turn],
                                           VK_COMMAND_BUFFER_LEVEL_SECONDARY, kParts};
    CHECK(vkAllocateCommandBuffers(s.device, &info, w.buffers[turn]));
  }
  return w;
}

void record(const Session& s, const Kernel& k, const Worker& w, std::uint32_t thread, std::uint32_t frame) {
  CHECK(vkResetCommandPool(s.device, w.pools[frame % 2], 0));
  for (std::uint32_t part = 0; part < kParts; ++part) {
    const VkCommandBuffer cmd = w.buffers[frame % 2][part];
    const VkCommandBufferInheritanceInfo nothing{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                        VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, &nothing};
    CHECK(vkBeginCommandBuffer(cmd, &info));
    bind(cmd, k);
    push(cmd, k, thread * kParts + part, frame + 1, 99);
    vkCmdDispatch(cmd, 1 + part % 2, 1, 1);
    barrier(cmd);
    CHECK(vkEndCommandBuffer(cmd));
  }
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("recorded_by_threads", needs);
  const MappedBuffer parameters = buffer(s, 256, kStorage), out = buffer(s, 256, kStorage);
  const Kernel k = create_kernel(s, shader(s, count_comp_spv), {parameters, out});
  std::vector<Worker> workers;
  for (std::uint32_t i = 0; i < kThreads; ++i) workers.push_back(create_worker(s));
  VkCommandBuffer primaries[2];
  VkFence fences[2];
  for (std::uint32_t turn = 0; turn < 2; ++turn) {
    primaries[turn] = allocate_command_buffer(s, s.commands.pool);
    fences[turn] = keep(s, vkDestroyFence, create_fence(s, VK_FENCE_CREATE_SIGNALED_BIT));
  }
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    const VkFence fence = fences[frame % 2];
    CHECK(vkWaitForFences(s.device, 1, &fence, VK_TRUE, UINT64_MAX));
    CHECK(vkResetFences(s.device, 1, &fence));
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { record(s, k, workers[i], i, frame); });
    for (std::thread& thread : threads) thread.join();
    const VkCommandBuffer primary = primaries[frame % 2];
    begin(primary, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    barrier(primary);
    for (const Worker& w : workers) vkCmdExecuteCommands(primary, kParts, w.buffers[frame % 2]);
    CHECK(vkEndCommandBuffer(primary));
    submit(s.queues[0], primary, fence);
  }
  CHECK(vkQueueWaitIdle(s.queues[0]));
  constexpr std::uint32_t steps = kFrames * (kFrames + 1) / 2;
  // A part of two groups counts in the place behind its own, too.
  for (std::uint32_t i = 0; i < kThreads * kParts; ++i)
    EXPECT(s, out.words[i] == 4 * steps * (i % 2 == 0 && i > 0 ? 2u : 1u));
  add(s, out);
  return finish(s);
}
