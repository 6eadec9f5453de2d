// SPDX-License-Identifier: Apache-2.0
// The device's own times, copied from queries to a buffer and from there to
// another one. They are never the same twice; what lies beside them in both is.
// Zeros at the end: nothing of the times is left in memory.
#include "session.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 4096, kTimes = 1024, kStride = 24, kCopied = 2048;
constexpr std::uint32_t kConstants[4] = {17, 18, 19, 20};

}  // namespace

int main() {
  Session s = open("times");
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 2, 0};
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  constexpr VkBufferUsageFlags kBoth = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  const MappedBuffer first = buffer(s, kBytes, kBoth), second = buffer(s, kBytes, kBoth);

  for (int frame = 0; frame < 3; ++frame) {
    vkCmdResetQueryPool(s.cmd, pool, 0, 2);
    vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    vkCmdUpdateBuffer(s.cmd, first.buffer, kTimes - sizeof kConstants, sizeof kConstants, kConstants);
    vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    vkCmdCopyQueryPoolResults(
        s.cmd, pool, 0, 2, first.buffer, kTimes, kStride,
        VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    barrier(s.cmd);
    const VkBufferCopy region{kTimes - sizeof kConstants, kCopied, sizeof kConstants + 2 * kStride};
    vkCmdCopyBuffer(s.cmd, first.buffer, second.buffer, 1, &region);
    run(s);
    const std::uint32_t* const times = first.words + kTimes / 4;
    const std::uint32_t* const copied = second.words + kCopied / 4;
    EXPECT(s, times[2] == 1 && times[8] == 1);
    EXPECT(s, std::memcmp(copied, kConstants, sizeof kConstants) == 0);
    EXPECT(s, std::memcmp(copied + 4, times, 2 * kStride) == 0);
    s.sum = s.sum * 31 + checksum(copied, 4);
  }
  vkCmdFillBuffer(s.cmd, first.buffer, 0, kBytes, 0);
  vkCmdFillBuffer(s.cmd, second.buffer, 0, kBytes, 0);
  run(s);
  return finish(s);
}
