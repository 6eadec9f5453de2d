// SPDX-License-Identifier: Apache-2.0
// Queues, fences, semaphores and events of the fake driver.
#include <chrono>
#include <mutex>
#include <thread>

#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;

constexpr std::uint64_t kForever = UINT64_MAX;
constexpr std::uint64_t kShortly = 20'000'000;  // ns

class FakeQueues : public FakeDevice {
 protected:
  VkCommandBuffer fill(const MappedBuffer& buffer, std::uint32_t value, VkCommandBufferUsageFlags usage = 0) {
    return record([&](VkCommandBuffer c) { vk.vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, value); }, usage);
  }
  VkResult wait(VkFence fence, std::uint64_t timeout = kForever) {
    return vk.vkWaitForFences(device, 1, &fence, VK_TRUE, timeout);
  }
  VkResult wait(VkSemaphore timeline, std::uint64_t value, std::uint64_t timeout = kForever) {
    const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &value};
    return vk.vkWaitSemaphores(device, &info, timeout);
  }
  void signal(VkSemaphore timeline, std::uint64_t value) {
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, value};
    EXPECT_EQ(vk.vkSignalSemaphore(device, &info), VK_SUCCESS);
  }
  std::uint64_t value(VkSemaphore timeline) {
    std::uint64_t v = 0;
    EXPECT_EQ(vk.vkGetSemaphoreCounterValue(device, timeline, &v), VK_SUCCESS);
    return v;
  }
};

TEST_F(FakeQueues, AFenceIsSignaledBehindItsBatch) {
  const MappedBuffer buffer = make_buffer(64);
  const VkFence fence = make_fence();
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_NOT_READY);
  EXPECT_EQ(wait(fence, 0), VK_TIMEOUT);
  submit(queues[0], {.buffers = {fill(buffer, 7)}}, fence);
  EXPECT_EQ(wait(fence), VK_SUCCESS);
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_SUCCESS);
  EXPECT_EQ(buffer.word(15), 7u);
  EXPECT_EQ(vk.vkResetFences(device, 1, &fence), VK_SUCCESS);
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_NOT_READY);
}

TEST_F(FakeQueues, AnEmptySubmitSignalsItsFence) {
  const VkFence fence = make_fence();
  EXPECT_EQ(vk.vkQueueSubmit(queues[4], 0, nullptr, fence), VK_SUCCESS);
  EXPECT_EQ(wait(fence), VK_SUCCESS);
}

TEST_F(FakeQueues, WaitsForAnyOrAllFences) {
  const VkSemaphore gate = make_timeline();
  const VkFence fences[2] = {make_fence(), make_fence()};
  submit(queues[0], {}, fences[0]);
  submit(queues[1], {.waits = {gate}, .wait_values = {1}}, fences[1]);
  EXPECT_EQ(vk.vkWaitForFences(device, 2, fences, VK_FALSE, kForever), VK_SUCCESS);
  EXPECT_EQ(vk.vkWaitForFences(device, 2, fences, VK_TRUE, kShortly), VK_TIMEOUT);
  signal(gate, 1);
  EXPECT_EQ(vk.vkWaitForFences(device, 2, fences, VK_TRUE, kForever), VK_SUCCESS);
}

TEST_F(FakeQueues, ABinarySemaphoreOrdersTwoQueues) {
  const MappedBuffer buffer = make_buffer(64), copy = make_buffer(64);
  const VkSemaphore gate = make_timeline(), done = make_semaphore();
  const VkFence fence = make_fence();
  submit(queues[0], {.buffers = {fill(buffer, 3)}, .waits = {gate}, .signals = {done}, .wait_values = {1}});
  submit(queues[1],
         {.buffers = {record([&](VkCommandBuffer c) {
            const VkBufferCopy region{0, 0, 64};
            vk.vkCmdCopyBuffer(c, buffer.buffer, copy.buffer, 1, &region);
          })},
          .waits = {done}},
         fence);
  EXPECT_EQ(wait(fence, kShortly), VK_TIMEOUT);
  signal(gate, 1);
  EXPECT_EQ(wait(fence), VK_SUCCESS);
  EXPECT_EQ(copy.word(0), 3u);
}

