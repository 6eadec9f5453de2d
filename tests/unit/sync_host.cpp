// SPDX-License-Identifier: Apache-2.0
// What `rondo sync` says of waits of the host, of semaphores, of objects that end while work uses them, and of queue
// families that own resources.
#include <functional>

#include "analyzers/analysis/need_orders.h"
#include "tests/unit/sync_scene.h"

namespace rondo {
namespace {

using test::handle;
using test::SyncScene;
using test::scene::kAllStages;
using test::scene::kAny;
using test::scene::kClear;
using test::scene::kCopy;
using test::scene::kRead;
using test::scene::kWrite;
using Found = std::vector<std::string>;

struct HostScene : SyncScene {
  void work(VkCommandBuffer into, VkBuffer target) {
    go(into);
    fill(target);
  }
  void give(VkCommandBuffer what) { submit(queue, what, {}); }
  void wait() { wait_idle(queue); }
  void map(VkDeviceMemory one) {
    void* at = nullptr;
    capture.call(CommandId::vkMapMemory, args_vkMapMemory{device, one, 0, VK_WHOLE_SIZE, 0, &at}, kOk);
  }
  void unmap(VkDeviceMemory one) { capture.call(CommandId::vkUnmapMemory, args_vkUnmapMemory{device, one}); }
  void destroy(VkBuffer one) { capture.call(CommandId::vkDestroyBuffer, args_vkDestroyBuffer{device, one, nullptr}); }
  void free(VkDeviceMemory one) { capture.call(CommandId::vkFreeMemory, args_vkFreeMemory{device, one, nullptr}); }
  void begin_with(VkCommandBuffer into, VkCommandBufferUsageFlags flags) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    info.flags = flags;
    capture.call(CommandId::vkBeginCommandBuffer, args_vkBeginCommandBuffer{into, &info}, kOk);
    to = into;
  }
  VkCommandBuffer second = command_buffer(0x21), third = command_buffer(0x22);
};

// --- Waits of the host ---

TEST(SyncHost, NothingNeedsAWaitAfterWhichNothingIsReadOrEnded) {
  HostScene s;
  const VkCommandBuffer all[]{s.commands, s.second, s.third};
  const VkBuffer targets[]{s.a, s.b, s.c};
  for (int i = 0; i < 3; ++i) s.work(all[i], targets[i]);
  for (const VkCommandBuffer one : all) {
    s.give(one);
    s.wait();
  }
  // The capture ends after the third.
  EXPECT_EQ(s.findings(), Found{"superfluous vkQueueWaitIdle x2"});
}

TEST(SyncHost, AWaitIsNeededBeforeWhatItsWorkUsesEnds) {
  using Then = std::function<void(HostScene&)>;
  const Then all[]{
      [](HostScene& s) { s.go(s.commands); },
      [](HostScene& s) {
        s.capture.call(CommandId::vkResetCommandBuffer, args_vkResetCommandBuffer{s.commands, 0}, s.kOk);
      },
      [](HostScene& s) { s.destroy(s.a); },
      [](HostScene& s) { s.free(s.mem); },
      [](HostScene& s) { s.give(s.commands); },
      [](HostScene& s) { s.host_write(s.mem, 0, 64); },
  };
  for (const Then& then : all)
    for (const bool waits : {false, true}) {
      HostScene s;
      s.work(s.commands, s.a);
      s.work(s.second, s.b);
      s.give(s.commands);
      if (waits) s.wait();
      then(s);
      s.give(s.second);
      s.wait();
      const std::vector<std::string> found = s.findings();
      EXPECT_EQ(found.empty(), waits) << (found.empty() ? "nothing" : found.front());
    }
}

TEST(SyncHost, NamesWhatEndsTooEarly) {
  HostScene s;
  s.work(s.commands, s.a);
  s.give(s.commands);
  s.destroy(s.a);
  EXPECT_EQ(s.findings(), Found{"LIFETIME c0 host"});
}

// What the host does with the fence keeps no wait: who leaves out the wait leaves out the fence, too.
TEST(SyncHost, AFenceMayEndWhenItsSubmitHas) {
  for (const bool resets : {false, true})
    for (const bool waits : {false, true}) {
      HostScene s;
      VkFence fence = handle<VkFence>(0x801);
      const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
      s.capture.call(CommandId::vkCreateFence, args_vkCreateFence{s.device, &info, nullptr, &fence}, s.kOk);
      s.work(s.commands, s.a);
      s.work(s.second, s.b);
      VkSubmitInfo submit{};
      submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
      submit.commandBufferCount = 1;
      submit.pCommandBuffers = &s.commands;
      s.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{s.queue, 1, &submit, fence}, s.kOk);
      if (waits)
        s.capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{s.device, 1, &fence, VK_TRUE, UINT64_MAX},
                       s.kOk);
      if (resets)
        s.capture.call(CommandId::vkResetFences, args_vkResetFences{s.device, 1, &fence}, s.kOk);
      else
        s.capture.call(CommandId::vkDestroyFence, args_vkDestroyFence{s.device, fence, nullptr});
      s.give(s.second);
      s.wait();
      EXPECT_EQ(s.findings(), waits ? Found{"superfluous vkWaitForFences"} : Found{"LIFETIME c0 host"}) << resets;
    }
}

