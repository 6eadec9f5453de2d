// SPDX-License-Identifier: Apache-2.0
// What single commands do: transfers, barriers, events, queries, and recordings that are reset.
#include "model/effects/all.h"
#include "tests/unit/effects_scene.h"

namespace rondo::model {
namespace {

using test::handle;
using test::Value;
using test::value_of;

TEST(EffectsTable, HasAHandlerOrAReasonForEveryCommandOfCommandBuffers) {
  int known = 0;
  for (const codec::CommandInfo& command : codec::commands()) {
    if (!command.records_into_command_buffer || command.kind == codec::CommandClass::unsupported) continue;
    ++known;
    EXPECT_TRUE(model::Effects::kinds_of(command.canonical) != 0 ||
                model::Effects::no_effect_because(command) != nullptr)
        << command.name << ": what does it do? (docs/architecture.md, \"What a command means\")";
  }
  EXPECT_GT(known, 150);
  // Commands that nobody describes have neither.
  for (const CommandId id : {CommandId::vkCmdCopyMemoryIndirectNV, CommandId::vkCmdDecompressMemoryNV}) {
    EXPECT_EQ(model::Effects::kinds_of(id), 0u) << codec::info(id).name;
    EXPECT_EQ(model::Effects::no_effect_because(codec::info(id)), nullptr) << codec::info(id).name;
  }
}

class SharedEffectsTest : public test::EffectsScene {};

TEST_F(SharedEffectsTest, OfACopyAreTheSameInBothForms) {
  const VkBuffer from = buffer(0x100, 64), to = buffer(0x101, 32);
  const VkBufferCopy region{8, 4, 16};
  call(CommandId::vkCmdCopyBuffer, args_vkCmdCopyBuffer{commands, from, to, 1, &region});
  const auto first = touches;
  VkBufferCopy2 region2{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 8, 4, 16};
  const VkCopyBufferInfo2 info{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, nullptr, from, to, 1, &region2};
  call(CommandId::vkCmdCopyBuffer2, args_vkCmdCopyBuffer2{commands, &info});
  for (const auto& all : {first, touches}) {
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].object, value_of(from));
    EXPECT_EQ(all[0].offset, 8u);
    EXPECT_EQ(all[0].size, 16u);
    EXPECT_EQ(all[0].access, VK_ACCESS_2_TRANSFER_READ_BIT);
    EXPECT_EQ(all[0].stages, VK_PIPELINE_STAGE_2_COPY_BIT);
    EXPECT_FALSE(all[0].overwrites);
    EXPECT_EQ(all[1].object, value_of(to));
    EXPECT_EQ(all[1].offset, 4u);
    EXPECT_EQ(all[1].access, VK_ACCESS_2_TRANSFER_WRITE_BIT);
    EXPECT_TRUE(all[1].overwrites);
  }
}

TEST_F(SharedEffectsTest, StayWithinTheBuffer) {
  const VkBuffer to = buffer(0x100, 64);
  call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{commands, to, 8, VK_WHOLE_SIZE, 0});
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].size, 56u);
  call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{commands, to, 64, 4, 0});
  EXPECT_TRUE(touches.empty());
  call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{commands, handle<VkBuffer>(0x999), 0, 4, 0});
  EXPECT_TRUE(touches.empty());
}

TEST_F(SharedEffectsTest, OfCallsThatFailedAreNone) {
  succeeds = false;
  const VkBuffer one = buffer(0x100, 64);
  succeeds = true;
  call(CommandId::vkCmdFillBuffer, args_vkCmdFillBuffer{commands, one, 0, 4, 0});
  EXPECT_TRUE(touches.empty());
}

