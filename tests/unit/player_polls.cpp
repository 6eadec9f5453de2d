// SPDX-License-Identifier: Apache-2.0
// Events and queries that the host saw in a state which the device takes back: the replay may ask too late.
#include "player/run/deadline.h"
#include "player/run/run.h"
#include "tests/icd/fake.h"
#include "tests/icd/stage.h"
#include "tests/unit/player_sloppy.h"

namespace rondo::test {
namespace {

constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

class Polls : public Sloppy {
 protected:
  void SetUp() override { set_driver(0); }

  static void set_driver(std::uint32_t delay_us) {
    fake::Settings settings;
    settings.delay_us = delay_us;  // of every batch
    settings.unified = true;       // the captures choose type 0
    fake::reset(settings);
  }

  VkEvent event() {
    const auto info = of_type<VkEventCreateInfo>(VK_STRUCTURE_TYPE_EVENT_CREATE_INFO);
    return create<VkEvent, args_vkCreateEvent>(CommandId::vkCreateEvent, info);
  }
  VkQueryPool queries(VkQueryType type = VK_QUERY_TYPE_TIMESTAMP) {
    auto info = of_type<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = type;
    info.queryCount = 4;
    return create<VkQueryPool, args_vkCreateQueryPool>(CommandId::vkCreateQueryPool, info);
  }
  // Recorded:
  void sets(VkCommandBuffer into, VkEvent event) {
    capture.call(CommandId::vkCmdSetEvent, args_vkCmdSetEvent{into, event, kAll});
  }
  void resets(VkCommandBuffer into, VkEvent event) {
    capture.call(CommandId::vkCmdResetEvent, args_vkCmdResetEvent{into, event, kAll});
  }
  void waits(VkCommandBuffer into, VkEvent event) {
    args_vkCmdWaitEvents args{};
    args.commandBuffer = into;
    args.eventCount = 1;
    args.pEvents = &event;
    args.srcStageMask = VK_PIPELINE_STAGE_HOST_BIT;
    args.dstStageMask = kAll;
    capture.call(CommandId::vkCmdWaitEvents, args);
  }
  void stamps(VkCommandBuffer into, VkQueryPool pool, std::uint32_t query) {
    capture.call(CommandId::vkCmdWriteTimestamp,
                 args_vkCmdWriteTimestamp{into, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query});
  }
  void resets(VkCommandBuffer into, VkQueryPool pool, std::uint32_t first, std::uint32_t count) {
    capture.call(CommandId::vkCmdResetQueryPool, args_vkCmdResetQueryPool{into, pool, first, count});
  }
  void submit_recorded(VkCommandBuffer commands) {
    end(commands);
    submit({commands});
  }
  // By the host:
  void set(VkEvent event) { capture.call(CommandId::vkSetEvent, args_vkSetEvent{kDevice, event}, ok()); }
  void reset(VkEvent event) { capture.call(CommandId::vkResetEvent, args_vkResetEvent{kDevice, event}, ok()); }
  void sees(VkEvent event, VkResult state) {
    capture.call(CommandId::vkGetEventStatus, args_vkGetEventStatus{kDevice, event}, {.result = state});
  }
  void has_results(VkQueryPool pool, std::uint32_t first, std::uint32_t count) {
    std::uint64_t results[4]{};
    capture.call(
        CommandId::vkGetQueryPoolResults,
        args_vkGetQueryPoolResults{kDevice, pool, first, count, sizeof results, results, 8, VK_QUERY_RESULT_64_BIT},
        ok());
  }
  // Pairs of a value and whether it is available.
  void finds(VkQueryPool pool, const std::vector<std::uint64_t>& pairs, VkQueryResultFlags flags, VkResult result) {
    const auto count = static_cast<std::uint32_t>(pairs.size() / 2);
    std::vector<std::uint64_t> got = pairs;
    capture.call(CommandId::vkGetQueryPoolResults,
                 args_vkGetQueryPoolResults{kDevice, pool, 0, count, 8 * got.size(), got.data(), 16,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | flags},
                 {.result = result});
  }

