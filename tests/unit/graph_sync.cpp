// SPDX-License-Identifier: Apache-2.0
// Races and needless barriers of captures written by hand. Each right answer comes from the specification
// ("Synchronization and Cache Control").
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using namespace test;
using namespace test::scene;
using Found = std::vector<std::string>;

constexpr CommandId kSet = CommandId::vkCmdSetEvent2, kWait = CommandId::vkCmdWaitEvents2;

// Commands of one command buffer, submitted once.
template <class Record>
Found found(const Record& record) {
  SyncScene scene;
  scene.begin(scene.commands);
  record(scene);
  scene.GraphScene::submit(scene.commands);
  return scene.findings();
}

TEST(Sync, FindsWhatNothingOrders) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.copy(s.a, s.b);
            }),
            Found{"RAW c0 c1"});
  EXPECT_EQ(found([](SyncScene& s) {
              s.copy(s.a, s.b);
              s.fill(s.a);
            }),
            Found{"WAR c0 c1"});
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.fill(s.a, 64, 64);
            }),
            Found{"WAW c0 c1"});
  // Two that do not meet, and two that read.
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a, 0, 64);
              s.fill(s.a, 64, 64);
              s.copy(s.c, s.b);
            }),
            Found{});
}

TEST(Sync, HasNothingToSayOfTheRightBarrier) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, kWrite, kCopy, kRead});
              s.copy(s.a, s.b);
            }),
            Found{});
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.first_form(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                           VK_ACCESS_TRANSFER_READ_BIT);
              s.copy(s.a, s.b);
            }),
            Found{});
  // To write over what was read an order is enough.
  EXPECT_EQ(found([](SyncScene& s) {
              s.copy(s.a, s.b);
              s.barrier({kCopy, 0, kClear, 0});
              s.fill(s.a);
            }),
            Found{});
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({{s.a, {kClear, kWrite, kCopy, kRead}}});
              s.copy(s.a, s.b);
            }),
            Found{});
}

TEST(Sync, KeepsExecutionAvailabilityAndVisibilityApart) {
  const auto with = [](const SyncScene::Scopes& scopes) {
    return found([&](SyncScene& s) {
      s.fill(s.a);
      s.barrier(scopes);
      s.copy(s.a, s.b);
    });
  };
  const Found ineffective{"RAW c0 c2", "ineffective c1 RAW c0 c2"};
  EXPECT_EQ(with({kClear, 0, kCopy, kRead}), ineffective);          // not available
  EXPECT_EQ(with({kClear, kWrite, kCopy, 0}), ineffective);         // not visible
  EXPECT_EQ(with({kClear, kWrite, kCompute, kRead}), ineffective);  // the wrong stage waits
  EXPECT_EQ(with({kCompute, kWrite, kCopy, kRead}), ineffective);   // it waits for the wrong stage
  EXPECT_EQ(with({kClear, kWrite, VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, 0}), ineffective);
  EXPECT_EQ(with({VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT, 0, kCopy, kRead}), ineffective);
}

TEST(Sync, ChainsBarriersThatMeetInAStage) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, kWrite, kCompute, 0});
              s.barrier({kCompute, 0, kCopy, kRead});
              s.copy(s.a, s.b);
            }),
            Found{});
  const Found broken = found([](SyncScene& s) {
    s.fill(s.a);
    s.barrier({kClear, kWrite, kCompute, 0});
    s.barrier({VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, 0, kCopy, kRead});
    s.copy(s.a, s.b);
  });
  EXPECT_EQ(broken.front(), "RAW c0 c3");
  // The second barrier waits for the stage, but the write of another stage is not of its scope.
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, 0, kCompute, 0});
              s.barrier({kCompute, kWrite, kCopy, kRead});
              s.copy(s.a, s.b);
            }).front(),
            "RAW c0 c3");
}

