// SPDX-License-Identifier: Apache-2.0
// What counts as submitted, and what a forked child may do.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

std::atomic<VkResult> g_submit{VK_SUCCESS};
std::atomic<int> g_submits;

VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
  ++g_submits;
  return g_submit;
}
VkResult VKAPI_CALL fake_wait_idle(VkQueue) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_fence_status(VkDevice, VkFence) { return VK_SUCCESS; }
void VKAPI_CALL fake_free(VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {}

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkQueueWaitIdle = fake_wait_idle;
  dispatch.vkGetFenceStatus = fake_fence_status;
  dispatch.vkFreeMemory = fake_free;
  return dispatch;
}

bool idle(FakeDevice& device) {
  const auto lock = host_memory().enter();
  return HostMemory::idle(device.state());
}

void submit(FakeDevice& device, VkResult answer, VkFence fence = VK_NULL_HANDLE) {
  g_submit = answer;
  if (hook_vkQueueSubmit(device.queue(), 0, nullptr, fence) != answer) ::_exit(100);
}

class RecordedSubmits : public RecorderTest {};

TEST_F(RecordedSubmits, WhatTheDriverRefusedIsNotPending) {
  for (const VkResult failure : {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST})
    in_process(file("a.rondo"), [&] {
      FakeDevice device(fakes());
      start();
      submit(device, failure);
      if (!idle(device)) ::_exit(1);
    });
}

TEST_F(RecordedSubmits, ARefusedOneLeavesTheOneBeforePending) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    const auto first = made_up<VkFence>(1), second = made_up<VkFence>(2);
    submit(device, VK_SUCCESS, first);
    submit(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, second);
    if (idle(device)) ::_exit(1);
    // The refused one's fence, signalled by something else, says nothing of the first.
    if (hook_vkGetFenceStatus(device.device(), second) != VK_SUCCESS || idle(device)) ::_exit(2);
    if (hook_vkGetFenceStatus(device.device(), first) != VK_SUCCESS || !idle(device)) ::_exit(3);
    submit(device, VK_SUCCESS);
    if (idle(device)) ::_exit(4);
    if (hook_vkQueueWaitIdle(device.queue()) != VK_SUCCESS || !idle(device)) ::_exit(5);
  });
}

// Without care, a child is forked with a lock that nobody in it will release.
TEST_F(RecordedSubmits, AForkedChildGoesOnWhateverOtherThreadsHeld) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "readback", 1);
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    std::atomic<bool> stop{false};
    const auto hold = [&](auto enter) {
      return std::thread([&stop, enter] {
        while (!stop) {
          const auto lock = enter();
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      });
    };
    std::thread threads[] = {hold([] { return host_memory().enter(); }),
                             hold([&] { return device.state().checkpointer->enter_queues(); }),
                             hold([] { return std::unique_lock(g_devices); })};
    for (int round = 0; round < 100; ++round) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::alarm(20);
        submit(device, VK_SUCCESS);
        hook_vkQueueWaitIdle(device.queue());
        hook_vkFreeMemory(device.device(), made_up<VkDeviceMemory>(7), nullptr);
        FakeDevice another(fakes());
        start();
        ::_exit(g_submits == 1 ? 0 : 1);
      }
      int status = 0;
      ::waitpid(child, &status, 0);
      if (status != 0) ::_exit(WIFSIGNALED(status) ? 1 : 2);
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    submit(device, VK_SUCCESS);  // the parent's locks are free again
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_EQ(commands_of(capture), std::vector<CommandId>{CommandId::vkQueueSubmit});
}

// The handlers of fork run without a lock of glibc's.
TEST_F(RecordedSubmits, ForksOfSeveralThreadsAtOnceEndWhileAnotherSubmits) {
  in_process(file("a.rondo"), [] {
    ::alarm(60);
    FakeDevice device(fakes());
    start();
    std::atomic<int> forking{4}, bad{0};
    std::thread threads[4];
    for (std::thread& thread : threads)
      thread = std::thread([&] {
        for (int round = 0; round < 100; ++round) {
          const pid_t child = ::fork();
          if (child == 0) {
            ::alarm(20);
            hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE);
            FakeDevice another(fakes());
            ::_exit(0);
          }
          int status = -1;
          ::waitpid(child, &status, 0);
          if (status != 0) ++bad;
        }
        --forking;
      });
    while (forking != 0) {
      submit(device, VK_SUCCESS);
      std::this_thread::yield();
    }
    for (std::thread& thread : threads) thread.join();
    if (bad != 0) ::_exit(1);
  });
  const Capture capture(file("a.rondo"));
  ASSERT_NE(capture.reader, nullptr);
  EXPECT_TRUE(capture.reader->complete());
}

}  // namespace
}  // namespace rondo::layer::testing