TEST_F(FakeQueues, ATimelineMayBeWaitedForBeforeItsSignalIsSubmitted) {
  const MappedBuffer buffer = make_buffer(64);
  const VkSemaphore timeline = make_timeline(5);
  submit(queues[0], {.buffers = {fill(buffer, 1)}, .waits = {timeline}, .wait_values = {6}});
  EXPECT_EQ(value(timeline), 5u);
  std::thread other([&] { submit(queues[2], {.signals = {timeline}, .signal_values = {6}}); });
  EXPECT_EQ(vk.vkQueueWaitIdle(queues[0]), VK_SUCCESS);
  other.join();
  EXPECT_EQ(value(timeline), 6u);
  EXPECT_EQ(buffer.word(0), 1u);
}

TEST_F(FakeQueues, TheHostSignalsAndWaitsForTimelines) {
  const VkSemaphore to_queue = make_timeline(), to_host = make_timeline();
  submit(queues[0], {.waits = {to_queue}, .signals = {to_host}, .wait_values = {2}, .signal_values = {10}});
  EXPECT_EQ(wait(to_host, 10, kShortly), VK_TIMEOUT);
  signal(to_queue, 1);
  EXPECT_EQ(wait(to_host, 10, kShortly), VK_TIMEOUT);
  std::thread other([&] { signal(to_queue, 2); });
  EXPECT_EQ(wait(to_host, 10), VK_SUCCESS);
  other.join();
  const VkSemaphore both[] = {to_queue, to_host};
  const std::uint64_t any[] = {100, 10};
  const VkSemaphoreWaitInfo info{
      VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, VK_SEMAPHORE_WAIT_ANY_BIT, 2, both, any};
  EXPECT_EQ(vk.vkWaitSemaphores(device, &info, kForever), VK_SUCCESS);
}

// A waits for S; B later on the same queue signals T; C on another queue signals S.
TEST_F(FakeQueues, ThreeQueuesOfWhichTwoWait) {
  const MappedBuffer a = make_buffer(64), b = make_buffer(64), c = make_buffer(64);
  const VkSemaphore s = make_timeline(), t = make_timeline();
  const VkFence end = make_fence();
  submit(queues[0], {.buffers = {fill(a, 1)}, .waits = {s}, .wait_values = {1}});
  submit(queues[0], {.buffers = {fill(b, 2)}, .signals = {t}, .signal_values = {1}});
  submit(queues[4], {.waits = {t}, .wait_values = {1}}, end);
  EXPECT_EQ(wait(end, kShortly), VK_TIMEOUT) << "B must not overtake A";
  EXPECT_EQ(value(t), 0u);
  EXPECT_EQ(a.word(0), 0u);
  submit(queues[1], {.buffers = {fill(c, 3)}, .signals = {s}, .signal_values = {1}});
  EXPECT_EQ(wait(end), VK_SUCCESS);
  EXPECT_EQ(a.word(0), 1u);
  EXPECT_EQ(b.word(0), 2u);
  EXPECT_EQ(c.word(0), 3u);
}