TEST(Sync, TakesABarrierForItsRangeAlone) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({{s.b, {kClear, kWrite, kCopy, kRead}}});
              s.copy(s.a, s.c);
            }).front(),
            "RAW c0 c2");
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({{s.a, {kClear, kWrite, kCopy, kRead}}}, 0, 64);
              s.copy(s.a, s.c);
            }).front(),
            "RAW c0 c2");
  // But it orders the execution of everything.
  EXPECT_EQ(found([](SyncScene& s) {
              s.copy(s.a, s.b);
              s.barrier({{s.c, {kCopy, 0, kClear, 0}}});
              s.fill(s.a);
            }),
            Found{});
  // Two buffers on the same bytes.
  EXPECT_EQ(found([](SyncScene& s) {
              const VkBuffer alias = s.bound(0x3ff, 128);
              s.fill(alias);
              s.copy(s.a, s.c);
            }),
            Found{"RAW c0 c1"});
}

TEST(Sync, FindsWhatIsSuperfluous) {
  const SyncScene::Scopes right{kClear, kWrite, kCopy, kRead};
  // Of two equal barriers one is enough.
  EXPECT_EQ(found([&](SyncScene& s) {
              s.fill(s.a);
              s.barrier(right);
              s.barrier(right);
              s.copy(s.a, s.b);
            }),
            Found{"superfluous c2"});
  // Of a wide one and a narrow one the wide one goes.
  EXPECT_EQ(found([&](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kAllStages, kAny, kAllStages, kAny});
              s.barrier(right);
              s.copy(s.a, s.b);
            }),
            Found{"superfluous c1"});
  EXPECT_EQ(found([&](SyncScene& s) {
              s.copy(s.a, s.b);
              s.barrier({kCopy, kWrite, kCopy, kRead});
              s.copy(s.a, s.c);
            }),
            Found{"superfluous c1"});
  // Nothing follows.
  EXPECT_EQ(found([&](SyncScene& s) {
              s.fill(s.a);
              s.barrier(right);
            }),
            Found{"superfluous c1"});
  // The last one of its kind may be for work that comes no more.
  EXPECT_EQ(found([&](SyncScene& s) {
              s.fill(s.a);
              s.barrier(right);
              s.copy(s.a, s.b);
              s.barrier(right);
            }),
            Found{});
  // Nobody says what the host reads.
  EXPECT_EQ(found([&](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, kWrite, VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
              s.fill(s.b);
            }),
            Found{});
}

TEST(Sync, RemovesAsManyAsCanGoTogether) {
  // The middle one alone does the work of both others, and each of them is needed without it.
  const Found all = found([](SyncScene& s) {
    s.fill(s.a);
    s.barrier({kClear, kWrite, kCopy, kRead});
    s.barrier({kClear, kWrite, kCopy | kCompute, kRead});
    s.barrier({kClear, kWrite, kCopy, kRead});
    s.copy(s.a, s.b);
  });
  EXPECT_EQ(all, (Found{"superfluous c2", "superfluous c3"}));
}

TEST(Sync, SaysWhatOfABarrierIsEnough) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kAllStages, kAny, kAllStages, kAny});
              s.copy(s.a, s.b);
            }),
            Found{"too-wide c1: CLEAR(TRANSFER_WRITE)->COPY(TRANSFER_READ)"});
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, kWrite, kCopy | kCompute, kRead});
              s.copy(s.a, s.b);
            }),
            Found{"too-wide c1: CLEAR(TRANSFER_WRITE)->COPY(TRANSFER_READ)"});
  // The first form has other words.
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.first_form(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                           VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
              s.copy(s.a, s.b);
            }),
            Found{"too-wide c1: ALL_TRANSFER(TRANSFER_WRITE)->ALL_TRANSFER(TRANSFER_READ)"});
  // One of two barriers of a call.
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({{s.a, {kClear, kWrite, kCopy, kRead}}, {s.c, {kClear, kWrite, kCopy, kRead}}});
              s.copy(s.a, s.b);
            }),
            Found{"too-wide c1: unused"});
}

