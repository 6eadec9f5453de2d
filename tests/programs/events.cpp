// SPDX-License-Identifier: Apache-2.0
// Events: the host sets one that submitted work waits for, the device sets one
// that the host polls; set, waited for and reset by both, also as
// synchronization 2 has them. What the host writes just before it sets an
// event is what the waiting work reads.
#include <chrono>
#include <thread>

#include "objects.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 256;

void fill(const MappedBuffer& b, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < kBytes / 4; ++i) b.words[i] = mix(seed, i);
}

void expect(const MappedBuffer& b, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < kBytes / 4; ++i)
    if (b.words[i] != mix(seed, i)) die("wrong word behind event", seed);
}

void expect(const Context& c, VkEvent event, VkResult state) {
  const VkResult now = vkGetEventStatus(c.device, event);
  if (now != state) die("wrong state of an event", now);
}

void copy(VkCommandBuffer commands, const MappedBuffer& from, const MappedBuffer& to) {
  const VkBufferCopy region{0, 0, kBytes};
  vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
}

// Submitted first; the host writes and sets the event while it waits.
void host_sets(const Context& c, const Commands& commands, VkEvent event, const MappedBuffer& from,
               const MappedBuffer& to) {
  begin(commands);
  const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_HOST_WRITE_BIT,
                                VK_ACCESS_TRANSFER_READ_BIT};
  vkCmdWaitEvents(commands.buffer, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &written,
                  0, nullptr, 0, nullptr);
  copy(commands.buffer, from, to);
  transfers_to_host(commands.buffer);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  if (vkGetFenceStatus(c.device, commands.done) != VK_NOT_READY) die("the work did not wait", 0);
  fill(from, 1);
  CHECK(vkSetEvent(c.device, event));
  wait(c, commands);
  expect(to, 1);
  expect(c, event, VK_EVENT_SET);
  CHECK(vkResetEvent(c.device, event));
  expect(c, event, VK_EVENT_RESET);
}

// The host polls for what the device sets, and reads before any fence.
void device_sets(const Context& c, const Commands& commands, VkEvent event, const MappedBuffer& from,
                 const MappedBuffer& to) {
  fill(from, 2);
  begin(commands);
  copy(commands.buffer, from, to);
  transfers_to_host(commands.buffer);
  vkCmdSetEvent(commands.buffer, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  while (vkGetEventStatus(c.device, event) == VK_EVENT_RESET)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  expect(c, event, VK_EVENT_SET);
  expect(to, 2);
  wait(c, commands);
}

// Set in one submit, waited for and reset in the next.
void device_waits_and_resets(const Context& c, const Commands& commands, VkEvent event, const MappedBuffer& from,
                             const MappedBuffer& to) {
  run_once(c, commands, [&](VkCommandBuffer b) {
    vkCmdFillBuffer(b, from.buffer, 0, kBytes, 3);
    vkCmdSetEvent(b, event, VK_PIPELINE_STAGE_TRANSFER_BIT);
  });
  run_once(c, commands, [&](VkCommandBuffer b) {
    const VkMemoryBarrier filled{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                 VK_ACCESS_TRANSFER_READ_BIT};
    vkCmdWaitEvents(b, 1, &event, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1, &filled, 0,
                    nullptr, 0, nullptr);
    copy(b, from, to);
    transfers_to_host(b);
    transfer_barrier(b, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0);  // the reset comes after the wait
    vkCmdResetEvent(b, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  });
  expect(c, event, VK_EVENT_RESET);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i)
    if (to.words[i] != 3) die("wrong word", i);
}

// The same by synchronization 2, where set and wait name the same dependency.
void with_synchronization2(const Context& c, const Commands& commands, VkEvent event, const MappedBuffer& from,
                           const MappedBuffer& to) {
  VkMemoryBarrier2 filled{};
  filled.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  filled.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  filled.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  filled.dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
  filled.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &filled;
  run_once(c, commands, [&](VkCommandBuffer b) {
    vkCmdFillBuffer(b, from.buffer, 0, kBytes, 4);
    vkCmdSetEvent2(b, event, &dependency);
    vkCmdWaitEvents2(b, 1, &event, &dependency);
    copy(b, from, to);
    transfers_to_host(b);
    vkCmdResetEvent2(b, event, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  });
  expect(c, event, VK_EVENT_RESET);
  for (std::uint32_t i = 0; i < kBytes / 4; ++i)
    if (to.words[i] != 4) die("wrong word", i);
}

}  // namespace

int main() {
  VkPhysicalDeviceSynchronization2Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES;
  features.synchronization2 = VK_TRUE;
  Wanted wanted;
  wanted.api_version = VK_API_VERSION_1_3;
  wanted.features = &features;
  Context c = create_context("events", wanted);
  Commands commands = create_commands(c);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  MappedBuffer from = create_mapped_buffer(c, kBytes, usage);
  MappedBuffer to = create_mapped_buffer(c, kBytes, usage);
  VkEvent host_set = create_event(c), device_set = create_event(c), again = create_event(c);

  host_sets(c, commands, host_set, from, to);
  host_sets(c, commands, host_set, from, to);  // reset by the host between
  device_sets(c, commands, device_set, from, to);
  device_waits_and_resets(c, commands, again, from, to);
  with_synchronization2(c, commands, again, from, to);

  std::printf("events: 6 submits, checksum %016llx\n", static_cast<unsigned long long>(checksum(to.words, kBytes / 4)));
  for (VkEvent event : {host_set, device_set, again}) vkDestroyEvent(c.device, event, nullptr);
  destroy(c, to);
  destroy(c, from);
  destroy(c, commands);
  destroy(c);
  return 0;
}
