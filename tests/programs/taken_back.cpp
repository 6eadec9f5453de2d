// SPDX-License-Identifier: Apache-2.0
// Events and queries that one submit gives and takes back: set and reset, written and reset. The host asks
// for them while the work is running. --copies N: how much work lies between.
#include "session.h"

using namespace program;

namespace {

constexpr VkDeviceSize kHalf = 2u << 20;

VkEvent create_event(Session& s) {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  VkEvent event;
  CHECK(vkCreateEvent(s.device, &info, nullptr, &event));
  return keep(s, vkDestroyEvent, event);
}

VkQueryPool create_queries(Session& s) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 1;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  return keep(s, vkDestroyQueryPool, pool);
}

// Until it is there, or the work is done.
template <class IsThere>
void ask(const Session& s, IsThere is_there) {
  while (vkGetFenceStatus(s.device, s.commands.done) == VK_NOT_READY)
    if (is_there()) return;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t copies = option(argc, argv, "--copies", 40);
  Session s = open("taken_back");
  const MappedBuffer bytes = buffer(s, 2 * kHalf, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkEvent event = create_event(s);
  const VkQueryPool pool = create_queries(s);
  for (std::uint32_t round = 0; round < 5; ++round) {
    vkCmdResetQueryPool(s.cmd, pool, 0, 1);
    vkCmdFillBuffer(s.cmd, bytes.buffer, 0, kHalf, round + 1);
    barrier(s.cmd);
    vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    vkCmdSetEvent(s.cmd, event, VK_PIPELINE_STAGE_TRANSFER_BIT);
    const VkBufferCopy there{0, kHalf, kHalf};
    for (std::uint32_t i = 0; i < copies; ++i) {
      vkCmdCopyBuffer(s.cmd, bytes.buffer, bytes.buffer, 1, &there);
      barrier(s.cmd);
    }
    vkCmdResetEvent(s.cmd, event, VK_PIPELINE_STAGE_TRANSFER_BIT);
    vkCmdResetQueryPool(s.cmd, pool, 0, 1);
    CHECK(vkEndCommandBuffer(s.cmd));
    submit(s.queues[0], s.commands);
    ask(s, [&] { return vkGetEventStatus(s.device, event) == VK_EVENT_SET; });
    std::uint64_t time = 0;
    ask(s, [&] {
      return vkGetQueryPoolResults(s.device, pool, 0, 1, sizeof time, &time, sizeof time, VK_QUERY_RESULT_64_BIT) ==
             VK_SUCCESS;
    });
    wait(s, s.commands);
    begin(s.commands);
    EXPECT(s, bytes.words[kHalf / 4] == round + 1);
  }
  add(s, bytes);
  return finish(s);
}