// The batches have different commands, and the missing wait is the same.
TEST(SyncHost, WhatEndsByTheSameCallHasOneCause) {
  HostScene s;
  s.work(s.commands, s.a);
  s.give(s.commands);
  s.destroy(s.a);
  s.go(s.second);
  s.fill(s.b);
  s.copy(s.b, s.c);
  s.barrier({kClear | kCopy, kWrite, kCopy, kRead});
  s.give(s.second);
  s.destroy(s.b);
  const std::vector<std::string> found = s.findings();
  EXPECT_EQ(std::count(found.begin(), found.end(), "LIFETIME c0 host x2"), 1);
}

TEST(SyncHost, AnEarlierRecordingOfACommandBufferUsesNothingAnyMore) {
  HostScene s;
  s.work(s.commands, s.a);
  s.give(s.commands);
  s.wait();
  s.work(s.commands, s.b);
  s.give(s.commands);
  s.destroy(s.a);
  s.wait();
  EXPECT_EQ(s.findings(), Found{});
}

TEST(SyncHost, ACommandBufferMayRunTwiceAtOnceIfItSaysSo) {
  for (const bool says : {false, true}) {
    HostScene s;
    s.begin_with(s.commands, says ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT : 0);
    s.copy(s.a, s.b);
    s.barrier({kCopy, kWrite, kCopy, kWrite});
    s.give(s.commands);
    s.give(s.commands);
    s.wait();
    EXPECT_EQ(s.findings(), says ? Found{} : Found{"LIFETIME c0 submit1"});
  }
}

TEST(SyncHost, NobodyKnowsWhatTheHostReadsInMappedMemory) {
  for (const bool maps_before : {false, true})
    for (const bool maps_after : {false, true}) {
      HostScene s;
      s.work(s.commands, s.a);
      s.work(s.second, s.b);
      if (maps_before) {
        s.map(s.mem);
        s.unmap(s.mem);
      }
      s.give(s.commands);
      s.wait();
      if (maps_after) s.map(s.mem);
      s.give(s.second);
      s.wait();
      EXPECT_EQ(s.findings(), maps_after ? Found{} : Found{"superfluous vkQueueWaitIdle"});
    }
}

TEST(SyncHost, OfTwoWaitsForTheSameTheSecondGoes) {
  HostScene s;
  VkFence fence = handle<VkFence>(0x801);
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
  s.capture.call(CommandId::vkCreateFence, args_vkCreateFence{s.device, &info, nullptr, &fence}, s.kOk);
  s.work(s.commands, s.a);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &s.commands;
  s.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{s.queue, 1, &submit, fence}, s.kOk);
  std::uint64_t records[2]{};
  for (std::uint64_t& one : records) {
    s.capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{s.device, 1, &fence, VK_TRUE, UINT64_MAX}, s.kOk);
    one = s.capture.last_number();
  }
  // Before it ends, a program may wait for all again: that costs nothing.
  s.wait();
  s.capture.finish();
  const auto analysis = analyzers::SyncAnalysis::of(s.file.path());
  ASSERT_TRUE(analysis) << analysis.error().message;
  std::vector<std::uint64_t> superfluous;
  for (const analyzers::SyncFinding& one : analysis->findings().all)
    if (one.rule < analyzers::SyncRule::needed) superfluous.push_back(analysis->sync(one.sync).record);
  EXPECT_EQ(superfluous, std::vector<std::uint64_t>{records[1]});
}