TEST_F(SharedEffectsTest, OfBarriersAreTheSameInBothForms) {
  const VkBuffer bytes = buffer(0x100, 64);
  const VkImage texels = image(0x200, VK_FORMAT_R8G8B8A8_UNORM);
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT,
                            VK_ACCESS_SHADER_READ_BIT};
  const VkBufferMemoryBarrier of_buffer{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                        nullptr,
                                        VK_ACCESS_TRANSFER_WRITE_BIT,
                                        VK_ACCESS_INDEX_READ_BIT,
                                        1,
                                        2,
                                        bytes,
                                        4,
                                        8};
  const VkImageMemoryBarrier of_image{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                      nullptr,
                                      0,
                                      VK_ACCESS_TRANSFER_WRITE_BIT,
                                      VK_IMAGE_LAYOUT_UNDEFINED,
                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                      VK_QUEUE_FAMILY_IGNORED,
                                      VK_QUEUE_FAMILY_IGNORED,
                                      texels,
                                      range};
  call(CommandId::vkCmdPipelineBarrier,
       args_vkCmdPipelineBarrier{commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_DEPENDENCY_BY_REGION_BIT, 1, &all, 1, &of_buffer, 1, &of_image});
  ASSERT_EQ(barriers.size(), 3u);
  EXPECT_EQ(barriers[0].kind, BarrierOf<Value>::Kind::memory);
  EXPECT_EQ(barriers[0].src_access, VK_ACCESS_2_SHADER_WRITE_BIT);
  for (const auto& one : barriers) {
    EXPECT_EQ(one.of, BarrierOf<Value>::Of::pipeline_barrier);
    EXPECT_EQ(one.src_stages, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
    EXPECT_EQ(one.dst_stages, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
    EXPECT_EQ(one.flags, VkDependencyFlags{VK_DEPENDENCY_BY_REGION_BIT});
  }
  EXPECT_EQ(barriers[1].resource, value_of(bytes));
  EXPECT_EQ(barriers[1].offset, 4u);
  EXPECT_EQ(barriers[1].size, 8u);
  EXPECT_EQ(barriers[1].src_family, 1u);
  EXPECT_EQ(barriers[2].resource, value_of(texels));
  EXPECT_EQ(barriers[2].range.levelCount, VK_REMAINING_MIP_LEVELS);  // as the call says it
  EXPECT_EQ(barriers[2].new_layout, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  ASSERT_EQ(transitions.size(), 2u);
  EXPECT_EQ(transitions[0].resource, value_of(texels));
  EXPECT_EQ(transitions[0].says, &of_image.oldLayout);
  EXPECT_EQ(transitions[1].resource, value_of(bytes));
  EXPECT_FALSE(transitions[1].is_image);
  EXPECT_EQ(transitions[1].target, 2u);
  ASSERT_EQ(touches.size(), 1u);  // what is UNDEFINED is forgotten
  EXPECT_TRUE(touches[0].forgets);
  EXPECT_EQ(touches[0].part.levelCount, 1u);

  const VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,     nullptr,
                                VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                                VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,   VK_ACCESS_2_SHADER_READ_BIT};
  VkDependencyInfo info{};
  info.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
  info.memoryBarrierCount = 1;
  info.pMemoryBarriers = &memory;
  const BarrierOf<Value> before = barriers[0];
  call(CommandId::vkCmdPipelineBarrier2, args_vkCmdPipelineBarrier2{commands, &info});
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].src_stages, before.src_stages);
  EXPECT_EQ(barriers[0].dst_stages, before.dst_stages);
  EXPECT_EQ(barriers[0].src_access, before.src_access);
  EXPECT_EQ(barriers[0].dst_access, before.dst_access);
  EXPECT_EQ(barriers[0].flags, before.flags);
}

TEST_F(SharedEffectsTest, OfOneImageBarrierOfManyKnowWhereTheirLayoutStands) {
  std::vector<VkImageMemoryBarrier> all(5);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].image = image(0x200 + i, VK_FORMAT_R8_UNORM);
    all[i].oldLayout = VK_IMAGE_LAYOUT_PREINITIALIZED;
    all[i].newLayout = VK_IMAGE_LAYOUT_GENERAL;
    all[i].subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  }
  const VkBufferMemoryBarrier buffers[2] = {};
  call(CommandId::vkCmdPipelineBarrier,
       args_vkCmdPipelineBarrier{commands, 1, 1, 0, 0, nullptr, 2, buffers, 5, all.data()});
  ASSERT_EQ(transitions.size(), 5u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(transitions[i].resource, value_of(all[i].image));
    EXPECT_EQ(transitions[i].says, &all[i].oldLayout);
  }
}

