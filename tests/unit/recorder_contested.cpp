// SPDX-License-Identifier: Apache-2.0
// A page that host and device write while work is in flight: a submit waits for
// the work, records the page behind what says so, and gives up where it must.
#include <algorithm>

#include "tests/unit/recorder_scene.h"

namespace rondo::layer::testing {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

VkResult g_wait;
std::vector<std::uint64_t> g_patience;  // timeouts that the driver was given
std::function<void()> g_at_wait;        // what the device or another thread does meanwhile

VkResult VKAPI_CALL fake_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t timeout) {
  g_patience.push_back(timeout);
  if (g_at_wait) g_at_wait();
  return g_wait;
}
VkResult VKAPI_CALL fake_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*, VkFence* fence) {
  *fence = made_up<VkFence>(9);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_status(VkDevice, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_reset(VkDevice, std::uint32_t, const VkFence*) { return VK_SUCCESS; }
void VKAPI_CALL fake_destroy_fence(VkDevice, VkFence, const VkAllocationCallbacks*) {}
VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_idle(VkQueue) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_map(VkDevice, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags, void**) {
  return VK_SUCCESS;
}
void VKAPI_CALL fake_unmap(VkDevice, VkDeviceMemory) {}
VkResult VKAPI_CALL fake_semaphore(VkDevice, const VkSemaphoreCreateInfo*, const VkAllocationCallbacks*,
                                   VkSemaphore* semaphore) {
  *semaphore = made_up<VkSemaphore>(8);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_wait_semaphores(VkDevice, const VkSemaphoreWaitInfo*, std::uint64_t) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_flush(VkDevice, std::uint32_t, const VkMappedMemoryRange*) { return VK_SUCCESS; }
void VKAPI_CALL fake_free(VkDevice, VkDeviceMemory, const VkAllocationCallbacks*) {}
VkResult VKAPI_CALL fake_signal(VkDevice, const VkSemaphoreSignalInfo*) { return VK_SUCCESS; }

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkWaitForFences = fake_wait;
  dispatch.vkCreateFence = fake_fence;
  dispatch.vkGetFenceStatus = fake_status;
  dispatch.vkResetFences = fake_reset;
  dispatch.vkDestroyFence = fake_destroy_fence;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkSignalSemaphore = fake_signal;
  dispatch.vkQueueWaitIdle = fake_idle;
  dispatch.vkMapMemory = fake_map;
  dispatch.vkUnmapMemory = fake_unmap;
  dispatch.vkFlushMappedMemoryRanges = fake_flush;
  dispatch.vkFreeMemory = fake_free;
  dispatch.vkCreateSemaphore = fake_semaphore;
  dispatch.vkWaitSemaphores = fake_wait_semaphores;
  return dispatch;
}

class RecordedContested : public RecordedScene {
 protected:
  Written recorded(const std::function<void(Scene&)>& work) const { return RecordedScene::recorded(fakes(), work); }
};

constexpr CommandId kSubmit = CommandId::vkQueueSubmit;
constexpr CommandId kWrite = CommandId::rondoHostWrite;
constexpr CommandId kIdle = CommandId::rondoDeviceIdle;
constexpr CommandId kNote = CommandId::rondoNote;

TEST_F(RecordedContested, IsRecordedBehindTheWorkThatWroteIt) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.both_write(3, 1);
    scene.host[7 * kPage] = std::byte{1};
    g_at_wait = [&] { scene.device_side[3 * kPage + 1] = std::byte{2}; };
    scene.submit();
    if (g_patience.size() != 1 || g_patience[0] < 1000 * kMillisecond) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kWrite, kIdle, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedContested, PagesOfTheHostAloneNeedNoWait) {
  const Written written = recorded([](Scene& scene) {
    for (unsigned char i = 1; i < 4; ++i) {
      scene.submit();
      scene.host[3 * kPage] = scene.device_side[4 * kPage] = std::byte{i};
    }
    scene.submit();
    if (!g_patience.empty()) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kWrite, kSubmit, kWrite, kSubmit, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedContested, IsAmbiguousAndNotedOnceWhereTheWorkDoesNotEnd) {
  const Written written = recorded([](Scene& scene) {
    g_wait = VK_TIMEOUT;
    for (unsigned char i = 1; i < 4; ++i) {
      scene.submit();
      scene.both_write(3, i);
    }
    scene.submit();
    if (g_patience.size() != 3 || g_patience[1] != g_patience[0] / 2 || g_patience[2] != g_patience[0] / 4) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kNote, kWrite, kSubmit, kWrite, kSubmit, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 3);
}

TEST_F(RecordedContested, WhatADriverPreprocessedIsNoHostWrite) {
  const Written written = recorded([](Scene& scene) {
    g_wait = VK_TIMEOUT;
    {
      const auto lock = host_memory().enter();
      const auto lives = made_up<VkBuffer>(9);
      HostMemory::find(scene.state(), made_up<VkDeviceMemory>(5))->drivers_own = {{3 * kPage, 3 * kPage + 50, lives},
                                                                                  {3 * kPage + 200, 4 * kPage, lives}};
    }
    scene.submit();
    scene.both_write(3, 1);
    scene.submit();
  });
  EXPECT_EQ(written.ambiguous, 1);
  ASSERT_EQ(written.ranges.size(), 1u);
  EXPECT_GE(written.ranges[0].offset, 3 * kPage + 50);
  EXPECT_LE(written.ranges[0].offset + written.ranges[0].size, 3 * kPage + 200);
}

// A buffer that is for indirect parameters, too, or for nothing any more, may hold what the host wrote.
TEST_F(RecordedContested, WhereADriverIsNotAloneHostWritesAreRecorded) {
  const Written written = recorded([](Scene& scene) {
    g_wait = VK_TIMEOUT;
    {
      const auto lock = host_memory().enter();
      HostMemory::find(scene.state(), made_up<VkDeviceMemory>(5))->drivers_own = {
          {3 * kPage, 4 * kPage, VK_NULL_HANDLE}};
    }
    scene.submit();
    scene.both_write(3, 1);
    scene.submit();
  });
  EXPECT_EQ(written.ambiguous, 1);
  ASSERT_EQ(written.ranges.size(), 1u);
  EXPECT_LT(written.ranges[0].offset, 3 * kPage + 50);
}

TEST_F(RecordedContested, AllThatAProgramIsHeldInVainIsAShareOfItsTime) {
  recorded([](Scene& scene) {
    std::uint64_t held = 0;
    const std::uint64_t begin = now_ns();
    for (unsigned char i = 1; i < 100; ++i) {
      g_wait = i % 2 == 0 ? VK_TIMEOUT : VK_SUCCESS;  // so that patience is whole again
      scene.submit();
      scene.both_write(3, i);
      scene.submit();
      if (g_wait == VK_TIMEOUT) held += g_patience.back();
    }
    if (held < 10'000 * kMillisecond) ::_exit(1);  // at once
    if (held > 10'000 * kMillisecond + (now_ns() - begin) / 8) ::_exit(2);
  });
}

TEST_F(RecordedContested, WorkThatMayWaitForTheProgramIsWaitedForBriefly) {
  recorded([](Scene& scene) {
    scene.state().memories.host_waits.created_event();
    scene.submit();
    scene.both_write(3, 1);
    scene.submit();
    if (g_patience.size() != 1 || g_patience[0] > 50 * kMillisecond) ::_exit(1);
  });
}

TEST_F(RecordedContested, WorkOnAnotherQueueIsNotWaitedFor) {
  const Written written = recorded([](Scene& scene) {
    // The same device by another handle.
    static void* other;
    other = *scene.handle<void**>();
    scene.submit(reinterpret_cast<VkQueue>(&other));
    scene.both_write(3, 1);
    scene.submit();
    if (!g_patience.empty()) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kNote, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 1);
}

TEST_F(RecordedContested, ASubmitOfAnotherQueueDuringTheWaitLeavesItAmbiguous) {
  const Written written = recorded([](Scene& scene) {
    static void* other;
    other = *scene.handle<void**>();
    scene.submit();
    scene.both_write(3, 1);
    g_at_wait = [&] {
      g_at_wait = nullptr;
      const auto lock = host_memory().enter();
      host_memory().submitted(scene.state(), reinterpret_cast<VkQueue>(&other), VK_NULL_HANDLE);
    };
    scene.submit();
    // What the layer found finished, the program has not seen yet.
    const std::uint64_t looks = scene.state().memories.looks;
    hook_vkQueueWaitIdle(scene.queue());
    if (scene.state().memories.looks == looks) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kNote, kWrite, kSubmit, CommandId::vkQueueWaitIdle}));
  EXPECT_EQ(written.ambiguous, 1);
}

TEST_F(RecordedContested, ATimelineThatTheProgramWaitedForIsTheEndOfTheWork) {
  const Written written = recorded([](Scene& scene) {
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkSemaphore timeline;
    hook_vkCreateSemaphore(scene.device(), &create, nullptr, &timeline);
    const std::uint64_t one = 1;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &one;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.pNext = &values;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &timeline;
    scene.host[3 * kPage + 100] = std::byte{7};
    hook_vkQueueSubmit(scene.queue(), 1, &submit, VK_NULL_HANDLE);
    scene.device_side[3 * kPage] = std::byte{1};
    VkSemaphoreWaitInfo wait{};
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    wait.semaphoreCount = 1;
    wait.pSemaphores = &timeline;
    wait.pValues = &one;
    hook_vkWaitSemaphores(scene.device(), &wait, UINT64_MAX);
    if (!HostMemory::idle(scene.state())) ::_exit(1);
    scene.host[3 * kPage + 100] = std::byte{1};
    scene.submit();
    if (!g_patience.empty()) ::_exit(2);
  });
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedContested, WhatADeviceWroteToUnmappedMemoryIsNotTheHosts) {
  const Written written = recorded([](Scene& scene) {
    const auto memory = made_up<VkDeviceMemory>(5);
    scene.host[3 * kPage] = std::byte{1};
    hook_vkUnmapMemory(scene.device(), memory);
    scene.submit();
    scene.device_side[3 * kPage + 50] = std::byte{2};
    hook_vkQueueWaitIdle(scene.queue());
    void* mapped = nullptr;
    hook_vkMapMemory(scene.device(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    if (mapped != scene.host) ::_exit(1);
    scene.host[3 * kPage + 100] = std::byte{3};
    scene.submit();
    if (!g_patience.empty()) ::_exit(2);
  });
  ASSERT_EQ(written.ranges.size(), 2u);
  EXPECT_EQ(written.ranges[1].offset, 3 * kPage + 100);
  EXPECT_EQ(written.ranges[1].size, 1u);
  EXPECT_EQ(written.ambiguous, 0);
}

// Coherent memory needs no flush: the next submit is what the device's other work sees it by.
TEST_F(RecordedContested, AFlushOfCoherentMemoryLeavesItToTheNextSubmit) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.both_write(3, 1);
    scene.host[7 * kPage] = std::byte{1};
    VkMappedMemoryRange range{};
    range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
    range.memory = made_up<VkDeviceMemory>(5);
    range.size = VK_WHOLE_SIZE;
    hook_vkFlushMappedMemoryRanges(scene.device(), 1, &range);
    if (!g_patience.empty()) ::_exit(1);
    g_at_wait = [&] { scene.device_side[3 * kPage + 1] = std::byte{2}; };
    scene.submit();
    if (g_patience.size() != 1) ::_exit(2);
  });
  EXPECT_EQ(written.commands,
            (Commands{kSubmit, kWrite, CommandId::vkFlushMappedMemoryRanges, kIdle, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedContested, AnUnmapLeavesItToTheNextSubmit) {
  for (const bool waits : {false, true}) {
    const Written written = recorded([&](Scene& scene) {
      const auto memory = made_up<VkDeviceMemory>(5);
      scene.submit();
      scene.both_write(3, 1);
      scene.host[7 * kPage] = std::byte{1};
      hook_vkUnmapMemory(scene.device(), memory);
      scene.device_side[3 * kPage + 1] = std::byte{2};
      if (waits) hook_vkQueueWaitIdle(scene.queue());
      scene.submit();
      if (g_patience.size() != (waits ? 0u : 1u)) ::_exit(1);
      // It owes nothing any more.
      void* mapped = nullptr;
      hook_vkMapMemory(scene.device(), memory, 0, VK_WHOLE_SIZE, 0, &mapped);
      scene.submit();
    });
    Commands expected{kSubmit, kWrite,  CommandId::vkUnmapMemory, kIdle,
                      kWrite,  kSubmit, CommandId::vkMapMemory,   kSubmit};
    if (waits) expected[3] = CommandId::vkQueueWaitIdle;
    EXPECT_EQ(written.commands, expected);
    EXPECT_EQ(written.ambiguous, waits ? 1 : 0);  // as of mapped memory: marked, and right
    ASSERT_FALSE(written.ranges.empty());
    EXPECT_EQ(written.ranges.back().offset, 3 * kPage);
    EXPECT_EQ(written.ranges.back().size, kPage);
    ASSERT_EQ(std::remove(file("a.rondo").c_str()), 0);  // nothing is written over it
  }
}

TEST_F(RecordedContested, MemoryThatIsFreedOwesNothing) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.both_write(3, 1);
    hook_vkUnmapMemory(scene.device(), made_up<VkDeviceMemory>(5));
    hook_vkQueueWaitIdle(scene.queue());
    hook_vkFreeMemory(scene.device(), made_up<VkDeviceMemory>(5), nullptr);
    scene.submit();
    if (!g_patience.empty()) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, CommandId::vkUnmapMemory, CommandId::vkQueueWaitIdle, kWrite,
                                        CommandId::vkFreeMemory, kSubmit}));
}

TEST_F(RecordedContested, ASignalCannotWaitForWhatMayWaitForIt) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.both_write(3, 1);
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.value = 1;
    hook_vkSignalSemaphore(scene.device(), &info);
    if (!g_patience.empty()) ::_exit(1);
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kWrite, CommandId::vkSignalSemaphore}));
  EXPECT_EQ(written.ambiguous, 1);
}

}  // namespace
}  // namespace rondo::layer::testing
