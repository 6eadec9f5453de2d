// SPDX-License-Identifier: Apache-2.0
// The waits that a capture got away without, on a driver that is slower than the
// captured one: with them no call is invalid, without them one is.
#include "player/run/deadline.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

class Settled : public Sloppy {
 protected:
  void SetUp() override { slow_driver(); }

  // Every batch takes so long.
  static void slow_driver() {
    fake::Settings settings;
    settings.delay_us = 20'000;
    settings.unified = true;  // the captures choose type 0
    fake::reset(settings);
  }
  static Result<void> play(player::Plan& plan) {
    const auto stage = fake::set_stage(plan);
    if (!stage) return tl::unexpected<Error>(stage.error());
    player::Deadline deadline(30);
    player::Observer observer;
    player::PlacementCache placements;
    player::Run run(plan, (*stage)->loader, (*stage)->targets, {}, deadline, observer, placements);
    const Result<void> played = run.play();
    const Result<void> ended = run.finish();
    return played ? ended : played;
  }
  void needs_its_settles() {
    const auto built = plan();
    ASSERT_FALSE(built->settles.empty());
    const Result<void> played = play(*built);
    EXPECT_TRUE(played) << played.error().message;
    for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;

    slow_driver();
    built->settles.clear();
    static_cast<void>(play(*built));
    EXPECT_FALSE(fake::violations().empty()) << "the wait was not needed";
  }
};

TEST_F(Settled, AFenceThatIsStillSignalled) {
  submit({}, create_fence(VK_FENCE_CREATE_SIGNALED_BIT));
  needs_its_settles();
}

TEST_F(Settled, AFenceThatWillBeSignalled) {
  const VkFence fence = create_fence();
  submit({}, fence);
  capture.call(CommandId::vkResetFences, args_vkResetFences{kDevice, 1, &fence}, ok());
  needs_its_settles();
}

TEST_F(Settled, ABufferThatWorkUses) {
  const VkBuffer used = buffer(64);
  submit({recorded(used)});
  destroy(used);
  needs_its_settles();
}

TEST_F(Settled, CommandsThatRun) {
  const VkCommandBuffer commands = recorded();
  submit({commands});
  begin(commands);
  end(commands);
  needs_its_settles();
}

TEST_F(Settled, CommandsThatAreRecordedAlready) {
  const VkCommandBuffer commands = recording();
  begin(commands);
  end(commands);
  needs_its_settles();
}

TEST_F(Settled, AQueryThatCommandsLeaveOpen) {
  auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  const auto pool = create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  const VkCommandBuffer commands = recording();
  capture.call(CommandId::vkCmdResetQueryPool, args_vkCmdResetQueryPool{commands, pool, 0, 1});
  capture.call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{commands, pool, 0, 0});
  end(commands);
  needs_its_settles();
}

TEST_F(Settled, ASemaphoreThatNobodyWaitedFor) {
  const auto info = of_type<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
  const auto semaphore = create<VkSemaphore, args_vkCreateSemaphore>(CommandId::vkCreateSemaphore, info);
  auto batch = of_type<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  batch.signalSemaphoreCount = 1;
  batch.pSignalSemaphores = &semaphore;
  for (int i = 0; i < 2; ++i)
    capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{kQueue, 1, &batch, VK_NULL_HANDLE}, ok());
  needs_its_settles();
}

}  // namespace
}  // namespace rondo::test