TEST_F(FakeQueues, TheHostSetsAnEventThatAQueueWaitsFor) {
  const MappedBuffer buffer = make_buffer(64);
  const VkEvent go = make_event(), done = make_event();
  const VkFence fence = make_fence();
  submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                       vk.vkCmdWaitEvents(c, 1, &go, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                          nullptr, 0, nullptr, 0, nullptr);
                       vk.vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, 9);
                       vk.vkCmdSetEvent(c, done, VK_PIPELINE_STAGE_TRANSFER_BIT);
                       vk.vkCmdResetEvent(c, go, VK_PIPELINE_STAGE_TRANSFER_BIT);
                     })}},
         fence);
  EXPECT_EQ(wait(fence, kShortly), VK_TIMEOUT);
  EXPECT_EQ(vk.vkGetEventStatus(device, done), VK_EVENT_RESET);
  EXPECT_EQ(vk.vkSetEvent(device, go), VK_SUCCESS);
  EXPECT_EQ(wait(fence), VK_SUCCESS);
  EXPECT_EQ(vk.vkGetEventStatus(device, done), VK_EVENT_SET);
  EXPECT_EQ(vk.vkGetEventStatus(device, go), VK_EVENT_RESET);
  EXPECT_EQ(buffer.word(0), 9u);
}

TEST_F(FakeQueues, ALazyQueueIsSeenNotReadyTwice) {
  fake::Settings settings;
  settings.lazy = true;
  start(settings);
  const VkFence fence = make_fence();
  submit(queues[0], {}, fence);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_NOT_READY);
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_NOT_READY);
  while (vk.vkGetFenceStatus(device, fence) == VK_NOT_READY) std::this_thread::yield();
  EXPECT_EQ(vk.vkResetFences(device, 1, &fence), VK_SUCCESS);
  submit(queues[0], {}, fence);
  EXPECT_EQ(wait(fence), VK_SUCCESS) << "a wait makes it work";
}

TEST_F(FakeQueues, ADelayedQueueTakesItsTime) {
  fake::Settings settings;
  settings.delay_us = 30'000;
  start(settings);
  const VkFence fence = make_fence();
  const auto begin = std::chrono::steady_clock::now();
  submit(queues[0], {}, fence);
  EXPECT_EQ(vk.vkGetFenceStatus(device, fence), VK_NOT_READY);
  EXPECT_EQ(wait(fence), VK_SUCCESS);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
}

