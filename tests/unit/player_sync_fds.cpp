// SPDX-License-Identifier: Apache-2.0
// Payloads that leave as sync fds and come back: what is waited for, and what is refused.
#include "player/run/deadline.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

using Payload = player::Settle::Payload;

constexpr auto kSync = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
constexpr auto kSyncOfFences = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;

class SyncFds : public Sloppy {
 protected:
  VkSemaphore semaphore() {
    const VkExportSemaphoreCreateInfo types{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr, kSync};
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &types, 0};
    return create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  }
  void submit_signal(VkSemaphore signalled, VkFence fence = VK_NULL_HANDLE) {
    auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &signalled;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &info, fence}, ok());
  }
  void submit_wait(VkSemaphore waited, VkFence fence = VK_NULL_HANDLE) {
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    auto info = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.waitSemaphoreCount = 1;
    info.pWaitSemaphores = &waited;
    info.pWaitDstStageMask = &stage;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &info, fence}, ok());
  }
  void leave(VkSemaphore from, VkExternalSemaphoreHandleTypeFlagBits type = kSync, int fd = 5) {
    const VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, from, type};
    capture.call(CommandId::vkGetSemaphoreFdKHR, args_vkGetSemaphoreFdKHR{kDevice, &info, &fd}, ok());
  }
  void leave(VkFence from, VkExternalFenceHandleTypeFlagBits type = kSyncOfFences, int fd = 5) {
    const VkFenceGetFdInfoKHR info{VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, nullptr, from, type};
    capture.call(CommandId::vkGetFenceFdKHR, args_vkGetFenceFdKHR{kDevice, &info, &fd}, ok());
  }
  void come(VkSemaphore to, int fd, VkExternalSemaphoreHandleTypeFlagBits type = kSync) {
    const VkImportSemaphoreFdInfoKHR info{
        VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, nullptr, to, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, type, fd};
    capture.call(CommandId::vkImportSemaphoreFdKHR, args_vkImportSemaphoreFdKHR{kDevice, &info}, ok());
  }
  void come(VkFence to, int fd, VkExternalFenceHandleTypeFlagBits type = kSyncOfFences) {
    const VkImportFenceFdInfoKHR info{
        VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR, nullptr, to, VK_FENCE_IMPORT_TEMPORARY_BIT, type, fd};
    capture.call(CommandId::vkImportFenceFdKHR, args_vkImportFenceFdKHR{kDevice, &info}, ok());
  }
  // Another device of the same, whose queue waits for what comes to a semaphore of its own.
  void comes_to_another_device() {
    auto device = fresh<VkDevice>();
    auto queue = fresh<VkQueue>();
    auto to = fresh<VkSemaphore>();
    const float priority = 1;
    auto queue_info = of_type<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    auto device_info = of_type<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    capture.call(CommandId::vkCreateDevice, args_vkCreateDevice{kPhysical, &device_info, nullptr, &device}, ok());
    capture.call(CommandId::vkGetDeviceQueue, args_vkGetDeviceQueue{device, 0, 0, &queue});
    const auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{device, &info, nullptr, &to}, ok());
    const VkImportSemaphoreFdInfoKHR import{
        VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR, nullptr, to, VK_SEMAPHORE_IMPORT_TEMPORARY_BIT, kSync, 5};
    capture.call(CommandId::vkImportSemaphoreFdKHR, args_vkImportSemaphoreFdKHR{device, &import}, ok());
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    auto submit = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    submit.waitSemaphoreCount = 1;
    submit.pWaitSemaphores = &to;
    submit.pWaitDstStageMask = &stage;
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{queue, 1, &submit, VK_NULL_HANDLE}, ok());
    capture.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{queue}, ok());
  }
  static std::vector<Payload> settled(const player::Plan& plan) {
    std::vector<Payload> all;
    for (const player::Settle& settle : plan.settles) all.push_back(settle.payload);
    return all;
  }
  void refuses(Status status, const std::string& mentions) {
    capture.finish();
    fails(build(), status, mentions);
  }
  // On a driver that takes its time: what is not waited for shows.
  static void plays(player::Plan& plan) {
    fake::Settings settings;
    settings.delay_us = 20'000;
    settings.unified = true;
    fake::reset(settings);
    const auto stage = fake::set_stage(plan);
    ASSERT_TRUE(stage) << stage.error().message;
    player::Deadline deadline(30);
    player::Observer observer;
    player::PlacementCache placements;
    player::Run run(plan, (*stage)->loader, (*stage)->targets, {}, deadline, observer, placements);
    const Result<void> played = run.play();
    EXPECT_TRUE(played) << played.error().message;
    const Result<void> ended = run.finish();
    EXPECT_TRUE(ended) << ended.error().message;
    for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
  }
};