  static Result<void> play(player::Plan& plan) {
    const auto stage = fake::set_stage(plan);
    if (!stage) return tl::unexpected<Error>(stage.error());
    player::Deadline deadline(10);
    player::Observer observer;
    player::PlacementCache placements;
    player::Run run(plan, (*stage)->loader, (*stage)->targets, {}, deadline, observer, placements);
    const Result<void> played = run.play();
    const Result<void> ended = run.finish();
    return played ? ended : played;
  }
  // On a driver that is done at once, and on one that is slow.
  void replays() {
    const auto built = plan();
    for (const std::uint32_t delay_us : {0u, 20'000u}) {
      set_driver(delay_us);
      const Result<void> played = play(*built);
      EXPECT_TRUE(played) << played.error().message;
      for (const fake::Violation& v : fake::violations()) ADD_FAILURE() << v.command << ": " << v.what;
    }
  }
  void fails_to_replay() {
    const auto built = plan();
    const Result<void> played = play(*built);
    ASSERT_FALSE(played);
    EXPECT_EQ(played.error().status, Status::failed) << played.error().message;
  }
  std::size_t polls_of(const player::Plan& plan, CommandId id) {
    return static_cast<std::size_t>(
        std::count_if(plan.ops.begin(), plan.ops.end(), [id](const player::Op& op) { return op.command == id; }));
  }
};

TEST_F(Polls, AnEventThatOneSubmitSetsAndResets) {
  const VkEvent one = event();
  const VkCommandBuffer into = recording();
  sets(into, one);
  resets(into, one);
  submit_recorded(into);
  sees(one, VK_EVENT_SET);
  replays();
}

TEST_F(Polls, AnEventThatASecondaryResets) {
  const VkEvent one = event();
  const VkCommandBuffer second = commands(command_pool(), VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  const auto inherited = of_type<VkCommandBufferInheritanceInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO);
  auto info = of_type<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  info.pInheritanceInfo = &inherited;
  capture.secondaries = true;
  capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{second, &info}, ok());
  capture.secondaries = false;
  sets(second, one);
  end(second);
  const VkCommandBuffer into = recording();
  capture.call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{into, 1, &second});
  resets(into, one);
  submit_recorded(into);
  sees(one, VK_EVENT_SET);
  replays();
}

TEST_F(Polls, AnEventThatALaterSubmitResets) {
  const VkEvent one = event();
  const VkCommandBuffer first = recording(), second = recording();
  sets(first, one);
  resets(second, one);
  submit_recorded(first);
  submit_recorded(second);
  sees(one, VK_EVENT_SET);
  replays();
}

TEST_F(Polls, AnEventThatTheHostSetAndTheDeviceResets) {
  const VkEvent one = event();
  const VkCommandBuffer into = recording();
  resets(into, one);
  set(one);
  submit_recorded(into);
  sees(one, VK_EVENT_SET);
  replays();
}

// The device may set it before the host resets it here; then it stays reset.
TEST_F(Polls, AnEventThatTheHostResetAndTheDeviceSets) {
  const VkEvent one = event();
  const VkCommandBuffer into = recording();
  sets(into, one);
  submit_recorded(into);
  reset(one);
  sees(one, VK_EVENT_SET);
  replays();
}

// What resets it again waits for what the program does after it saw it set.
TEST_F(Polls, AnEventThatIsResetBehindAWaitForTheHost) {
  const VkEvent one = event(), go = event();
  const VkCommandBuffer first = recording(), second = recording();
  sets(first, one);
  resets(first, one);
  waits(second, go);
  sets(second, one);
  resets(second, one);
  submit_recorded(first);
  submit_recorded(second);
  sees(one, VK_EVENT_SET);
  set(go);
  replays();
}

TEST_F(Polls, AnEventThatIsOnlyResetWasNotSet) {
  const VkEvent one = event();
  const VkCommandBuffer into = recording();
  resets(into, one);
  submit_recorded(into);
  sees(one, VK_EVENT_SET);
  refuses("vkGetEventStatus: was set, and nothing sets it before: VkEvent#0");
}

TEST_F(Polls, AnEventThatWasSetBeforeAWaitIsNotSetAfterIt) {
  const VkEvent one = event();
  const VkFence fence = create_fence();
  const VkCommandBuffer into = recording();
  sets(into, one);
  resets(into, one);
  end(into);
  submit({into}, fence);
  wait(fence);
  sees(one, VK_EVENT_SET);
  refuses("vkGetEventStatus: was set, and nothing sets it before: VkEvent#0");
}

// That the device has reset it is seen where it was set before: what comes after must not come too early.
TEST_F(Polls, AnEventSeenResetIsWaitedFor) {
  const VkEvent one = event();
  const VkFence fence = create_fence();
  const VkCommandBuffer into = recording();
  resets(into, one);
  end(into);
  set(one);
  submit({into}, fence);
  sees(one, VK_EVENT_RESET);
  set(one);  // by then the device has reset it: it stays set
  wait(fence);
  sees(one, VK_EVENT_SET);
  const auto built = plan();
  EXPECT_EQ(polls_of(*built, CommandId::vkGetEventStatus), 2u);
  set_driver(20'000);
  const Result<void> played = play(*built);
  EXPECT_TRUE(played) << played.error().message;
}

TEST_F(Polls, AnEventThatIsStillResetSaysNothing) {
  const VkEvent one = event();
  const VkCommandBuffer into = recording();
  sets(into, one);
  submit_recorded(into);
  sees(one, VK_EVENT_RESET);
  const auto built = plan();
  EXPECT_EQ(polls_of(*built, CommandId::vkGetEventStatus), 0u);
}

TEST_F(Polls, QueriesThatOneSubmitWritesAndResets) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer into = recording();
  resets(into, pool, 0, 4);
  stamps(into, pool, 1);
  stamps(into, pool, 2);
  resets(into, pool, 0, 2);
  submit_recorded(into);
  has_results(pool, 1, 2);
  replays();
}

TEST_F(Polls, QueriesThatALaterSubmitResets) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer first = recording(), second = recording();
  resets(first, pool, 0, 4);
  stamps(first, pool, 3);
  resets(second, pool, 0, 4);
  stamps(second, pool, 0);
  submit_recorded(first);
  submit_recorded(second);
  has_results(pool, 3, 1);
  replays();
}