TEST_F(SharedEffectsTest, OfEventsSayWhatHappensToThem) {
  using Kind = EventUseOf<Value>::Kind;
  const VkEvent one = handle<VkEvent>(0x300), two = handle<VkEvent>(0x301);
  call(CommandId::vkCmdSetEvent, args_vkCmdSetEvent{commands, one, VK_PIPELINE_STAGE_TRANSFER_BIT});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::set);
  EXPECT_EQ(events[0].event, value_of(one));
  EXPECT_EQ(events[0].stages, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
  call(CommandId::vkCmdResetEvent, args_vkCmdResetEvent{commands, two, VK_PIPELINE_STAGE_HOST_BIT});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Kind::reset);
  EXPECT_EQ(events[0].event, value_of(two));
  const VkEvent both[] = {one, two};
  const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, 1, 2};
  call(CommandId::vkCmdWaitEvents,
       args_vkCmdWaitEvents{commands, 2, both, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 1, &memory,
                            0, nullptr, 0, nullptr});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].kind, Kind::wait);
  EXPECT_EQ(events[1].event, value_of(two));
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].of, BarrierOf<Value>::Of::event);
  EXPECT_EQ(barriers[0].dst_stages, VK_PIPELINE_STAGE_2_HOST_BIT);
  // By the host, at once.
  call(CommandId::vkSetEvent, args_vkSetEvent{device_, one});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].stages, VK_PIPELINE_STAGE_2_HOST_BIT);
}

TEST_F(SharedEffectsTest, OfQueriesSayWhichOnesAndHow) {
  using Kind = QueryUseOf<Value>::Kind;
  const VkQueryPool pool = handle<VkQueryPool>(0x400);
  const VkBuffer results = buffer(0x100, 64);
  const auto is = [&](Kind kind, std::uint32_t first, std::uint32_t count) {
    ASSERT_EQ(queries.size(), 1u);
    EXPECT_EQ(queries[0].kind, kind);
    EXPECT_EQ(queries[0].pool, value_of(pool));
    EXPECT_EQ(queries[0].first, first);
    EXPECT_EQ(queries[0].count, count);
  };
  call(CommandId::vkCmdResetQueryPool, args_vkCmdResetQueryPool{commands, pool, 2, 3});
  is(Kind::reset, 2, 3);
  call(CommandId::vkCmdBeginQuery, args_vkCmdBeginQuery{commands, pool, 2, 0});
  is(Kind::begin, 2, 1);
  call(CommandId::vkCmdEndQuery, args_vkCmdEndQuery{commands, pool, 2});
  is(Kind::end, 2, 1);
  call(CommandId::vkCmdWriteTimestamp,
       args_vkCmdWriteTimestamp{commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 4});
  is(Kind::write, 4, 1);
  call(CommandId::vkCmdCopyQueryPoolResults, args_vkCmdCopyQueryPoolResults{commands, pool, 2, 3, results, 8, 8, 0});
  is(Kind::read, 2, 3);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].offset, 8u);
  call(CommandId::vkResetQueryPool, args_vkResetQueryPool{device_, pool, 0, 9});
  is(Kind::reset, 0, 9);
  EXPECT_EQ(queries[0].stages, VK_PIPELINE_STAGE_2_HOST_BIT);
}