// vkCmdPipelineBarrier takes no empty set of stages.
TEST(Sync, NamesAStageForNoneInTheFirstForm) {
  EXPECT_EQ(found([](SyncScene& s) {
              const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM);
              VkImageMemoryBarrier one{};
              one.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
              one.srcAccessMask = one.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
              one.newLayout = VK_IMAGE_LAYOUT_GENERAL;
              one.image = image;
              one.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
              s.record(CommandId::vkCmdPipelineBarrier,
                       args_vkCmdPipelineBarrier{s.to, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                 0, 0, nullptr, 0, nullptr, 1, &one});
              s.clear(image);
            }),
            Found{"too-wide c0: TOP_OF_PIPE()->ALL_TRANSFER(TRANSFER_WRITE)"});
}

TEST(Sync, LooksAtTransitions) {
  const auto with = [](const SyncScene::Scopes& scopes) {
    return found([&](SyncScene& s) {
      const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM);
      s.clear(image);
      s.barrier(image, scopes, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
      s.clear(image);
    });
  };
  EXPECT_EQ(with({kClear, kWrite, kClear, kWrite}), Found{});
  EXPECT_EQ(with({kCopy, kWrite, kClear, kWrite}).front(), "WAW c0 c1");
  EXPECT_EQ(with({kClear, 0, kClear, kWrite}).front(), "WAW c0 c1");
  EXPECT_EQ(with({kClear, kWrite, kCopy, kWrite}).front(), "WAW c1 c2");
  EXPECT_EQ(with({kClear, kWrite, kClear, 0}).front(), "WAW c1 c2");
  EXPECT_EQ(with({kAllStages, kAny, kAllStages, kAny}),
            Found{"too-wide c1: CLEAR(TRANSFER_WRITE)->CLEAR(TRANSFER_WRITE)"});
  // Another mip is another thing.
  EXPECT_EQ(found([&](SyncScene& s) {
              const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM, 2);
              s.clear(image, 0);
              s.barrier(image, {kClear, kWrite, kClear, kWrite}, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, 1);
              s.clear(image, 0);
            }).front(),
            "WAW c0 c2");
}

