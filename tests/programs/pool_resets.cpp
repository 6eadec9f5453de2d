// SPDX-License-Identifier: Apache-2.0
// Threads allocate command buffers and descriptor sets from pools of their own
// and end them all by resetting, trimming or destroying the pool, while the
// others allocate: a set's or a command buffer's value that one thread's reset
// set free is the next allocation of another.
//   pool_resets [--threads N] [--rounds N]
#include <mutex>
#include <thread>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kAtOnce = 4;

// Four dispatches in one submit, each by a command buffer and a set of its own.
void work(const Context& c, const Accumulate& a, std::mutex& queue_lock, VkCommandPool commands, VkDescriptorPool sets,
          VkFence done, std::uint32_t first_slot, std::uint32_t round) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = commands;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = kAtOnce;
  VkCommandBuffer buffers[kAtOnce];
  CHECK(vkAllocateCommandBuffers(c.device, &info, buffers));
  VkDescriptorSet set[kAtOnce];
  CHECK(allocate_sets(c, sets, a.set_layout, kAtOnce, set));
  for (std::uint32_t i = 0; i < kAtOnce; ++i) {
    write_input(a, first_slot + i, round + i);
    write_set(c, a, set[i]);
    begin(buffers[i], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    record_dispatch(a, buffers[i], set[i], first_slot + i, kNoSlot);
    CHECK(vkEndCommandBuffer(buffers[i]));
  }
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = kAtOnce;
  submit.pCommandBuffers = buffers;
  {
    const std::lock_guard lock(queue_lock);
    CHECK(vkQueueSubmit(c.queues[0], 1, &submit, done));
  }
  CHECK(vkWaitForFences(c.device, 1, &done, VK_TRUE, UINT64_MAX));
  CHECK(vkResetFences(c.device, 1, &done));
  for (std::uint32_t i = 0; i < kAtOnce; ++i) expect_slot(a, first_slot + i, round + i);
  if (round % 2 == 0) vkFreeCommandBuffers(c.device, commands, kAtOnce, buffers);
}

void run(const Context& c, const Accumulate& a, std::mutex& queue_lock, std::uint32_t thread, std::uint32_t rounds) {
  const VkFence done = create_fence(c);
  VkCommandPool commands = create_command_pool(c, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, c.family);
  VkDescriptorPool sets = create_set_pool(c, kAtOnce, 0);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    work(c, a, queue_lock, commands, sets, done, thread * kAtOnce, round * 16 + thread);
    switch ((round + thread) % 4) {
      case 0:
        CHECK(vkResetCommandPool(c.device, commands, 0));
        break;
      case 1:
        CHECK(vkResetCommandPool(c.device, commands, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT));
        vkTrimCommandPool(c.device, commands, 0);
        break;
      default:
        vkDestroyCommandPool(c.device, commands, nullptr);
        commands = create_command_pool(c, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, c.family);
    }
    if ((round + thread) % 3 != 0) {
      CHECK(vkResetDescriptorPool(c.device, sets, 0));
    } else {
      vkDestroyDescriptorPool(c.device, sets, nullptr);
      sets = create_set_pool(c, kAtOnce, 0);
    }
  }
  vkDestroyDescriptorPool(c.device, sets, nullptr);
  vkDestroyCommandPool(c.device, commands, nullptr);
  vkDestroyFence(c.device, done, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t threads = option(argc, argv, "--threads", 4);
  const std::uint32_t rounds = option(argc, argv, "--rounds", 24);
  Context c = create_context("pool_resets");
  Accumulate a = create_accumulate(c, threads * kAtOnce);
  std::mutex queue_lock;
  std::vector<std::thread> workers;
  for (std::uint32_t thread = 0; thread < threads; ++thread)
    workers.emplace_back([&c, &a, &queue_lock, thread, rounds] { run(c, a, queue_lock, thread, rounds); });
  for (std::thread& worker : workers) worker.join();
  std::printf("pool_resets: %u submits, checksum %016llx\n", threads * rounds,
              static_cast<unsigned long long>(checksum(a.output.words, threads * kAtOnce * kSlotWords)));
  destroy(c, a);
  destroy(c);
  return 0;
}
