// SPDX-License-Identifier: Apache-2.0
// The host writes what submitted work has read and written, as soon as a timestamp at the end of that work is
// available, and before it waits for the work in any other way.
#include <algorithm>

#include "session.h"

using namespace program;

namespace {

constexpr std::uint32_t kWords = 1u << 18;
constexpr std::uint32_t kGreen = 0xff00ff00, kRed = 0xff0000ff;

struct Backed {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

Backed create(const Context& c) {
  Backed made;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = kWords * 4;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  CHECK(vkCreateBuffer(c.device, &info, nullptr, &made.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(c.device, made.buffer, &needs);
  made.memory = allocate(c, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  CHECK(vkBindBufferMemory(c.device, made.buffer, made.memory, 0));
  return made;
}

std::uint32_t* map(const Context& c, const Backed& one) {
  void* data = nullptr;
  CHECK(vkMapMemory(c.device, one.memory, 0, VK_WHOLE_SIZE, 0, &data));
  return static_cast<std::uint32_t*>(data);
}

void fill(const Context& c, const Backed& one, std::uint32_t word) {
  std::fill_n(map(c, one), kWords, word);
  vkUnmapMemory(c.device, one.memory);
}

}  // namespace

int main() {
  Session s = open("polled_queries");
  const Backed a = create(s), b = create(s);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 1;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  fill(s, a, kGreen);
  fill(s, b, 0);

  const VkBufferCopy all{0, 0, kWords * 4};
  vkCmdResetQueryPool(s.cmd, pool, 0, 1);
  for (int i = 0; i < 255; ++i) {
    vkCmdCopyBuffer(s.cmd, a.buffer, b.buffer, 1, &all);
    barrier(s.cmd);
    vkCmdCopyBuffer(s.cmd, b.buffer, a.buffer, 1, &all);
    barrier(s.cmd);
  }
  vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  CHECK(vkEndCommandBuffer(s.cmd));
  submit(s.queues[0], s.commands);
  std::uint64_t time = 0;
  while (vkGetQueryPoolResults(s.device, pool, 0, 1, sizeof time, &time, sizeof time, VK_QUERY_RESULT_64_BIT) ==
         VK_NOT_READY) {
  }
  fill(s, a, kRed);
  while (vkGetFenceStatus(s.device, s.commands.done) == VK_NOT_READY) {
  }
  CHECK(vkResetFences(s.device, 1, &s.commands.done));
  begin(s.commands);
  const std::uint32_t* const words = map(s, b);
  EXPECT(s, std::all_of(words, words + kWords, [](std::uint32_t word) { return word == kGreen; }));
  s.sum = checksum(words, kWords);
  vkUnmapMemory(s.device, b.memory);
  for (const Backed& one : {a, b}) {
    vkDestroyBuffer(s.device, one.buffer, nullptr);
    vkFreeMemory(s.device, one.memory, nullptr);
  }
  vkDestroyQueryPool(s.device, pool, nullptr);
  return finish(s);
}
