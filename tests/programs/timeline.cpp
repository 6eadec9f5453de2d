// SPDX-License-Identifier: Apache-2.0
// Timeline semaphores on one queue: work that waits for a value which another
// thread signals later, host signals, host waits for any and for all, waits
// that time out, and polls of the counter.
//   timeline [--held 1]   instead: waits for work that was submitted before other
//                         work which the host lets go on later
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 8;
constexpr VkDeviceSize kBytes = 256;

// Waits for `wait_value` of one semaphore and signals `signal_value` of another.
void submit(const Context& c, VkCommandBuffer commands, VkSemaphore waited, std::uint64_t wait_value,
            VkSemaphore signalled, std::uint64_t signal_value) {
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &wait_value;
  values.signalSemaphoreValueCount = 1;
  values.pSignalSemaphoreValues = &signal_value;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &waited;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &signalled;
  CHECK(vkQueueSubmit(c.queues[0], 1, &info, VK_NULL_HANDLE));
}

VkResult wait_for(const Context& c, std::vector<VkSemaphore> semaphores, std::vector<std::uint64_t> values,
                  VkSemaphoreWaitFlags flags, std::uint64_t timeout_ns) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.flags = flags;
  info.semaphoreCount = static_cast<std::uint32_t>(semaphores.size());
  info.pSemaphores = semaphores.data();
  info.pValues = values.data();
  return vkWaitSemaphores(c.device, &info, timeout_ns);
}

void signal(const Context& c, VkSemaphore semaphore, std::uint64_t value) {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = semaphore;
  info.value = value;
  CHECK(vkSignalSemaphore(c.device, &info));
}

void expect_timeout(VkResult result) {
  if (result != VK_TIMEOUT) die("a wait for a value that nobody signalled", result);
}

void wait_beside_what_is_held(const Context& c, VkCommandPool pool, VkSemaphore held, std::uint64_t value,
                              VkSemaphore done, std::uint64_t done_value) {
  VkFence fences[2];
  for (VkFence& fence : fences) {
    VkCommandBuffer commands = allocate_command_buffer(c, pool);
    begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    CHECK(vkEndCommandBuffer(commands));
    fence = create_fence(c);
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    CHECK(vkQueueSubmit(c.queues[0], 1, &info, fence));
  }
  VkCommandBuffer commands = allocate_command_buffer(c, pool);
  begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  CHECK(vkEndCommandBuffer(commands));
  submit(c, commands, held, value, done, done_value);
  CHECK(vkWaitForFences(c.device, 1, &fences[0], VK_TRUE, UINT64_MAX));
  while (vkGetFenceStatus(c.device, fences[1]) != VK_SUCCESS)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  signal(c, held, value);
  CHECK(wait_for(c, {done}, {done_value}, 0, UINT64_MAX));
  for (VkFence fence : fences) vkDestroyFence(c.device, fence, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const bool held = option(argc, argv, "--held", 0) != 0;
  const std::uint32_t rounds = held ? 0 : kRounds;
  VkPhysicalDeviceTimelineSemaphoreFeatures features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  Wanted wanted;
  wanted.api_version = VK_API_VERSION_1_2;
  wanted.features = &features;
  Context c = create_context("timeline", wanted);
  VkCommandPool pool = create_command_pool(c, 0, c.family);
  MappedBuffer from = create_mapped_buffer(c, kBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  MappedBuffer to = create_mapped_buffer(c, kBytes * kRounds, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  VkSemaphore ready = create_timeline(c, 0), done = create_timeline(c, 100), never = create_timeline(c, 0);

  std::mutex lock;
  std::condition_variable changed;
  std::uint32_t submitted = 0, finished = 0;
  // Submits each round before the host has written what it copies.
  std::thread submitting([&] {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      VkCommandBuffer commands = allocate_command_buffer(c, pool);
      begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
      const VkBufferCopy region{0, round * kBytes, kBytes};
      vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
      transfers_to_host(commands);
      CHECK(vkEndCommandBuffer(commands));
      submit(c, commands, ready, round + 1, done, 101 + round);
      std::unique_lock holds(lock);
      submitted = round + 1;
      changed.notify_all();
      changed.wait(holds, [&] { return finished == round + 1; });
    }
  });

  for (std::uint32_t round = 0; round < rounds; ++round) {
    {
      std::unique_lock holds(lock);
      changed.wait(holds, [&] { return submitted == round + 1; });
    }
    const std::uint64_t value = 101 + round;
    expect_timeout(wait_for(c, {done}, {value}, 0, 0));
    for (std::uint32_t i = 0; i < kBytes / 4; ++i) from.words[i] = mix(round, i);
    signal(c, ready, round + 1);
    if (round % 3 == 0) {
      CHECK(wait_for(c, {never, done}, {1, value}, VK_SEMAPHORE_WAIT_ANY_BIT, UINT64_MAX));
    } else if (round % 3 == 1) {
      CHECK(wait_for(c, {ready, done}, {round + 1, value}, 0, UINT64_MAX));
    } else {
      std::uint64_t now = 0;
      while (now < value) {
        CHECK(vkGetSemaphoreCounterValue(c.device, done, &now));
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      }
    }
    for (std::uint32_t i = 0; i < kBytes / 4; ++i)
      if (to.words[round * kBytes / 4 + i] != mix(round, i)) die("wrong word in round", round);
    expect_timeout(wait_for(c, {never, done}, {1, value}, 0, 1000));
    std::lock_guard holds(lock);
    finished = round + 1;
    changed.notify_all();
  }
  submitting.join();
  if (held) wait_beside_what_is_held(c, pool, ready, 1, done, 101);

  std::printf("timeline: %u submits, checksum %016llx\n", held ? 3 : rounds,
              static_cast<unsigned long long>(checksum(to.words, kRounds * kBytes / 4)));
  for (VkSemaphore semaphore : {ready, done, never}) vkDestroySemaphore(c.device, semaphore, nullptr);
  destroy(c, to);
  destroy(c, from);
  vkDestroyCommandPool(c.device, pool, nullptr);
  destroy(c);
  return 0;
}
