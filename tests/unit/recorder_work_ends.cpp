// SPDX-License-Identifier: Apache-2.0
// What the host writes while work is in flight that nobody waits for, before its end and after it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "layer/driver/fences.h"
#include "tests/unit/recorder_scene.h"

namespace rondo::layer::testing {
namespace {

constexpr CommandId kSubmit = CommandId::vkQueueSubmit;
constexpr CommandId kWrite = CommandId::rondoHostWrite;
constexpr CommandId kEnded = CommandId::rondoWorkEnded;

const auto kPrograms = made_up<VkFence>(7);
std::atomic<bool> g_ended{false};       // the work of every submission
std::atomic<std::uint64_t> g_gone{0};   // the program's fence, once it is reset: nobody may ask it
std::function<VkResult()> g_at_status;  // what the program's thread is told; null: as g_ended says
std::thread::id g_program;
VkFence g_given = VK_NULL_HANDLE;  // to the driver's last submit
VkResult g_submit = VK_SUCCESS;
std::atomic<int> g_made{0};

VkResult VKAPI_CALL fake_status(VkDevice, VkFence fence) {
  if (reinterpret_cast<std::uint64_t>(fence) == g_gone.load()) ::_exit(9);
  // The layer's own thread asks too, and must not look at what the program's changes.
  if (std::this_thread::get_id() == g_program && g_at_status) return g_at_status();
  return g_ended.load() ? VK_SUCCESS : VK_NOT_READY;
}
VkResult VKAPI_CALL fake_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*, VkFence* fence) {
  *fence = made_up<VkFence>(100 + static_cast<std::uintptr_t>(++g_made));
  return VK_SUCCESS;
}
void VKAPI_CALL fake_destroy(VkDevice, VkFence, const VkAllocationCallbacks*) {}
VkResult VKAPI_CALL fake_reset(VkDevice, std::uint32_t, const VkFence* fences) {
  if (fences[0] == kPrograms) g_gone.store(reinterpret_cast<std::uint64_t>(fences[0]));
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence fence) {
  g_given = fence;
  return g_submit;
}
VkResult VKAPI_CALL fake_wait(VkDevice, std::uint32_t, const VkFence*, VkBool32, std::uint64_t) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_idle(VkQueue) { return VK_SUCCESS; }

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkCreateFence = fake_fence;
  dispatch.vkGetFenceStatus = fake_status;
  dispatch.vkResetFences = fake_reset;
  dispatch.vkDestroyFence = fake_destroy;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkWaitForFences = fake_wait;
  dispatch.vkQueueWaitIdle = fake_idle;
  return dispatch;
}

// Longer than the layer's thread needs to look.
void let_look() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }

class RecordedWorkEnds : public RecordedScene {
 protected:
  Written recorded(const std::function<void(Scene&)>& work) const {
    return RecordedScene::recorded(fakes(), [&](Scene& scene) {
      g_program = std::this_thread::get_id();
      scene.state().own_fences = std::make_unique<Fences>(scene.state());
      scene.state().memories.ever_mapped = 1;
      work(scene);
    });
  }
};

TEST_F(RecordedWorkEnds, WhatIsWrittenAfterTheEndIsRecordedAfterIt) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.submit();
    g_ended = true;
    let_look();
    scene.host[3 * kPage] = std::byte{1};
    g_ended = false;
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kSubmit, kEnded, kWrite, kSubmit}));
  ASSERT_EQ(written.ended.size(), 1u);
  EXPECT_EQ(written.ended[0].ended, 2u);
  EXPECT_EQ(written.ended[0].pending, 0u);
  EXPECT_EQ(written.ended[0].unsure, VK_FALSE);
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedWorkEnds, WhatIsWrittenBeforeTheEndStaysWhereItIs) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    scene.host[3 * kPage] = std::byte{1};
    let_look();
    g_ended = true;
    let_look();
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedWorkEnds, WhatIsWrittenAsItEndsIsAmbiguous) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    int asked = 0;
    g_at_status = [&] {
      if (++asked == 1) scene.host[3 * kPage] = std::byte{1};
      return asked == 1 ? VK_NOT_READY : VK_SUCCESS;
    };
    scene.submit();
    g_ended = true;
    let_look();
    scene.host[3 * kPage] = std::byte{2};
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kEnded, kWrite, kSubmit, kEnded, kWrite, kSubmit}));
  ASSERT_EQ(written.ended.size(), 2u);
  EXPECT_EQ(written.ended[0].unsure, VK_TRUE);
  EXPECT_EQ(written.ended[1].unsure, VK_FALSE);
}