TEST_F(FakeQueues, WaitsWithAnEndTimeOutAsOftenAsIsSet) {
  fake::Settings settings;
  settings.timeouts = 2;
  start(settings);
  const VkFence fence = make_fence();
  submit(queues[0], {}, fence);
  while (vk.vkGetFenceStatus(device, fence) != VK_SUCCESS) std::this_thread::yield();
  EXPECT_EQ(wait(fence, 1'000'000'000), VK_SUCCESS) << "what is signaled is not waited for";
  const VkSemaphore timeline = make_timeline();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    signal(timeline, 1);
  });
  EXPECT_EQ(wait(timeline, 1, 10'000'000'000), VK_TIMEOUT);
  EXPECT_EQ(wait(timeline, 1, 10'000'000'000), VK_TIMEOUT);
  EXPECT_EQ(wait(timeline, 1, 10'000'000'000), VK_SUCCESS);
  other.join();
}

TEST_F(FakeQueues, ALostDeviceEndsEveryWait) {
  fake::Settings settings;
  settings.lost_after = 1;
  start(settings);
  const VkSemaphore never = make_timeline();
  submit(queues[0], {.waits = {never}, .wait_values = {1}});
  const VkFence fence = make_fence();
  EXPECT_EQ(vk.vkQueueSubmit(queues[0], 0, nullptr, fence), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(wait(fence), VK_ERROR_DEVICE_LOST);
}

TEST_F(FakeQueues, ADeviceIsLostWhileItWorks) {
  fake::Settings settings;
  settings.lost_in = 2;
  start(settings);
  const VkFence first = make_fence(), second = make_fence();
  EXPECT_EQ(vk.vkQueueSubmit(queues[0], 0, nullptr, first), VK_SUCCESS);
  EXPECT_EQ(wait(first), VK_SUCCESS);
  const VkSemaphore never = make_semaphore();
  submit(queues[0], {.signals = {never}}, second);
  EXPECT_EQ(wait(second), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vk.vkQueueSubmit(queues[0], 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
}

TEST_F(FakeQueues, NamesWhatIsWrongWithSemaphores) {
  const VkSemaphore semaphore = make_semaphore();
  submit(queues[0], {.signals = {semaphore}});
  submit(queues[0], {.signals = {semaphore}});
  EXPECT_NE(take_violation().find("nothing has waited for"), std::string::npos);
  vk.vkDeviceWaitIdle(device);
  fake::clear_violations();
  submit(queues[0], {.waits = {semaphore}});
  EXPECT_EQ(take_violation(), "");
  const VkSemaphore unsignaled = make_semaphore();
  const VkSemaphore gate = make_timeline(3);
  submit(queues[1], {.waits = {gate}, .signals = {gate}, .wait_values = {3}, .signal_values = {3}});
  EXPECT_NE(take_violation().find("has reached"), std::string::npos);
  vk.vkDeviceWaitIdle(device);
  fake::clear_violations();
  submit(queues[1], {.waits = {unsignaled}});
  EXPECT_NE(take_violation().find("nothing signals"), std::string::npos);
  vk.vkDestroyDevice(device, nullptr);
  EXPECT_NE(take_violation().find("not finished"), std::string::npos);
  submit(queues[0], {.signals = {unsignaled}});
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
}

TEST_F(FakeQueues, NamesWhatIsPending) {
  const MappedBuffer buffer = make_buffer(64);
  const VkSemaphore gate = make_timeline();
  const VkFence fence = make_fence();
  const VkCommandBuffer once = fill(buffer, 1);
  const VkCommandBuffer often = fill(buffer, 1, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  submit(queues[0], {.buffers = {once, often}, .waits = {gate}, .wait_values = {1}}, fence);
  submit(queues[0], {.buffers = {often}});
  EXPECT_EQ(take_violation(), "");
  vk.vkResetFences(device, 1, &fence);
  EXPECT_NE(take_violation(), "");
  const VkSubmitInfo again{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &once, 0, nullptr};
  vk.vkQueueSubmit(queues[0], 1, &again, VK_NULL_HANDLE);
  EXPECT_NE(take_violation(), "");
  vk.vkQueueSubmit(queues[0], 0, nullptr, fence);
  EXPECT_NE(take_violation(), "");
  for (const auto& destroy : std::vector<std::function<void()>>{
           [&] { vk.vkDestroyFence(device, fence, nullptr); }, [&] { vk.vkDestroySemaphore(device, gate, nullptr); },
           [&] { vk.vkDestroyBuffer(device, buffer.buffer, nullptr); },
           [&] { vk.vkFreeCommandBuffers(device, pool, 1, &once); }, [&] { vk.vkResetCommandPool(device, pool, 0); }}) {
    destroy();
    EXPECT_NE(take_violation(), "");
  }
  signal(gate, 1);
  EXPECT_EQ(vk.vkDeviceWaitIdle(device), VK_SUCCESS);
  fake::clear_violations();
}

TEST_F(FakeQueues, ManyThreadsSubmitAndWait) {
  constexpr std::size_t kThreads = 8;
  const MappedBuffer buffer = make_buffer(kThreads * 64);
  std::vector<VkCommandBuffer> fills;
  std::vector<VkFence> fences;
  for (std::size_t i = 0; i < kThreads; ++i) {
    fills.push_back(record([&](VkCommandBuffer c) {
      vk.vkCmdFillBuffer(c, buffer.buffer, i * 64, 64, static_cast<std::uint32_t>(i + 1));
    }));
    fences.push_back(make_fence());
  }
  std::mutex queue_lock;  // the program's duty
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      {
        const std::lock_guard lock(queue_lock);
        submit(queues[i % 2], {.buffers = {fills[i]}}, fences[i]);
      }
      EXPECT_EQ(wait(fences[i]), VK_SUCCESS);
      EXPECT_EQ(buffer.word(i * 16), i + 1);
    });
  for (std::thread& t : threads) t.join();
}

}  // namespace