// Without the wait the poll could find the fence unsignalled. So it does not stand for the wait.
TEST(SyncHost, APollAfterAWaitDoesNotReplaceTheWait) {
  for (const bool waits : {false, true}) {
    HostScene s;
    VkFence fence = handle<VkFence>(0x801);
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    s.capture.call(CommandId::vkCreateFence, args_vkCreateFence{s.device, &info, nullptr, &fence}, s.kOk);
    s.work(s.commands, s.a);
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &s.commands;
    s.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{s.queue, 1, &submit, fence}, s.kOk);
    if (waits)
      s.capture.call(CommandId::vkWaitForFences, args_vkWaitForFences{s.device, 1, &fence, VK_TRUE, UINT64_MAX}, s.kOk);
    s.capture.call(CommandId::vkGetFenceStatus, args_vkGetFenceStatus{s.device, fence}, s.kOk);
    s.destroy(s.a);
    s.capture.finish();
    const auto analysis = analyzers::SyncAnalysis::of(s.file.path());
    ASSERT_TRUE(analysis) << analysis.error().message;
    EXPECT_EQ(analysis->findings().needed, waits ? 1u : 0u);
    EXPECT_EQ(analysis->findings().superfluous, 0u);
    for (const analyzers::SyncFinding& one : analysis->findings().all) EXPECT_GE(one.rule, analyzers::SyncRule::needed);
  }
}

// What the device writes to mapped memory may be recorded as a write of the host.
TEST(SyncHost, AnAmbiguousWriteOfTheHostMayBeTheDevices) {
  for (const bool is_ambiguous : {false, true})
    for (const bool device_writes : {false, true}) {
      HostScene s;
      s.go(s.commands);
      if (device_writes)
        s.fill(s.a);
      else
        s.copy(s.a, s.b);
      s.give(s.commands);
      const std::vector<std::byte> bytes(64);
      const RondoRange range{0, 64};  // of s.a
      s.capture.call(CommandId::rondoHostWrite,
                     args_rondoHostWrite{s.device, s.mem, 1, &range, bytes.size(), bytes.data()},
                     {.flags = static_cast<std::uint16_t>(is_ambiguous ? kRecordAmbiguous : 0)});
      s.capture.finish();
      const auto analysis = analyzers::SyncAnalysis::of(s.file.path());
      ASSERT_TRUE(analysis) << analysis.error().message;
      ASSERT_EQ(analysis->findings().all.size(), 1u);
      const analyzers::SyncFinding& one = analysis->findings().all[0];
      EXPECT_EQ(one.rule, is_ambiguous && device_writes ? analyzers::SyncRule::ambiguous : analyzers::SyncRule::race);
      EXPECT_EQ(analyzers::kinds_text(one.race.hazards), device_writes ? "WAW" : "WAR");
    }
}
// Of each need of the items of a capture, what orders it.
struct NeedStates final : analyzers::GraphVisitor {
  NeedStates(analyzers::NeedOrders& all, const analyzers::GraphWalk& from) : orders(all), walk(from) {}
  bool item(const graph::Item& item, std::span<const graph::ItemNeed> needs, std::span<const graph::Piece>) override {
    for (const analyzers::NeedOrder& one : orders.take(needs, names, walk.spaces())) states.push_back(one.state);
    names.add(item, true);
    return true;
  }
  analyzers::NeedOrders& orders;
  const analyzers::GraphWalk& walk;
  analyzers::ItemNames names;
  std::vector<analyzers::NeedState> states;
};
TEST(SyncHost, OrdersOfNeedsKnowAmbiguousWritesOfTheHost) {
  for (const bool is_ambiguous : {false, true}) {
    HostScene s;
    s.work(s.commands, s.a);
    s.give(s.commands);
    const std::vector<std::byte> bytes(64);
    const RondoRange range{0, 64};
    s.capture.call(CommandId::rondoHostWrite,
                   args_rondoHostWrite{s.device, s.mem, 1, &range, bytes.size(), bytes.data()},
                   {.flags = static_cast<std::uint16_t>(is_ambiguous ? kRecordAmbiguous : 0)});
    s.capture.finish();
    auto orders = analyzers::NeedOrders::of(s.file.path());
    auto walk = analyzers::GraphWalk::open(s.file.path());
    ASSERT_TRUE(orders && walk);
    NeedStates found(*orders, *walk);
    ASSERT_TRUE(walk->run(found, &orders->questions()));
    const analyzers::NeedState state = is_ambiguous ? analyzers::NeedState::unknown : analyzers::NeedState::race;
    EXPECT_EQ(found.states, std::vector<analyzers::NeedState>{state});
    EXPECT_EQ(orders->races(), is_ambiguous ? 0u : 1u);
  }
}
TEST(SyncHost, ABatchThatReadsWhatItWroteIsNoRaceWithAnAmbiguousWrite) {
  HostScene s;
  s.go(s.commands);
  s.fill(s.a);
  s.barrier({kClear, kWrite, kCopy, kRead});
  s.copy(s.a, s.b);
  s.give(s.commands);
  const std::vector<std::byte> bytes(64);
  const RondoRange range{0, 64};
  s.capture.call(CommandId::rondoHostWrite, args_rondoHostWrite{s.device, s.mem, 1, &range, bytes.size(), bytes.data()},
                 {.flags = kRecordAmbiguous});
  EXPECT_EQ(s.findings(), Found{});
}