// What nothing ever writes is no result, whatever resets it.
TEST_F(Polls, QueriesThatAreOnlyResetHaveNoResults) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer into = recording();
  resets(into, pool, 0, 4);
  stamps(into, pool, 0);
  submit_recorded(into);
  has_results(pool, 1, 1);
  fails_to_replay();
}

// Each query that the program saw available is waited for, also where the call had more.
TEST_F(Polls, QueriesSeenAvailableBesideOthers) {
  const VkQueryPool pool = queries();
  const VkCommandBuffer into = recording();
  resets(into, pool, 0, 4);
  stamps(into, pool, 1);
  stamps(into, pool, 2);
  submit_recorded(into);
  finds(pool, {0, 0, 7, 1, 8, 1, 0, 0}, 0, VK_NOT_READY);
  const auto built = plan();
  const auto* asked = last<args_vkGetQueryPoolResults>(*built, CommandId::vkGetQueryPoolResults);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->firstQuery, 1u);
  EXPECT_EQ(asked->queryCount, 2u);
  const Result<void> played = play(*built);
  EXPECT_TRUE(played) << played.error().message;
}

TEST_F(Polls, PartsOfQueriesThatAreNotAvailableSayNothing) {
  const VkQueryPool pool = queries(VK_QUERY_TYPE_OCCLUSION);
  finds(pool, {5, 0}, VK_QUERY_RESULT_PARTIAL_BIT, VK_SUCCESS);
  EXPECT_EQ(polls_of(*plan(), CommandId::vkGetQueryPoolResults), 0u);
}

TEST_F(Polls, PartsOfQueriesThatAreAvailableAreWaitedFor) {
  const VkQueryPool pool = queries(VK_QUERY_TYPE_OCCLUSION);
  const VkCommandBuffer into = recording();
  resets(into, pool, 0, 4);
  capture.call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{into, pool, 0, 0});
  capture.call(CommandId::vkCmdEndQuery, args_vkCmdEndQuery{into, pool, 0});
  submit_recorded(into);
  finds(pool, {5, 1}, VK_QUERY_RESULT_PARTIAL_BIT, VK_SUCCESS);
  const auto built = plan();
  const auto* asked = last<args_vkGetQueryPoolResults>(*built, CommandId::vkGetQueryPoolResults);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->flags & VK_QUERY_RESULT_PARTIAL_BIT, 0u);
  set_driver(20'000);
  const Result<void> played = play(*built);
  EXPECT_TRUE(played) << played.error().message;
}

}  // namespace
}  // namespace rondo::test
