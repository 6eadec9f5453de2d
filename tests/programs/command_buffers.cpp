// SPDX-License-Identifier: Apache-2.0
// The lives of command buffers: used once; used again; recorded anew without a
// reset; pending several times at once; begun by one thread and continued by
// another; reset with and without their resources; freed, and never submitted.
#include <thread>

#include "shift.h"

using namespace program;

namespace {

void record(const Shift& shift, VkCommandBuffer commands, VkCommandBufferUsageFlags usage, std::uint32_t times) {
  begin(commands, usage);
  for (std::uint32_t i = 0; i < times; ++i) record_shift(shift, commands);
  CHECK(vkEndCommandBuffer(commands));
}

}  // namespace

int main() {
  Context c = create_context("command_buffers");
  Shift shift = create_shift(c);
  Commands own = create_commands(c);
  std::uint32_t times = 0;
  const auto play = [&](VkCommandBuffer commands, std::uint32_t more) {
    submit(c.queues[0], commands, own.done);
    wait(c, own);
    times += more;
    expect_shifted(shift, times);
  };

  record(shift, own.buffer, 0, 3);
  play(own.buffer, 3);
  play(own.buffer, 3);                                                        // as it is
  record(shift, own.buffer, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, 1);  // reset by begin
  play(own.buffer, 1);
  CHECK(vkResetCommandBuffer(own.buffer, VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT));
  record(shift, own.buffer, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 1);
  for (int i = 0; i < 5; ++i) submit(c.queues[0], own.buffer, VK_NULL_HANDLE);
  CHECK(vkQueueWaitIdle(c.queues[0]));
  times += 5;
  expect_shifted(shift, times);
  CHECK(vkResetCommandBuffer(own.buffer, 0));

  begin(own);
  record_shift(shift, own.buffer);
  std::thread([&] { record_shift(shift, own.buffer); }).join();
  record_shift(shift, own.buffer);
  std::thread([&] { CHECK(vkEndCommandBuffer(own.buffer)); }).join();
  play(own.buffer, 3);

  // Several of one pool: the pool is reset, some are recorded again, some are freed.
  VkCommandPool pool = create_command_pool(c, 0, c.family);
  VkCommandBuffer several[4];
  for (VkCommandBuffer& one : several) {
    one = allocate_command_buffer(c, pool);
    record(shift, one, 0, 1);
  }
  play(several[2], 1);
  CHECK(vkResetCommandPool(c.device, pool, 0));
  vkFreeCommandBuffers(c.device, pool, 2, several);
  vkTrimCommandPool(c.device, pool, 0);
  record(shift, several[2], 0, 2);
  record(shift, several[3], 0, 4);
  play(several[3], 4);
  play(several[2], 2);
  begin(allocate_command_buffer(c, pool), 0);  // never ended
  CHECK(vkResetCommandPool(c.device, pool, VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT));
  const VkCommandBuffer none[2] = {VK_NULL_HANDLE, several[2]};
  vkFreeCommandBuffers(c.device, pool, 2, none);
  record(shift, several[3], 0, 1);
  play(several[3], 1);

  std::printf("command_buffers: 13 submits, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  vkDestroyCommandPool(c.device, pool, nullptr);
  destroy(c, own);
  destroy(c, shift);
  destroy(c);
  return 0;
}
