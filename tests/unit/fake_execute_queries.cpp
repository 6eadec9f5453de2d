// SPDX-License-Identifier: Apache-2.0
// Query pools of the fake driver.
#include <thread>

#include "fake_execute_support.h"

namespace {

using fake_test::FakeDevice;
using fake_test::MappedBuffer;

class FakeQueries : public FakeDevice {
 protected:
  void SetUp() override {
    FakeDevice::SetUp();
    queries = make_queries(VK_QUERY_TYPE_TIMESTAMP, 4);
  }
  VkResult results(std::uint32_t first, std::uint32_t count, std::uint64_t* values, VkDeviceSize stride,
                   VkQueryResultFlags flags) {
    return vk.vkGetQueryPoolResults(device, queries, first, count, 64, values, stride, flags | VK_QUERY_RESULT_64_BIT);
  }
  void write(VkCommandBuffer c, std::uint32_t query) {
    vk.vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, query);
  }

  VkQueryPool queries = VK_NULL_HANDLE;
};

TEST_F(FakeQueries, WhatIsNotAvailableIsNotWritten) {
  vk.vkResetQueryPool(device, queries, 0, 4);
  run([&](VkCommandBuffer c) { write(c, 1); });
  std::uint64_t values[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  EXPECT_EQ(results(0, 2, values, 16, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT), VK_NOT_READY);
  EXPECT_EQ(values[0], 7u);
  EXPECT_EQ(values[1], 0u);
  EXPECT_NE(values[2], 7u);
  EXPECT_EQ(values[3], 1u);
  const VkQueryPool occlusion = make_queries(VK_QUERY_TYPE_OCCLUSION, 1);
  EXPECT_EQ(vk.vkGetQueryPoolResults(device, occlusion, 0, 1, 8, values, 8,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_PARTIAL_BIT),
            VK_NOT_READY);
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(results(1, 1, values, 8, 0), VK_SUCCESS);
}

TEST_F(FakeQueries, WaitsForResults) {
  vk.vkResetQueryPool(device, queries, 0, 4);
  const VkSemaphore gate = make_timeline();
  submit(queues[0], {.buffers = {record([&](VkCommandBuffer c) {
                       write(c, 0);
                       write(c, 1);
                     })},
                     .waits = {gate},
                     .wait_values = {1}});
  std::uint64_t values[8] = {};
  EXPECT_EQ(results(0, 2, values, 8, 0), VK_NOT_READY);
  std::thread other([&] {
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, gate, 1};
    EXPECT_EQ(vk.vkSignalSemaphore(device, &info), VK_SUCCESS);
  });
  EXPECT_EQ(results(0, 2, values, 8, VK_QUERY_RESULT_WAIT_BIT), VK_SUCCESS);
  other.join();
  EXPECT_LT(values[0], values[1]);
}

TEST_F(FakeQueries, QueuesResetAndCopyResults) {
  const MappedBuffer to = make_buffer(64);
  run([&](VkCommandBuffer c) {
    vk.vkCmdResetQueryPool(c, queries, 0, 4);
    write(c, 2);
    vk.vkCmdCopyQueryPoolResults(c, queries, 2, 2, to.buffer, 4, 12, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  });
  EXPECT_NE(to.word(1), 0u);
  EXPECT_EQ(to.word(2), 1u);
  EXPECT_EQ(to.word(4), 0u);
  EXPECT_EQ(to.word(5), 0u);
}

TEST_F(FakeQueries, CountsNothingWhereNothingIsDrawn) {
  const VkQueryPool counters = make_queries(VK_QUERY_TYPE_PIPELINE_STATISTICS, 1,
                                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                                                VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT);
  run([&](VkCommandBuffer c) {
    vk.vkCmdResetQueryPool(c, counters, 0, 1);
    vk.vkCmdBeginQuery(c, counters, 0, 0);
    vk.vkCmdEndQuery(c, counters, 0);
  });
  std::uint64_t values[4] = {7, 7, 7, 7};
  EXPECT_EQ(vk.vkGetQueryPoolResults(device, counters, 0, 1, sizeof values, values, 32,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            VK_SUCCESS);
  EXPECT_EQ(values[0], 0u);
  EXPECT_EQ(values[1], 0u);
  EXPECT_EQ(values[2], 1u);
  EXPECT_EQ(values[3], 7u);
}

TEST_F(FakeQueries, NamesAQueryThatWasNotReset) {
  vk.vkResetQueryPool(device, queries, 0, 4);
  run([&](VkCommandBuffer c) {
    write(c, 0);
    write(c, 0);
  });
  EXPECT_NE(take_violation().find("not reset"), std::string::npos);
}

}  // namespace