TEST_F(RecordedWorkEnds, AWaitOfTheProgramsSaysItAlready) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    g_ended = true;
    let_look();
    hook_vkQueueWaitIdle(scene.queue());
    scene.host[3 * kPage] = std::byte{1};
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, CommandId::vkQueueWaitIdle, kWrite, kSubmit}));
}

TEST_F(RecordedWorkEnds, AWaitOfTheProgramsMakesItSureAgain) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    int asked = 0;
    g_at_status = [&] {
      if (++asked == 1) scene.host[3 * kPage] = std::byte{1};
      return asked == 1 ? VK_NOT_READY : VK_SUCCESS;
    };
    scene.submit();
    g_ended = true;
    hook_vkQueueWaitIdle(scene.queue());
    scene.host[3 * kPage] = std::byte{2};
    scene.submit();
  });
  EXPECT_EQ(written.commands,
            (Commands{kSubmit, kEnded, kWrite, kSubmit, CommandId::vkQueueWaitIdle, kEnded, kWrite, kSubmit}));
  ASSERT_EQ(written.ended.size(), 2u);
  EXPECT_EQ(written.ended[0].unsure, VK_TRUE);
  EXPECT_EQ(written.ended[1].unsure, VK_FALSE);
}

TEST_F(RecordedWorkEnds, AWaitForOtherWorkLooks) {
  const Written written = recorded([](Scene& scene) {
    scene.submit(VK_NULL_HANDLE, kPrograms);
    scene.submit();
    g_ended = true;
    hook_vkWaitForFences(scene.device(), 1, &kPrograms, VK_TRUE, UINT64_MAX);
    scene.host[3 * kPage] = std::byte{1};
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, kSubmit, CommandId::vkWaitForFences, kEnded, kWrite, kSubmit}));
  ASSERT_EQ(written.ended.size(), 1u);
  EXPECT_EQ(written.ended[0].unsure, VK_FALSE);
}

TEST_F(RecordedWorkEnds, WorkInFlightIsNamedApart) {
  const Written written = recorded([](Scene& scene) {
    scene.submit();
    g_ended = true;
    let_look();
    g_ended = false;
    scene.submit();
    scene.host[3 * kPage] = std::byte{1};
    scene.submit();
  });
  ASSERT_EQ(written.ended.size(), 1u);
  EXPECT_EQ(written.ended[0].ended, 1u);
  EXPECT_EQ(written.ended[0].pending, 1u);
}

TEST_F(RecordedWorkEnds, TheProgramsFencesAreAskedUntilItResetsThem) {
  const Written written = recorded([](Scene& scene) {
    scene.submit(VK_NULL_HANDLE, kPrograms);
    if (g_given != kPrograms || g_made.load() != 0) ::_exit(1);
    g_ended = true;
    hook_vkResetFences(scene.device(), 1, &kPrograms);
    let_look();
    scene.host[3 * kPage] = std::byte{1};
    scene.submit();
  });
  EXPECT_EQ(written.commands, (Commands{kSubmit, CommandId::vkResetFences, kEnded, kWrite, kSubmit}));
  EXPECT_EQ(written.ambiguous, 0);
}

TEST_F(RecordedWorkEnds, FencesOfTheLayersOwnAreUsedAgain) {
  recorded([](Scene& scene) {
    g_ended = true;
    for (int i = 0; i < 20; ++i) {
      scene.submit();
      if (g_given == VK_NULL_HANDLE) ::_exit(1);
      let_look();
    }
    if (g_made.load() > 2) ::_exit(2);
    const int made = g_made.load();
    g_submit = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (int i = 0; i < 20; ++i) scene.submit();
    if (g_made.load() > made + 1) ::_exit(3);
  });
}

TEST_F(RecordedWorkEnds, WhereNothingWasEverMappedNoFenceIsMade) {
  recorded([](Scene& scene) {
    scene.state().memories.ever_mapped = 0;
    scene.submit();
    if (g_given != VK_NULL_HANDLE || g_made.load() != 0) ::_exit(1);
  });
}

}  // namespace
}  // namespace rondo::layer::testing