constexpr char kNoSyncFd[] = "with a handle that is no sync fd";

TEST_F(SyncFds, SemaphoresThatAreSharedAreRefused) {
  const VkSemaphore shared = semaphore();
  submit_signal(shared);
  leave(shared, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
  refuses(Status::failed, std::string("vkGetSemaphoreFdKHR ") + kNoSyncFd);
}

TEST_F(SyncFds, SharesOfSemaphoresAreRefused) {
  come(semaphore(), 5, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT);
  refuses(Status::failed, std::string("vkImportSemaphoreFdKHR ") + kNoSyncFd);
}

TEST_F(SyncFds, FencesThatAreSharedAreRefused) {
  leave(create_fence(VK_FENCE_CREATE_SIGNALED_BIT), VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT);
  refuses(Status::failed, std::string("vkGetFenceFdKHR ") + kNoSyncFd);
}

TEST_F(SyncFds, SharesOfFencesAreRefused) {
  come(create_fence(), 5, VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT);
  refuses(Status::failed, std::string("vkImportFenceFdKHR ") + kNoSyncFd);
}

TEST_F(SyncFds, WhatNothingSignalsCannotLeave) {
  leave(semaphore());
  refuses(Status::unreadable, "exports the payload of VkSemaphore#0, which nothing signals");
}

TEST_F(SyncFds, AFenceThatNothingSignalsCannotLeave) {
  leave(create_fence());
  refuses(Status::unreadable, "exports the payload of VkFence#0, which nothing signals");
}

TEST_F(SyncFds, ASignalLeavesOnce) {
  const VkSemaphore gone = semaphore();
  submit_signal(gone);
  leave(gone);
  submit_wait(gone);
  refuses(Status::unreadable, "waits for VkSemaphore#0, which nothing signals");
}

TEST_F(SyncFds, AFenceThatLeftIsNotSignalled) {
  const VkFence gone = create_fence();
  submit({}, gone);
  leave(gone);
  wait(gone);
  refuses(Status::unreadable, "waits for VkFence#0, which nothing signals");
}

TEST_F(SyncFds, WhatComesAnswersOneWait) {
  const VkSemaphore got = semaphore();
  come(got, -1);
  submit_wait(got);
  submit_wait(got);
  refuses(Status::unreadable, "waits for VkSemaphore#0, which nothing signals");
}

TEST_F(SyncFds, ASignalFromElsewhereIsGivenAtItsWait) {
  const VkSemaphore got = semaphore();
  come(got, -1);
  come(semaphore(), 7);  // nobody waits for it
  submit_wait(got);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::comes}));
  plays(*built);
}

// The first wait is for what came, the second for what was there before.
TEST_F(SyncFds, ASignalThatWasThereBeforeIsThereAgain) {
  const VkSemaphore got = semaphore();
  submit_signal(got);
  come(got, -1);
  submit_wait(got);
  submit_wait(got);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::comes}));
  plays(*built);
}

TEST_F(SyncFds, WhatComesMayBeWhatLeft) {
  const VkSemaphore from = semaphore(), to = semaphore(), other = semaphore();
  const VkFence done = create_fence();
  submit_signal(from);
  leave(from);
  come(to, 5);
  come(other, 6);
  submit_wait(to);
  submit_wait(other, done);
  wait(done);
  submit_signal(from);  // it is as it was made
  const auto built = plan();
  EXPECT_EQ(settled(*built),
            (std::vector{Payload::leaves, Payload::is_due, Payload::comes, Payload::is_due, Payload::comes}));
  EXPECT_EQ(built->payloads.size(), 2u);
  plays(*built);
}

TEST_F(SyncFds, WhatIsSignalledMayNotBeWhatLeft) {
  const VkSemaphore from = semaphore(), to = semaphore();
  submit_signal(from);
  leave(from);
  come(to, -1);
  submit_wait(to);
  EXPECT_EQ(settled(*plan()), (std::vector{Payload::leaves, Payload::comes}));
}