TEST_F(SharedEffectsTest, OfCopiedResultsEndWithTheLastOne) {
  const VkQueryPool pool = handle<VkQueryPool>(0x400);
  const VkBuffer results = buffer(0x100, 1000);
  const auto bytes = [&](VkQueryType type, VkQueryPipelineStatisticFlags statistics, std::uint32_t count,
                         VkDeviceSize stride, VkQueryResultFlags flags) -> std::uint64_t {
    VkQueryPoolCreateInfo info{};
    info.queryType = type;
    info.pipelineStatistics = statistics;
    call(CommandId::vkCreateQueryPool, args_vkCreateQueryPool{device_, &info, nullptr, nullptr}, value_of(pool));
    call(CommandId::vkCmdCopyQueryPoolResults,
         args_vkCmdCopyQueryPoolResults{commands, pool, 0, count, results, 100, stride, flags});
    return touches.empty() ? 0 : touches[0].size;
  };
  EXPECT_EQ(bytes(VK_QUERY_TYPE_TIMESTAMP, 0, 1, 8, VK_QUERY_RESULT_64_BIT), 8u);
  EXPECT_EQ(bytes(VK_QUERY_TYPE_OCCLUSION, 0, 3, 16, 0), 36u);
  EXPECT_EQ(bytes(VK_QUERY_TYPE_OCCLUSION, 0, 3, 16, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT), 40u);
  EXPECT_EQ(bytes(VK_QUERY_TYPE_PIPELINE_STATISTICS, 7, 1, 0, VK_QUERY_RESULT_64_BIT), 24u);
  EXPECT_EQ(bytes(VK_QUERY_TYPE_OCCLUSION, 0, 0, 16, 0), 0u);
  // The range goes to the end of the buffer where the stride is too large to count with, and where the pool's type is
  // unknown.
  EXPECT_EQ(bytes(VK_QUERY_TYPE_OCCLUSION, 0, 3, UINT64_MAX, 0), 900u);
  EXPECT_EQ(bytes(VK_QUERY_TYPE_MAX_ENUM, 0, 3, 8, 0), 900u);
}

TEST_F(SharedEffectsTest, OfExecutedSecondariesAreTheirs) {
  const VkCommandBuffer both[] = {handle<VkCommandBuffer>(0x11), handle<VkCommandBuffer>(0x12)};
  call(CommandId::vkCmdExecuteCommands, args_vkCmdExecuteCommands{commands, 2, both});
  EXPECT_EQ(executed, (std::vector<Value>{0x11, 0x12}));
}

TEST_F(SharedEffectsTest, OfResetRecordingsAreGone) {
  const Value id = value_of(commands);
  begin(commands);
  effects.commands.find(id)->views_drawn = 3;
  const std::uint32_t number = effects.commands.number_of(id);
  begin(commands);  // begun again: it is reset
  EXPECT_EQ(effects.commands.find(id)->views_drawn, 0u);
  EXPECT_NE(effects.commands.number_of(id), number);
  call(CommandId::vkResetCommandBuffer, args_vkResetCommandBuffer{commands, 0});
  EXPECT_EQ(effects.commands.find(id), nullptr);
  begin(commands);
  call(CommandId::vkResetCommandPool, args_vkResetCommandPool{device_, handle<VkCommandPool>(0x77), 0});
  EXPECT_NE(effects.commands.find(id), nullptr);  // of another pool
  call(CommandId::vkResetCommandPool, args_vkResetCommandPool{device_, handle<VkCommandPool>(pool), 0});
  EXPECT_EQ(effects.commands.find(id), nullptr);
  begin(commands);
  call(CommandId::vkFreeCommandBuffers, args_vkFreeCommandBuffers{device_, handle<VkCommandPool>(pool), 1, &commands},
       0, {id}, HandleType::VkCommandBuffer);
  EXPECT_EQ(effects.commands.find(id), nullptr);
}

TEST_F(SharedEffectsTest, OfWantedKindsAloneAreTold) {
  struct Only : EffectSink<Value> {
    int transitions = 0, others = 0;
    void transition(const TransitionOf<Value>&) override { ++transitions; }
    void touch(const TouchOf<Value>&) override { ++others; }
    void barrier(const BarrierOf<Value>&) override { ++others; }
  } only;
  SharedEffects<Value> some(only, kTransitions);
  EXPECT_FALSE(some.looks_at(CommandId::vkCmdFillBuffer));
  EXPECT_TRUE(some.looks_at(CommandId::vkCmdPipelineBarrier));
  VkImageMemoryBarrier one{};
  one.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  const args_vkCmdPipelineBarrier args{commands, 1, 1, 0, 0, nullptr, 0, nullptr, 1, &one};
  some.take({.command = codec::info(CommandId::vkCmdPipelineBarrier), .args = &args, .names = this, .dispatch = 1});
  EXPECT_EQ(only.transitions, 1);
  EXPECT_EQ(only.others, 0);
}

}  // namespace
}  // namespace rondo::model
