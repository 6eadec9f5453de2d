// SPDX-License-Identifier: Apache-2.0
// Items of work and what they need, of captures written by hand.
#include "tests/unit/graph_scene.h"

namespace rondo {
namespace {

using graph::ItemKind;
using test::GraphScene;
using test::handle;
using test::KeptGraph;
using Said = std::vector<std::string>;

const test::Call kOk{.result = VK_SUCCESS};

TEST(GraphOfWork, NeedsWhatItReadsAndWrites) {
  GraphScene scene;
  const VkBuffer a = scene.buffer(0x100, 64), b = scene.buffer(0x101, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, a, 0, 16);
  scene.copy(scene.commands, a, b, {8, 0, 16});
  scene.fill(scene.commands, a, 16, 16);
  scene.fill(scene.commands, b, 32, 4);
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 4u);
    EXPECT_EQ(graph.needs_of[0], Said{});
    EXPECT_EQ(graph.needs_of[1], Said{"0 RAW VkBuffer#0 8:16"});
    EXPECT_EQ(graph.needs_of[2], Said{"1 WAR VkBuffer#0 16:24"});
    EXPECT_EQ(graph.needs_of[3], Said{});
    EXPECT_EQ(graph.items[2].kind, ItemKind::work);
  });
}

// Two buffers of the same bytes, and a host write, which names the memory.
TEST(GraphOfWork, MeetsInMemory) {
  GraphScene scene;
  const VkDeviceMemory memory = scene.memory(0x200, 4096);
  const VkBuffer a = scene.buffer(0x100, 64), b = scene.buffer(0x101, 64);
  scene.bind(a, memory, 0);
  scene.bind(b, memory, 32);
  scene.host_write(memory, 0, 8);
  scene.begin(scene.commands);
  scene.fill(scene.commands, a, 0, 64);
  scene.fill(scene.commands, b, 16, 4);
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 3u);
    EXPECT_EQ(graph.items[0].kind, ItemKind::host);
    EXPECT_EQ(graph.needs_of[1], Said{"0 WAW VkBuffer#0 0:8"});
    EXPECT_EQ(graph.needs_of[2], Said{"1 WAW VkDeviceMemory#0 48:52 (VkBuffer#0, VkBuffer#1)"});
  });
}

TEST(GraphOfWork, TellsSubresourcesApart) {
  GraphScene scene;
  const VkImage image = scene.image(0x300, VK_FORMAT_R8G8B8A8_UNORM, 4);
  scene.begin(scene.commands);
  scene.transition(scene.commands, image, 0, 4, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  scene.clear(scene.commands, image, 1);
  scene.clear(scene.commands, image, 3);
  scene.clear(scene.commands, image, 1);
  // It has no effect.
  scene.transition(scene.commands, image, 0, 4, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 4u);
    EXPECT_EQ(graph.items[0].kind, ItemKind::transition);
    EXPECT_EQ(graph.needs_of[1], Said{"0 layout VkImage#0 COLOR mips 1:2 layers 0:1"});
    EXPECT_EQ(graph.needs_of[2], Said{"0 layout VkImage#0 COLOR mips 3:4 layers 0:1"});
    EXPECT_EQ(graph.needs_of[3], Said{"1 WAW VkImage#0 COLOR mips 1:2 layers 0:1"});
  });
}

// Only the driver knows which bytes of an image's memory a subresource has.
TEST(GraphOfWork, MayMeetWhatSharesTheMemoryOfAnImage) {
  GraphScene scene;
  const VkDeviceMemory memory = scene.memory(0x200, 65536);
  const VkImage image = scene.image(0x300, VK_FORMAT_R8G8B8A8_UNORM, 2);
  const VkBuffer before = scene.buffer(0x100, 64), within = scene.buffer(0x101, 64);
  scene.bind(image, memory, 1024);
  scene.bind(before, memory, 0);
  scene.bind(within, memory, 2048);
  scene.begin(scene.commands);
  scene.clear(scene.commands, image, 0);
  scene.fill(scene.commands, before, 0, 64);
  scene.fill(scene.commands, within, 0, 64);
  scene.clear(scene.commands, image, 1);
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 4u);
    EXPECT_EQ(graph.needs_of[1], Said{});
    EXPECT_EQ(graph.needs_of[2], Said{"maybe 0 WAW VkImage#0, or what shares its memory"});
    EXPECT_EQ(graph.needs_of[3], Said{"maybe 2 WAW VkImage#0, or what shares its memory"});
  });
}

