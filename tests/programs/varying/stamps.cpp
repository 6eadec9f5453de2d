// SPDX-License-Identifier: Apache-2.0
// A shader copies a timestamp of the device, so that what it leaves is another value each time. Another
// buffer is the same each time.
#include "../kernel.h"
#include "stamps.comp.h"

using namespace program;

int main() {
  Session s = open("stamps");
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 1;
  VkQueryPool pool;
  CHECK(vkCreateQueryPool(s.device, &info, nullptr, &pool));
  keep(s, vkDestroyQueryPool, pool);
  const MappedBuffer time = buffer(s, 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const MappedBuffer copied = buffer(s, 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer steady = buffer(s, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const Kernel kernel = create_kernel(s, shader(s, stamps_comp_spv), {time, copied});
  vkCmdResetQueryPool(s.cmd, pool, 0, 1);
  vkCmdFillBuffer(s.cmd, steady.buffer, 0, VK_WHOLE_SIZE, 7);
  vkCmdWriteTimestamp(s.cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  vkCmdCopyQueryPoolResults(s.cmd, pool, 0, 1, time.buffer, 0, 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  barrier(s.cmd);
  bind(s.cmd, kernel);
  vkCmdDispatch(s.cmd, 2, 1, 1);
  run(s);
  EXPECT(s, copied.words[0] == time.words[0] && copied.words[1] == time.words[1]);
  add(s, steady);
  return finish(s);
}