// --- Semaphores ---

TEST(SyncHost, ASemaphoreThatNothingNeeds) {
  for (const bool depends : {false, true})
    for (const bool is_timeline : {false, true}) {
      HostScene s;
      const VkQueue other = s.other_queue(0x31);
      const VkSemaphore semaphore = s.semaphore(0x601, is_timeline);
      s.work(s.commands, s.a);
      s.go(s.second);
      s.copy(depends ? s.a : s.b, s.c);
      s.submit(s.queue, s.commands, {.signal = semaphore, .signal_value = 1});
      s.submit(other, s.second, {.wait = semaphore, .wait_value = 1});
      EXPECT_EQ(s.findings(), depends ? Found{} : Found{"superfluous submit1"});
    }
}

TEST(SyncHost, ABarrierWouldDoWhatASemaphoreOfOneQueueDoes) {
  for (const bool asked : {false, true}) {
    HostScene s;
    s.with_replaceable = asked;
    const VkSemaphore semaphore = s.semaphore(0x601);
    s.work(s.commands, s.a);
    s.go(s.second);
    s.copy(s.a, s.b);
    s.submit(s.queue, s.commands, {.signal = semaphore});
    s.submit(s.queue, s.second, {.wait = semaphore});
    EXPECT_EQ(s.findings(), asked ? Found{"replaceable submit1"} : Found{});
  }
}

TEST(SyncHost, ASemaphoreThatIsSignalledTooEarlyIsMeantForTheRace) {
  HostScene s;
  const VkQueue other = s.other_queue(0x31);
  const VkSemaphore semaphore = s.semaphore(0x601);
  s.go(s.commands);
  s.work(s.second, s.a);
  s.go(s.third);
  s.copy(s.a, s.b);
  s.submit(s.queue, s.commands, {.signal = semaphore});
  s.submit(s.queue, s.second, {});
  s.submit(other, s.third, {.wait = semaphore});
  EXPECT_EQ(s.findings(), (Found{"RAW c0 c1", "ineffective submit2 RAW c0 c1"}));
}

// --- Owners ---

struct OwnerScene : HostScene {
  // A barrier of buffer a that says both families.
  void transfer(std::uint32_t from, std::uint32_t into, const Scopes& s) {
    const VkBufferMemoryBarrier2 one{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                     nullptr,
                                     s.from,
                                     s.from_access,
                                     s.to,
                                     s.to_access,
                                     from,
                                     into,
                                     a,
                                     0,
                                     VK_WHOLE_SIZE};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.bufferMemoryBarrierCount = 1;
    info.pBufferMemoryBarriers = &one;
    dependency(CommandId::vkCmdPipelineBarrier2, info);
  }
  const VkQueue first = other_queue(0x31, 1), other = other_queue(0x32, 2);
};

TEST(SyncHost, AnotherFamilyMustAcquireWhatItReads) {
  struct Case {
    std::uint32_t release, acquire;  // the family that it goes to; 0: there is no such barrier
    const char* found;
  };
  // c0 fills; then the release, the acquire, and the copy, as far as they are there.
  const Case all[]{
      {2, 2, nullptr}, {0, 0, "OWNER c0 c1"}, {2, 0, "OWNER c1 c2"}, {0, 2, "OWNER c0 c1"}, {3, 2, "OWNER c1 c2"}};
  for (const Case& one : all) {
    OwnerScene s;
    const VkSemaphore semaphore = s.semaphore(0x601);
    s.work(s.commands, s.a);
    if (one.release != 0) s.transfer(1, one.release, {kClear, kWrite, 0, 0});
    s.go(s.second);
    if (one.acquire != 0) s.transfer(1, one.acquire, {kCopy, 0, kCopy, kRead});
    s.copy(s.a, s.b);
    s.submit(s.first, s.commands, {.signal = semaphore});
    s.submit(s.other, s.second, {.wait = semaphore});
    std::vector<std::string> races;
    for (const std::string& found : s.findings())
      if (found.find("OWNER") != std::string::npos) races.push_back(found);
    EXPECT_EQ(races, one.found != nullptr ? Found{one.found} : Found{}) << one.release << " " << one.acquire;
  }
}

TEST(SyncHost, WhatIsOverwrittenNeedsNoOwner) {
  OwnerScene s;
  const VkSemaphore semaphore = s.semaphore(0x601);
  s.work(s.commands, s.a);
  s.work(s.second, s.a);
  s.submit(s.first, s.commands, {.signal = semaphore});
  s.submit(s.other, s.second, {.wait = semaphore});
  EXPECT_EQ(s.findings(), Found{});
}

}  // namespace
}  // namespace rondo