// "Image Layout Transitions": those of one queue execute in submission order. That orders nothing else.
TEST(Sync, HasTransitionsOfOneQueueInOrder) {
  const SyncScene::Scopes first{kClear, kWrite, kCopy, 0}, second{0, 0, kClear, kWrite};
  EXPECT_EQ(found([&](SyncScene& s) {
              const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM);
              s.clear(image);
              s.barrier(image, first, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
              s.barrier(image, second, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
              s.clear(image);
            }),
            Found{});
  EXPECT_EQ(found([&](SyncScene& s) {
              const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM);
              s.fill(s.a);
              s.barrier(image, first, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
              s.barrier(image, second, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
              s.fill(s.a);
            }).front(),
            "WAW c0 c3");
  SyncScene s;
  const VkImage image = s.image(0x401, VK_FORMAT_R8G8B8A8_UNORM);
  const VkQueue other = s.other_queue(0x31);
  const VkCommandBuffer more = s.command_buffer(0x21);
  s.go(s.commands);
  s.barrier(image, first, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  s.go(more);
  s.barrier(image, second, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
  s.submit(s.queue, s.commands, {});
  s.submit(other, more, {});
  EXPECT_EQ(s.findings().front(), "WAW c0 c1");
}

TEST(Sync, LooksAtEvents) {
  const auto with = [](const SyncScene::Scopes& scopes, bool late) {
    return found([&](SyncScene& s) {
      s.fill(s.a);
      s.barrier(scopes, kSet);
      if (late) s.fill(s.c);
      s.barrier(scopes, kWait);
      s.copy(late ? s.c : s.a, s.b);
    });
  };
  EXPECT_EQ(with({kClear, kWrite, kCopy, kRead}, false), Found{});
  EXPECT_EQ(with({kClear, 0, kCopy, kRead}, false).front(), "RAW c0 c3");
  // What comes between the signal and the wait is not ordered.
  EXPECT_EQ(with({kClear, kWrite, kCopy, kRead}, true).front(), "RAW c2 c4");
}

TEST(Sync, KeepsAWaitForAnEventThatTheHostSetsAfterTheSubmit) {
  SyncScene s;
  s.go(s.commands);
  s.barrier({VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT, kCopy, kRead}, kWait);
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.commands);
  s.host_write(s.mem, 0, 64);
  s.capture.call(CommandId::vkSetEvent, args_vkSetEvent{s.device, s.event}, s.kOk);
  s.wait_idle(s.queue);
  EXPECT_EQ(s.findings(), Found{});
}

TEST(Sync, OrdersSubmitsOfAQueueByBarriersAlone) {
  for (const bool has_barrier : {false, true}) {
    SyncScene s;
    const VkCommandBuffer second = s.command_buffer(0x21);
    s.go(s.commands);
    s.fill(s.a);
    s.go(second);
    if (has_barrier) s.barrier({kClear, kWrite, kCopy, kRead});
    s.copy(s.a, s.b);
    s.GraphScene::submit(s.commands);
    s.GraphScene::submit(second);
    EXPECT_EQ(s.findings(), has_barrier ? Found{} : Found{"RAW c0 c1"});
  }
}

// The barrier before the read makes the write available. To write over it later needs an order alone.
TEST(Sync, OrdersAWriteAfterAReadByExecutionAlone) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, kWrite, kCopy, kRead});
              s.copy(s.a, s.b);
              s.barrier({kCopy, 0, kClear, 0});
              s.fill(s.a);
            }),
            Found{});
  // Nobody has read it.
  EXPECT_EQ(found([](SyncScene& s) {
              s.fill(s.a);
              s.barrier({kClear, 0, kClear, 0});
              s.fill(s.a);
            }),
            (Found{"WAW c0 c2", "ineffective c1 WAW c0 c2"}));
}

// An access that reads does nothing in the first scope of a barrier, and makes it no wider.
TEST(Sync, CallsNothingTooWideForAReadBeforeIt) {
  EXPECT_EQ(found([](SyncScene& s) {
              s.copy(s.a, s.b);
              s.barrier({kCopy, kRead | kWrite, kClear, kWrite});
              s.fill(s.a);
              s.fill(s.b);
            }),
            Found{});
  EXPECT_EQ(found([](SyncScene& s) {
              s.copy(s.a, s.b);
              s.barrier({kCopy, kRead | kWrite, kClear, kWrite});
              s.fill(s.a);
            }),
            (Found{"too-wide c1: COPY(TRANSFER_READ)->CLEAR(TRANSFER_WRITE)"}));
}

TEST(Sync, OrdersQueuesBySemaphores) {
  const auto with = [](VkPipelineStageFlags2 signal, VkPipelineStageFlags2 wait, bool given) {
    SyncScene s;
    const VkQueue other = s.other_queue(0x31);
    const VkCommandBuffer second = s.command_buffer(0x21);
    const VkSemaphore semaphore = s.semaphore(0x601);
    s.go(s.commands);
    s.fill(s.a);
    s.go(second);
    s.copy(s.a, s.b);
    s.submit(s.queue, s.commands,
             given ? SyncScene::Given{.signal = semaphore, .signal_stages = signal} : SyncScene::Given{});
    s.submit(other, second, given ? SyncScene::Given{.wait = semaphore, .wait_stages = wait} : SyncScene::Given{});
    return s.findings();
  };
  EXPECT_EQ(with(0, 0, false), Found{"RAW c0 c1"});
  EXPECT_EQ(with(kAllStages, kAllStages, true), Found{});
  EXPECT_EQ(with(kClear, kCopy, true), Found{});
  const Found ineffective{"RAW c0 c1", "ineffective submit1 RAW c0 c1"};
  EXPECT_EQ(with(kAllStages, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, true), ineffective);
  EXPECT_EQ(with(kCompute, kAllStages, true), ineffective);
}

