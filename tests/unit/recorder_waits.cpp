// SPDX-License-Identifier: Apache-2.0
// Polls are recorded when they say something new; a checkpoint holds the
// program for half a second at most, less each time in vain, and in vain for a
// share of its time at most.
#include <algorithm>

#include "tests/unit/recorder_hooks.h"

namespace rondo::layer::testing {
namespace {

VkResult g_status;        // of fences
VkResult g_wait;          // of waits for fences
std::uint64_t g_counter;  // of semaphores
std::uint64_t g_next_fence = 100;
std::vector<std::uint64_t> g_patience;  // timeouts that the driver was given
std::vector<VkFence> g_waited;          // by the latest wait
std::vector<VkFence> g_destroyed;

VkResult VKAPI_CALL fake_status(VkDevice, VkFence) { return g_status; }
VkResult VKAPI_CALL fake_wait(VkDevice, std::uint32_t count, const VkFence* fences, VkBool32, std::uint64_t timeout) {
  g_patience.push_back(timeout);
  g_waited.assign(fences, fences + count);
  return g_wait;
}
VkResult VKAPI_CALL fake_counter(VkDevice, VkSemaphore, std::uint64_t* value) {
  *value = g_counter;
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_fence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks*, VkFence* fence) {
  *fence = made_up<VkFence>(g_next_fence++);
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_reset(VkDevice, std::uint32_t, const VkFence*) { return VK_SUCCESS; }
void VKAPI_CALL fake_destroy_fence(VkDevice, VkFence fence, const VkAllocationCallbacks*) {
  g_destroyed.push_back(fence);
}
VkResult VKAPI_CALL fake_submit(VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_submit2(VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_signal(VkDevice, const VkSemaphoreSignalInfo*) { return VK_SUCCESS; }
VkResult VKAPI_CALL fake_event(VkDevice, const VkEventCreateInfo*, const VkAllocationCallbacks*, VkEvent*) {
  return VK_SUCCESS;
}
VkResult VKAPI_CALL fake_semaphore(VkDevice, const VkSemaphoreCreateInfo*, const VkAllocationCallbacks*, VkSemaphore*) {
  return VK_SUCCESS;
}
void VKAPI_CALL fake_draw(VkCommandBuffer, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {}

Dispatch fakes() {
  Dispatch dispatch;
  dispatch.vkGetFenceStatus = fake_status;
  dispatch.vkWaitForFences = fake_wait;
  dispatch.vkGetSemaphoreCounterValue = fake_counter;
  dispatch.vkCreateFence = fake_fence;
  dispatch.vkDestroyFence = fake_destroy_fence;
  dispatch.vkResetFences = fake_reset;
  dispatch.vkQueueSubmit = fake_submit;
  dispatch.vkQueueSubmit2 = fake_submit2;
  dispatch.vkSignalSemaphore = fake_signal;
  dispatch.vkCmdDraw = fake_draw;
  dispatch.vkCreateEvent = fake_event;
  dispatch.vkCreateSemaphore = fake_semaphore;
  return dispatch;
}

class RecordedWaits : public RecorderTest {
 protected:
  std::vector<CommandId> recorded(const std::function<void(FakeDevice&)>& work) const {
    in_process(file("a.rondo"), [&] {
      FakeDevice device(fakes());
      start();
      work(device);
    });
    const Capture capture(file("a.rondo"));
    return capture.reader == nullptr ? std::vector<CommandId>{} : commands_of(capture);
  }
  using Commands = std::vector<CommandId>;
};

constexpr CommandId kStatus = CommandId::vkGetFenceStatus;
constexpr CommandId kWait = CommandId::vkWaitForFences;
constexpr CommandId kCounter = CommandId::vkGetSemaphoreCounterValue;
constexpr CommandId kDraw = CommandId::vkCmdDraw;

TEST_F(RecordedWaits, AFenceThatIsPolledIsRecordedTwiceBeforeItIsReady) {
  EXPECT_EQ(recorded([](FakeDevice& device) {
              g_status = VK_NOT_READY;
              for (int i = 0; i < 1000; ++i) hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
              g_status = VK_SUCCESS;
              for (int i = 0; i < 2; ++i) hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
            }),
            (Commands{kStatus, kStatus, kStatus, kStatus}));
}

TEST_F(RecordedWaits, PollsOfSeveralFencesInTurnAreEachRecordedTwice) {
  EXPECT_EQ(recorded([](FakeDevice& device) {
              g_status = VK_NOT_READY;
              for (int i = 0; i < 100; ++i)
                for (const std::uintptr_t fence : {1U, 2U, 3U})
                  hook_vkGetFenceStatus(device.device(), made_up<VkFence>(fence));
            }),
            (Commands{kStatus, kStatus, kStatus, kStatus, kStatus, kStatus}));
}

TEST_F(RecordedWaits, ThePollAfterAnythingElseIsRecordedAgain) {
  EXPECT_EQ(recorded([](FakeDevice& device) {
              g_status = VK_NOT_READY;
              for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 3; ++j) hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
                regular<kDraw>(device.handle<VkCommandBuffer>(), 3u, 1u, 0u, 0u);
              }
            }),
            (Commands{kStatus, kStatus, kDraw, kStatus, kStatus, kDraw}));
}

TEST_F(RecordedWaits, ATimelineIsRecordedTwiceWhenItHasMoved) {
  EXPECT_EQ(recorded([](FakeDevice& device) {
              for (const std::uint64_t value : {0U, 0U, 0U, 4U, 4U, 4U, 4U, 5U, 5U, 5U}) {
                g_counter = value;
                std::uint64_t read = 99;
                hook_vkGetSemaphoreCounterValue(device.device(), made_up<VkSemaphore>(1), &read);
                if (read != value) ::_exit(1);
              }
            }),
            (Commands{kCounter, kCounter, kCounter, kCounter, kCounter, kCounter}));
}

TEST_F(RecordedWaits, OnlyATimeoutOfNoTimeIsAPoll) {
  EXPECT_EQ(recorded([](FakeDevice& device) {
              g_wait = VK_TIMEOUT;
              const VkFence fence = made_up<VkFence>(1);
              for (const std::uint64_t timeout : {0U, 0U, 0U, 1U, 1U})
                hook_vkWaitForFences(device.device(), 1, &fence, VK_TRUE, timeout);
            }),
            (Commands{kWait, kWait, kWait, kWait}));
}

TEST_F(RecordedWaits, ACheckpointHoldsTheProgramForMillisecondsAndLessEachTimeInVain) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "readback", 1);
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    g_status = VK_SUCCESS;
    const auto submit_and_poll = [&] {
      hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE);
      hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
      return g_patience.back();
    };
    const VkEventCreateInfo event_info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, 0};
    VkEvent event = VK_NULL_HANDLE;
    hook_vkCreateEvent(device.device(), &event_info, nullptr, &event);
    g_wait = VK_TIMEOUT;  // the work waits for the program
    for (std::uint64_t expected = 50'000'000; expected > 0; expected = expected > 200'000 ? expected / 2 : 0)
      if (submit_and_poll() != expected) ::_exit(1);
    if (submit_and_poll() != 100'000) ::_exit(6);  // never less
    // Nothing has happened: nobody waits for it again.
    hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
    if (g_patience.back() != 0) ::_exit(2);
    // A signal by the host may have let it go on.
    const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, made_up<VkSemaphore>(1), 1};
    hook_vkSignalSemaphore(device.device(), &signal);
    hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
    if (g_patience.back() != 100'000) ::_exit(3);
    g_wait = VK_SUCCESS;
    submit_and_poll();
    if (submit_and_poll() != 50'000'000) ::_exit(4);
    // Checked: until the next submit there is nothing to wait for.
    const std::size_t waits = g_patience.size();
    hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
    if (g_patience.size() != waits) ::_exit(5);
  });
}