TEST(GraphOfWork, IsInTheOrderOfExecution) {
  GraphScene scene;
  const VkBuffer a = scene.buffer(0x100, 64);
  const VkCommandBuffer first = scene.command_buffer(0x21), second = scene.command_buffer(0x22);
  scene.begin(first);
  scene.fill(first, a, 0, 32);
  scene.begin(second);
  scene.fill(second, a, 16, 32);
  const std::uint64_t handles[] = {0x30, 0x31};
  for (const std::uint64_t one : handles) {
    VkQueue got = handle<VkQueue>(one);
    scene.capture.call(CommandId::vkGetDeviceQueue,
                       args_vkGetDeviceQueue{scene.device, 0, static_cast<std::uint32_t>(one - 0x30), &got});
  }
  // The first waits for a signal that comes after the second.
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo make{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore semaphore = handle<VkSemaphore>(0x600);
  scene.capture.call(CommandId::vkCreateSemaphore, args_vkCreateSemaphore{scene.device, &make, nullptr, &semaphore},
                     kOk);
  const std::uint64_t value = 1;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &semaphore;
  info.pWaitDstStageMask = &stages;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &first;
  scene.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{handle<VkQueue>(0x31), 1, &info, VK_NULL_HANDLE},
                     kOk);
  scene.submit(second);
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore, value};
  scene.capture.call(CommandId::vkSignalSemaphore, args_vkSignalSemaphore{scene.device, &signal}, kOk);
  // Nothing lets this one begin.
  info.pWaitSemaphores = &semaphore;
  const std::uint64_t never = 9;
  values.pWaitSemaphoreValues = &never;
  scene.capture.call(CommandId::vkQueueSubmit, args_vkQueueSubmit{scene.queue, 1, &info, VK_NULL_HANDLE}, kOk);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 3u);
    EXPECT_EQ(graph.items[0].work.submit, 1u);
    EXPECT_EQ(graph.items[1].work.submit, 0u);
    EXPECT_EQ(graph.needs_of[1], Said{"0 WAW VkBuffer#0 16:32"});
    // It submits commands again that may not execute twice at the same time.
    EXPECT_EQ(graph.items[2].kind, graph::ItemKind::lifetime);
    EXPECT_EQ(graph.items[2].work.command, CommandId::vkQueueSubmit);
    EXPECT_EQ(graph.needs_of[2], Said{"1 LIFETIME VkCommandBuffer#1"});
    EXPECT_EQ(graph.totals.never_began, 1u);
  });
}

TEST(GraphOfWork, HasQueriesAndWhatReadsThem) {
  GraphScene scene;
  const VkBuffer results = scene.buffer(0x100, 64);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 4;
  VkQueryPool pool = handle<VkQueryPool>(0x700);
  scene.capture.call(CommandId::vkCreateQueryPool, args_vkCreateQueryPool{scene.device, &info, nullptr, &pool}, kOk);
  scene.begin(scene.commands);
  scene.capture.call(CommandId::vkCmdResetQueryPool, args_vkCmdResetQueryPool{scene.commands, pool, 0, 4});
  for (const std::uint32_t query : {1u, 2u})
    scene.capture.call(CommandId::vkCmdWriteTimestamp,
                       args_vkCmdWriteTimestamp{scene.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query});
  scene.capture.call(CommandId::vkCmdCopyQueryPoolResults,
                     args_vkCmdCopyQueryPoolResults{scene.commands, pool, 2, 1, results, 0, 8, 0});
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 4u);
    EXPECT_EQ(graph.needs_of[1], Said{"0 query VkQueryPool#0 queries 1:2"});
    EXPECT_EQ(graph.needs_of[2], Said{"0 query VkQueryPool#0 queries 2:3"});
    EXPECT_EQ(graph.needs_of[3], Said{"2 query VkQueryPool#0 queries 2:3"});
  });
}

