// SPDX-License-Identifier: Apache-2.0
// Fences: polled thousands of times, used again and again, born signalled,
// waited for by any and by all, with no time and with little time, signalled
// by a submit of nothing.
#include "objects.h"
#include "shift.h"

using namespace program;

namespace {

constexpr std::uint32_t kReuses = 32;

void expect(VkResult result, VkResult expected, const char* what) {
  if (result != expected) die(what, result);
}

// A poll that says so thousands of times is worth one record.
void poll(const Context& c, VkFence fence) {
  for (;;) {
    const VkResult result = vkGetFenceStatus(c.device, fence);
    if (result == VK_SUCCESS) return;
    if (result != VK_NOT_READY) die("vkGetFenceStatus", result);
  }
}

}  // namespace

int main() {
  Context c = create_context("fences");
  Commands commands = create_commands(c);
  Shift shift = create_shift(c);
  VkFence born = create_fence(c, VK_FENCE_CREATE_SIGNALED_BIT);
  VkFence empty = create_fence(c), held = create_fence(c);
  VkEvent gate = create_event(c);

  expect(vkGetFenceStatus(c.device, born), VK_SUCCESS, "a fence that was born signalled");
  expect(vkWaitForFences(c.device, 1, &born, VK_TRUE, 0), VK_SUCCESS, "waiting for it");

  for (std::uint32_t i = 0; i < kReuses; ++i) {
    begin(commands);
    record_shift(shift, commands.buffer);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
    poll(c, commands.done);
    expect_shifted(shift, i + 1);
    CHECK(vkResetFences(c.device, 1, &commands.done));
  }

  // Work that waits for the host: everything times out until the event is set.
  begin(commands);
  const VkMemoryBarrier none{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, 0, 0};
  vkCmdWaitEvents(commands.buffer, 1, &gate, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &none, 0,
                  nullptr, 0, nullptr);
  record_shift(shift, commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands.buffer, held);
  for (int i = 0; i < 5000; ++i) expect(vkGetFenceStatus(c.device, held), VK_NOT_READY, "an early poll");
  expect(vkWaitForFences(c.device, 1, &held, VK_TRUE, 0), VK_TIMEOUT, "a wait without time");
  expect(vkWaitForFences(c.device, 1, &held, VK_TRUE, 100000), VK_TIMEOUT, "a wait of 100 us");
  const VkFence both[2] = {held, born};
  expect(vkWaitForFences(c.device, 2, both, VK_TRUE, 1000), VK_TIMEOUT, "a wait for all");
  expect(vkWaitForFences(c.device, 2, both, VK_FALSE, UINT64_MAX), VK_SUCCESS, "a wait for any");
  CHECK(vkSetEvent(c.device, gate));
  expect(vkWaitForFences(c.device, 2, both, VK_TRUE, UINT64_MAX), VK_SUCCESS, "a wait for all at last");
  expect_shifted(shift, kReuses + 1);

  CHECK(vkResetFences(c.device, 2, both));
  expect(vkGetFenceStatus(c.device, born), VK_NOT_READY, "a fence that was reset");
  CHECK(vkQueueSubmit(c.queues[0], 0, nullptr, empty));
  CHECK(vkWaitForFences(c.device, 1, &empty, VK_FALSE, UINT64_MAX));
  CHECK(vkQueueWaitIdle(c.queues[0]));
  CHECK(vkDeviceWaitIdle(c.device));

  std::printf("fences: %u submits, checksum %016llx\n", kReuses + 1,
              static_cast<unsigned long long>(checksum(shift.words.words, kShiftWords)));
  vkDestroyEvent(c.device, gate, nullptr);
  for (VkFence fence : {born, empty, held}) vkDestroyFence(c.device, fence, nullptr);
  destroy(c, shift);
  destroy(c, commands);
  destroy(c);
  return 0;
}