// Else a busy machine would leave holes in what is verified.
TEST_F(RecordedWaits, WorkThatCannotWaitForTheProgramIsWaitedForHalfASecond) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "readback", 1);
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    g_status = VK_SUCCESS;
    g_wait = VK_SUCCESS;
    const auto create = [&](VkSemaphoreType kind, const void* more = nullptr) {
      const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, more, kind, 3};
      const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
      VkSemaphore semaphore = made_up<VkSemaphore>(1);
      hook_vkCreateSemaphore(device.device(), &info, nullptr, &semaphore);
      return semaphore;
    };
    const auto patience = [&](const VkSubmitInfo2& batch) {
      hook_vkQueueSubmit2(device.queue(), 1, &batch, VK_NULL_HANDLE);
      hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
      return g_patience.back();
    };
    const auto value = [](VkSemaphore semaphore, std::uint64_t wanted) {
      VkSemaphoreSubmitInfo info{};
      info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
      info.semaphore = semaphore;
      info.value = wanted;
      return info;
    };
    const auto waits = [&](VkSemaphore semaphore, std::uint64_t wanted) {
      const VkSemaphoreSubmitInfo info = value(semaphore, wanted);
      VkSubmitInfo2 batch{};
      batch.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
      batch.waitSemaphoreInfoCount = 1;
      batch.pWaitSemaphoreInfos = &info;
      return patience(batch);
    };
    const auto signals = [&](VkSemaphore semaphore, std::uint64_t given) {
      const VkSemaphoreSubmitInfo info = value(semaphore, given);
      VkSubmitInfo2 batch{};
      batch.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
      batch.signalSemaphoreInfoCount = 1;
      batch.pSignalSemaphoreInfos = &info;
      return patience(batch);
    };
    constexpr std::uint64_t kShort = 50'000'000, kLong = 500'000'000;
    const VkSemaphore binary = create(VK_SEMAPHORE_TYPE_BINARY);
    if (waits(binary, 99) != kLong) ::_exit(1);
    const VkSemaphore timeline = create(VK_SEMAPHORE_TYPE_TIMELINE);  // the same value, another kind
    if (waits(timeline, 3) != kLong) ::_exit(2);                      // it has that
    if (waits(timeline, 5) != kShort) ::_exit(3);
    // On the same queue it stands behind the wait: it gives nothing.
    if (signals(timeline, 9) != kShort) ::_exit(4);
    const auto host_signals = [&](std::uint64_t given) {
      const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, given};
      hook_vkSignalSemaphore(device.device(), &signal);
    };
    host_signals(4);
    if (signals(binary, 0) != kShort) ::_exit(5);
    host_signals(5);  // and so the 9 behind the wait is given, too
    if (waits(timeline, 9) != kLong) ::_exit(6);
    if (waits(timeline, 10) != kShort) ::_exit(7);
    host_signals(10);
    // By the older call, whose values stand in a chain.
    const std::uint64_t next = 11;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &next;
    VkSubmitInfo old{};
    old.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    old.pNext = &values;
    old.waitSemaphoreCount = 1;
    old.pWaitSemaphores = &timeline;
    hook_vkQueueSubmit(device.queue(), 1, &old, VK_NULL_HANDLE);
    hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
    if (g_patience.back() != kShort) ::_exit(8);
    host_signals(11);
    if (signals(timeline, 12) != kLong) ::_exit(9);
    const VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                               VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    create(VK_SEMAPHORE_TYPE_TIMELINE, &exported);
    if (signals(binary, 0) != kShort) ::_exit(10);
  });
}

