// SPDX-License-Identifier: Apache-2.0
// Chapter "Queries", of compute alone: pools reset by the host and by commands in
// parts, statistics and times by halves and wholes, results with holes between
// them, partial, with availability, copied with strides to odd places. Times are
// only compared with one another.
#include "chapter.h"
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

constexpr VkQueryResultFlags kWait = VK_QUERY_RESULT_WAIT_BIT, k64 = VK_QUERY_RESULT_64_BIT,
                             kAvailable = VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, kPartial = VK_QUERY_RESULT_PARTIAL_BIT;

void statistics(Session& s, const Kernel& k, const MappedBuffer& out) {
  const VkQueryPool pool = create_queries(s, VK_QUERY_TYPE_PIPELINE_STATISTICS, 8,
                                          VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT |
                                              VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT);
  vkResetQueryPool(s.device, pool, 1, 5);
  vkCmdResetQueryPool(s.cmd, pool, 0, 1);
  vkCmdResetQueryPool(s.cmd, pool, 6, 2);
  bind(s.cmd, k);
  push(s.cmd, k, 0, 1, 99);
  for (const std::uint32_t query : {5u, 0u, 2u, 7u}) {
    vkCmdBeginQuery(s.cmd, pool, query, 0);
    vkCmdDispatch(s.cmd, query + 1, 2, 1);
    vkCmdEndQuery(s.cmd, pool, query);
  }
  barrier(s.cmd);
  vkCmdCopyQueryPoolResults(s.cmd, pool, 0, 1, out.buffer, 8, 16, k64 | kWait | kAvailable);
  vkCmdCopyQueryPoolResults(s.cmd, pool, 2, 1, out.buffer, 44, 12, kWait);
  vkCmdCopyQueryPoolResults(s.cmd, pool, 1, 5, out.buffer, 128, 20, kAvailable | kPartial);
  run(s);
  // Two numbers a query, clipping first in the order of bits; four invocations a group.
  EXPECT(s, out.words[4] == 8 && out.words[5] == 0 && out.words[6] == 1);
  EXPECT(s, out.words[12] == 24 || out.words[11] == 24);
  std::uint64_t results[3][4] = {};
  CHECK(vkGetQueryPoolResults(s.device, pool, 5, 1, sizeof results[0], results, 32, k64 | kWait | kAvailable));
  EXPECT(s, results[0][1] == 48 && results[0][2] == 1);
  std::uint32_t small[16];
  std::fill(std::begin(small), std::end(small), 0x55u);
  EXPECT(s, vkGetQueryPoolResults(s.device, pool, 0, 3, 60, small, 20, kAvailable) == VK_NOT_READY);
  EXPECT(s, small[1] == 8 && small[2] == 1 && small[11] == 24 && small[3] == 0x55);
  vkResetQueryPool(s.device, pool, 5, 1);
  EXPECT(s, vkGetQueryPoolResults(s.device, pool, 5, 1, 8, small, 8, 0) == VK_NOT_READY);
}

// Bracketed within a secondary that is executed twice, with a reset between.
void in_secondaries(Session& s, const Kernel& k) {
  const VkQueryPool pool = create_queries(s, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
                                          VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT);
  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                         VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
  VkCommandBuffer secondary;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &secondary));
  const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
  const VkCommandBufferBeginInfo begin_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                            VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &inherited};
  CHECK(vkBeginCommandBuffer(secondary, &begin_info));
  bind(secondary, k);
  push(secondary, k, 8, 1, 99);
  vkCmdBeginQuery(secondary, pool, 0, 0);
  vkCmdDispatch(secondary, 3, 3, 1);
  vkCmdEndQuery(secondary, pool, 0);
  CHECK(vkEndCommandBuffer(secondary));
  for (int i = 0; i < 2; ++i) {
    vkCmdResetQueryPool(s.cmd, pool, 0, 1);
    vkCmdExecuteCommands(s.cmd, 1, &secondary);
    barrier(s.cmd);
  }
  run(s);
  std::uint32_t count = 0;
  CHECK(vkGetQueryPoolResults(s.device, pool, 0, 1, 4, &count, 4, kWait));
  EXPECT(s, count == 36);
}

void times(Session& s) {
  const VkQueryPool pool = create_queries(s, VK_QUERY_TYPE_TIMESTAMP, 6);
  vkResetQueryPool(s.device, pool, 0, 6);
  constexpr VkPipelineStageFlagBits stages[] = {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                                VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                                VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT};
  for (std::uint32_t i = 0; i < 5; ++i) {
    vkCmdWriteTimestamp(s.cmd, stages[i], pool, i);
    barrier(s.cmd);
  }
  run(s);
  std::uint64_t at[6][2];
  EXPECT(s, vkGetQueryPoolResults(s.device, pool, 0, 6, sizeof at, at, 16, k64 | kAvailable) == VK_NOT_READY);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT(s, at[i][1] == (i < 5 ? 1 : 0));
  EXPECT(s, at[0][0] <= at[4][0]);
  std::uint32_t half = 0;  // wraps or saturates
  CHECK(vkGetQueryPoolResults(s.device, pool, 4, 1, 4, &half, 4, kWait));
}

}  // namespace

int main() {
  Needs needs;
  NEED_CORE(needs, pipelineStatisticsQuery);
  NEED(needs, Vulkan12Features, hostQueryReset);
  Session s = open("counts", needs);
  const MappedBuffer parameters = buffer(s, 256, kStorage), counted = buffer(s, 256, kStorage),
                     out = buffer(s, 256, kStorage);
  const Kernel k = create_kernel(s, shader(s, count_comp_spv), {parameters, counted});
  statistics(s, k, out);
  in_secondaries(s, k);
  times(s);
  add(s, counted);
  add(s, out);
  return finish(s);
}