// -1 says so: the program may go on as behind any other wait.
TEST_F(SyncFds, WhatWasSignalledAsItLeftIsWaitedFor) {
  const VkSemaphore from = semaphore(), to = semaphore();
  const VkFence fence = create_fence();
  submit_signal(from);
  leave(from, kSync, -1);
  submit({}, fence);
  leave(fence, kSyncOfFences, -1);
  come(to, -1);
  submit_wait(to);
  const auto built = plan();
  EXPECT_EQ(settled(*built),
            (std::vector{Payload::leaves, Payload::is_due, Payload::leaves, Payload::is_due, Payload::comes}));
  plays(*built);
}

TEST_F(SyncFds, WhatIsPassedOnSignalledIsWaitedFor) {
  const VkSemaphore from = semaphore(), by = semaphore(), to = semaphore();
  submit_signal(from);
  leave(from);
  come(by, 5);
  leave(by, kSync, -1);
  come(to, -1);
  submit_wait(to);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::is_due, Payload::comes}));
  plays(*built);
}

TEST_F(SyncFds, WhatHasEndedIsNotWaitedForAgain) {
  const VkSemaphore from = semaphore(), to = semaphore();
  const VkFence done = create_fence();
  submit_signal(from, done);
  leave(from);
  wait(done);
  come(to, 5);
  submit_wait(to);
  EXPECT_EQ(settled(*plan()), (std::vector{Payload::leaves, Payload::comes}));
}

TEST_F(SyncFds, WhatIsPassedOnIsWaitedForAtItsEnd) {
  const VkSemaphore from = semaphore(), to = semaphore();
  submit_signal(from);
  leave(from);
  come(from, 5);
  leave(from);
  come(to, 5);
  submit_wait(to);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::is_due, Payload::comes}));
  plays(*built);
}

// Buffers that the work used may be destroyed then.
TEST_F(SyncFds, AFenceThatCameTellsOfWorkThatEnded) {
  const VkBuffer used = buffer(64);
  const VkFence given = create_fence(), got = create_fence();
  submit({recorded(used)}, given);
  leave(given);
  come(got, 5);
  wait(got);
  destroy(used);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::comes, Payload::is_due}));
  plays(*built);
}

TEST_F(SyncFds, ASemaphoresPayloadComesToAFence) {
  const VkSemaphore from = semaphore();
  const VkFence got = create_fence();
  submit_signal(from);
  leave(from);
  come(got, 5);
  wait(got);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::comes, Payload::is_due}));
  plays(*built);
}

TEST_F(SyncFds, AFencesPayloadComesToASemaphore) {
  const VkSemaphore to = semaphore();
  const VkFence given = create_fence();
  submit({}, given);
  leave(given);
  come(to, 5);
  submit_wait(to);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::is_due, Payload::comes}));
  plays(*built);
}

// Buffers that the first one's work used may be destroyed when the other one's has ended.
TEST_F(SyncFds, TheHostWaitsForAnotherDevice) {
  const VkBuffer used = buffer(64);
  const VkSemaphore from = semaphore();
  submit({recorded(used)});
  submit_signal(from);
  leave(from);
  comes_to_another_device();
  destroy(used);
  const auto built = plan();
  EXPECT_EQ(settled(*built), (std::vector{Payload::leaves, Payload::is_due, Payload::comes}));
  EXPECT_EQ(built->settles[1].queue, ObjectId::null);
  plays(*built);
}

// No host can: it is the host who lets that work go on.
TEST_F(SyncFds, NoDeviceWaitsForWhatAnotherIsToBeLetDo) {
  auto kind = of_type<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  kind.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  info.pNext = &kind;
  const auto timeline = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  const VkSemaphore from = semaphore();
  const std::uint64_t value = 1;
  auto values = of_type<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  auto held = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  held.pNext = &values;
  held.waitSemaphoreCount = held.signalSemaphoreCount = 1;
  held.pWaitSemaphores = &timeline;
  held.pWaitDstStageMask = &stage;
  held.pSignalSemaphores = &from;
  capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &held, VK_NULL_HANDLE}, ok());
  leave(from);
  comes_to_another_device();
  auto signal = of_type<VkSemaphoreSignalInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO);
  signal.semaphore = timeline;
  signal.value = value;
  capture.call(CommandId::vkSignalSemaphore, args_vkSignalSemaphore{kDevice, &signal}, ok());
  refuses(Status::unreadable, "may be of work on another device that waits for a later record");
}

}  // namespace
}  // namespace rondo::test