TEST(HostWaits, ATimelineThatIsDestroyedIsForgotten) {
  for (const bool destroyed : {false, true}) {
    HostWaits waits;
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    waits.created(made_up<VkSemaphore>(1), info);
    waits.created(made_up<VkSemaphore>(2), info);
    if (destroyed) waits.destroyed(made_up<VkSemaphore>(1));
    VkSemaphoreSubmitInfo wait{};  // of a binary semaphore that has the handle now
    wait.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    wait.semaphore = made_up<VkSemaphore>(1);
    wait.value = 9;
    VkSubmitInfo2 batch{};
    batch.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    batch.waitSemaphoreInfoCount = 1;
    batch.pWaitSemaphoreInfos = &wait;
    waits.submitted(made_up<VkQueue>(3), 1, std::span(&batch, 1));
    EXPECT_EQ(waits.possible(), !destroyed);
  }
}

TEST(HostWaits, AValueThatIsSeenEndsTheSubmissionsBehindIt) {
  HostWaits waits;
  const auto timeline = made_up<VkSemaphore>(1);
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  waits.created(timeline, {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0});
  const auto queue = made_up<VkQueue>(3);
  VkSemaphoreSubmitInfo signals[3]{};
  VkSubmitInfo2 batches[3]{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    signals[i].sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    signals[i].semaphore = timeline;
    signals[i].value = i + 1;
    signals[i].stageMask = i == 1 ? VK_PIPELINE_STAGE_2_COPY_BIT : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    batches[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    batches[i].signalSemaphoreInfoCount = 1;
    batches[i].pSignalSemaphoreInfos = &signals[i];
  }
  waits.submitted(queue, 7, std::span(batches));
  const auto ended = [&](VkSemaphore semaphore, std::uint64_t value) {
    std::vector<std::uint64_t> numbers;
    std::vector<HostWaits::Ended> all;
    const bool news = waits.reached(semaphore, value, all);
    for (const HostWaits::Ended& one : all) numbers.push_back(one.number);
    EXPECT_EQ(news, !numbers.empty());
    return numbers;
  };
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(ended(made_up<VkSemaphore>(2), 9), Numbers{});
  EXPECT_EQ(ended(timeline, 0), Numbers{});
  EXPECT_EQ(ended(timeline, 1), Numbers{6});       // more of the seventh is behind it
  EXPECT_EQ(ended(timeline, 1), Numbers{});        // told once
  EXPECT_EQ(ended(timeline, 3), (Numbers{0, 7}));  // one behind copies only
  signals[0].value = 4;
  waits.submitted(queue, 8, std::span(batches, 1));
  waits.not_submitted(queue, 8);
  EXPECT_EQ(ended(timeline, 4), Numbers{});
}

TEST(HostWaits, OfVeryManyValuesTheOldestAreStillNews) {
  HostWaits waits;
  const auto timeline = made_up<VkSemaphore>(1);
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  waits.created(timeline, {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0});
  VkSemaphoreSubmitInfo signal{};
  signal.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  signal.semaphore = timeline;
  signal.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkSubmitInfo2 batch{};
  batch.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  batch.signalSemaphoreInfoCount = 1;
  batch.pSignalSemaphoreInfos = &signal;
  constexpr std::uint64_t most = 1000;
  for (signal.value = 1; signal.value <= most; ++signal.value)
    waits.submitted(made_up<VkQueue>(3), signal.value, std::span(&batch, 1));
  std::vector<HostWaits::Ended> ended;
  for (const std::uint64_t value : {10u, 11u}) {
    EXPECT_TRUE(waits.reached(timeline, value, ended));
    EXPECT_FALSE(waits.reached(timeline, value, ended));
  }
  EXPECT_TRUE(waits.reached(timeline, most, ended));
  ASSERT_FALSE(ended.empty());
  EXPECT_EQ(ended.back().number, most);
  EXPECT_FALSE(waits.reached(timeline, most, ended));
}

// The host can set the other ones only.
TEST_F(RecordedWaits, AnEventOfTheDeviceAloneDoesNotMakeWorkWaitForTheProgram) {
  in_process(file("a.rondo"), [] {
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    const auto create = [&](VkEventCreateFlags flags) {
      const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr, flags};
      VkEvent event = VK_NULL_HANDLE;
      hook_vkCreateEvent(device.device(), &info, nullptr, &event);
      return device.state().memories.host_waits.possible();
    };
    if (create(VK_EVENT_CREATE_DEVICE_ONLY_BIT)) ::_exit(1);
    if (!create(0)) ::_exit(2);
  });
}