TEST(GraphOfWork, NumbersTheVersionsOfAResource) {
  GraphScene scene;
  const VkDeviceMemory memory = scene.memory(0x200, 4096);
  const VkBuffer a = scene.buffer(0x100, 64), b = scene.buffer(0x101, 64);
  scene.bind(a, memory, 0);
  scene.bind(b, memory, 32);
  scene.begin(scene.commands);
  scene.fill(scene.commands, a, 0, 16);
  scene.copy(scene.commands, a, b, {8, 16, 16});
  scene.fill(scene.commands, a, 8, 4);
  // The other buffer, whose first bytes are the last ones of this.
  scene.fill(scene.commands, b, 0, 8);
  scene.copy(scene.commands, a, b, {0, 32, 40});
  scene.submit(scene.commands);
  EXPECT_EQ(scene.uses("VkBuffer#0"), (Said{"0 writes 1 0:16", "1 reads 0,1 8:24", "1 writes 2 48:64",
                                            "2 writes 3 8:12", "3 writes 4 32:40", "4 reads 0,1,3,4 0:40"}));
}

// A render pass that loads an attachment and draws to it reads the same part in two ways.
TEST(GraphOfWork, NamesEachPartOfAUseOnce) {
  analyzers::ResourceUse use;
  use.pieces = {
      {0, 200, 210, false, true}, {0, 0, 64, true, false}, {0, 32, 128, true, true}, {0, 32, 128, true, true}};
  const auto ranges = [&](bool writes) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const graph::Piece& one : use.parts(writes)) all.emplace_back(one.begin, one.end);
    return all;
  };
  using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(ranges(false), (Ranges{{0, 128}}));
  EXPECT_EQ(ranges(true), (Ranges{{32, 128}, {200, 210}}));
}

TEST(GraphOfWork, NamesAPartOfAResource) {
  GraphScene scene;
  const VkBuffer a = scene.buffer(0x100, 64);
  scene.begin(scene.commands);
  scene.fill(scene.commands, a, 0, 16);
  scene.fill(scene.commands, a, 32, 16);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.uses("VkBuffer#0[40:60]"), Said{"1 writes 1 40:48"});
}

TEST(GraphOfWork, NamesSubresourcesAndWhatSharesTheirMemory) {
  GraphScene scene;
  const VkDeviceMemory memory = scene.memory(0x200, 65536);
  const VkImage image = scene.image(0x300, VK_FORMAT_R8G8B8A8_UNORM, 3);
  const VkBuffer within = scene.buffer(0x101, 64);
  scene.bind(image, memory, 0);
  scene.bind(within, memory, 2048);
  scene.begin(scene.commands);
  scene.clear(scene.commands, image, 0);
  scene.clear(scene.commands, image, 2);
  scene.fill(scene.commands, within, 0, 64);
  scene.submit(scene.commands);
  EXPECT_EQ(scene.uses("VkImage#0[mips 2:3]"), (Said{"1 writes 1 COLOR mips 2:3 layers 0:1", "2 may touch"}));
  for (const char* wrong : {"VkImage#0[mips 2]x]", "VkBuffer#0[5:3]", "VkImage#0[]", "VkImage#0[layers 0:1 mips 0:1]"})
    EXPECT_FALSE(analyzers::ResourceWanted::parse(wrong)) << wrong;
}

// Very many readers are named once.
TEST(GraphOfWork, JoinsManyReaders) {
  GraphScene scene;
  const VkBuffer from = scene.buffer(0x100, 1024), to = scene.buffer(0x101, 65536);
  scene.begin(scene.commands);
  for (std::uint32_t i = 0; i < 1000; ++i) scene.copy(scene.commands, from, to, {0, 4 * i, 4});
  for (std::uint32_t i = 0; i < 4; ++i) scene.fill(scene.commands, from, 4 * (i % 2), 4);
  scene.submit(scene.commands);
  scene.look([](const KeptGraph& graph) {
    ASSERT_EQ(graph.items.size(), 1004u);
    EXPECT_EQ(graph.direct.at(1000)[0].size(), 1000u);
    EXPECT_EQ(graph.direct.count(1001), 0u);
    EXPECT_LT(graph.totals.needs, 100u);
  });
}

}  // namespace
}  // namespace rondo