TEST(Sync, WaitsBeforeTheSignalOfATimeline) {
  SyncScene s;
  const VkQueue other = s.other_queue(0x31);
  const VkCommandBuffer second = s.command_buffer(0x21);
  const VkSemaphore semaphore = s.semaphore(0x601, true);
  s.go(s.commands);
  s.fill(s.a);
  s.go(second);
  s.copy(s.a, s.b);
  s.submit(other, second, {.wait = semaphore, .wait_value = 1});
  s.submit(s.queue, s.commands, {.signal = semaphore, .signal_value = 1});
  EXPECT_EQ(s.findings(), Found{});
}

TEST(Sync, HasABatchThatWaitsAfterTheFirstBatchOfALaterCall) {
  // The call has two batches. The first gives the signal for the held one, the second comes after both.
  SyncScene s;
  const VkQueue other = s.other_queue(0x31);
  const VkCommandBuffer second = s.command_buffer(0x21), third = s.command_buffer(0x22);
  const VkSemaphore semaphore = s.semaphore(0x601, true);
  s.go(s.commands);
  s.fill(s.a);
  s.go(second);
  s.copy(s.a, s.b);
  s.go(third);
  s.fill(s.c);
  s.submit(other, second, {.wait = semaphore, .wait_value = 1});
  VkSemaphoreSubmitInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, 1, kAllStages, 0};
  VkCommandBufferSubmitInfo commands[2]{{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, s.commands, 0},
                                        {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, third, 0}};
  VkSubmitInfo2 infos[2]{};
  for (int i = 0; i < 2; ++i) {
    infos[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    infos[i].commandBufferInfoCount = 1;
    infos[i].pCommandBufferInfos = &commands[i];
  }
  infos[0].signalSemaphoreInfoCount = 1;
  infos[0].pSignalSemaphoreInfos = &signal;
  s.capture.call(CommandId::vkQueueSubmit2, args_vkQueueSubmit2{s.queue, 2, infos, VK_NULL_HANDLE}, s.kOk);
  EXPECT_EQ(s.findings(), Found{});
}

TEST(Sync, OrdersTheHostByItsWaits) {
  for (const bool waits : {false, true}) {
    SyncScene s;
    s.go(s.commands);
    s.copy(s.a, s.b);
    s.host_write(s.mem, 0, 64);
    s.GraphScene::submit(s.commands);
    if (waits) s.wait_idle(s.queue);
    s.host_write(s.mem, 0, 64);
    EXPECT_EQ(s.findings(), waits ? Found{} : Found{"WAR c0 host"});
  }
  // What the host saw finished is visible to what it submits then. So one of both is enough: the barrier, as it costs
  // less.
  SyncScene s;
  const VkCommandBuffer second = s.command_buffer(0x21);
  s.go(s.commands);
  s.fill(s.a);
  s.go(second);
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.copy(s.a, s.b);
  s.GraphScene::submit(s.commands);
  s.wait_idle(s.queue);
  s.GraphScene::submit(second);
  EXPECT_EQ(s.findings(), Found{"superfluous vkQueueWaitIdle"});
}

TEST(Sync, CountsWhatHasOneCause) {
  SyncScene s;
  s.go(s.commands);
  s.fill(s.a);
  s.copy(s.a, s.b);
  for (int i = 0; i < 5; ++i) {
    s.GraphScene::submit(s.commands);
    s.wait_idle(s.queue);
  }
  EXPECT_EQ(s.findings(), Found{"RAW c0 c1 x5"});
}

}  // namespace
}  // namespace rondo