TEST_F(RecordedWaits, AllThatAProgramIsHeldInVainIsAShareOfItsTime) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "readback", 1);
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    const std::uint64_t begin = now_ns();
    g_status = VK_SUCCESS;
    std::uint64_t held = 0;
    for (int i = 0; i < 200; ++i)
      for (const VkResult result : {VK_SUCCESS, VK_TIMEOUT}) {  // so that patience is whole again
        g_wait = result;
        hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE);
        hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
        if (result == VK_TIMEOUT) held += g_patience.back();
      }
    if (held < 2'000'000'000) ::_exit(1);  // at once
    if (held > 2'000'000'000 + (now_ns() - begin) / 4) ::_exit(2);
  });
}

TEST_F(RecordedWaits, TheFencesOfACheckpointAreWaitedForBeforeTheirDeviceGoes) {
  in_process(file("a.rondo"), [] {
    ::setenv("RONDO_CHECKPOINTS", "readback", 1);
    FakeDevice device(fakes());
    start();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    const auto leave_pending = [&] {
      g_status = VK_SUCCESS;
      g_wait = VK_TIMEOUT;
      hook_vkQueueSubmit(device.queue(), 0, nullptr, VK_NULL_HANDLE);
      hook_vkGetFenceStatus(device.device(), made_up<VkFence>(1));
      return g_waited;
    };
    const std::vector<VkFence> fences = leave_pending();
    if (fences.empty() || !g_destroyed.empty()) ::_exit(1);
    g_wait = VK_SUCCESS;
    g_waited.clear();
    device.state().checkpointer.reset();
    if (g_waited != fences || g_destroyed != fences) ::_exit(2);
    if (g_patience.back() != 10'000'000'000) ::_exit(3);
    // One that never signals is still in use: nobody may destroy it.
    g_destroyed.clear();
    device.state().checkpointer = std::make_unique<Checkpointer>(device.state());
    leave_pending();
    device.state().checkpointer.reset();
    if (!g_destroyed.empty()) ::_exit(4);
  });
}

}  // namespace
}  // namespace rondo::layer::testing
