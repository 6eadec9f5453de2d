// SPDX-License-Identifier: Apache-2.0
// The host writes without a wait, beside or after work that uses the bytes. Work copies a half of one
// buffer to the same half of another; then the host writes:
//   late_write [--after MS] [--what 0|1|2|3] [--map 0|1] [--fence 0|1] [--alias 0|1] [--fills N]
//     [--rounds N]
// --what 0: what the work reads; 1: what it writes; 2: the half that it does not use, after a wait for the
// round before, which used it (double buffering); 3: what the work reads, over and over until the time is
// over. --map 1: the memory is mapped for each write. --fence 1: the program gives the submit a fence, and
// does not ask it. --alias 1: the work uses other buffers, bound to the same memory as those that the host
// wrote. --fills: the work begins with so many fills of 64 MiB, which take time. Prints what the second
// buffer holds.
#include <chrono>
#include <thread>

#include "session.h"

using namespace program;

namespace {

constexpr VkDeviceSize kHalf = 64u << 10;
constexpr VkDeviceSize kLarge = 64u << 20;

// Another buffer on the same memory; without `alias` the same one.
VkBuffer used_by_work(Session& s, const MappedBuffer& b, VkBufferUsageFlags usage, bool alias) {
  if (!alias) return b.buffer;
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 2 * kHalf, .usage = usage};
  VkBuffer other = VK_NULL_HANDLE;
  CHECK(vkCreateBuffer(s.device, &info, nullptr, &other));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(s.device, other, &needs);
  CHECK(vkBindBufferMemory(s.device, other, b.memory, 0));
  return keep(s, vkDestroyBuffer, other);
}

void write(const Session& s, const MappedBuffer& b, VkDeviceSize at, std::uint32_t value, bool map) {
  std::uint32_t* words = b.words + at / 4;
  void* mapped = nullptr;
  if (map) CHECK(vkMapMemory(s.device, b.memory, at, kHalf, 0, &mapped));
  if (map) words = static_cast<std::uint32_t*>(mapped);
  for (VkDeviceSize i = 0; i < kHalf / 4; ++i) words[i] = value;
  if (map) vkUnmapMemory(s.device, b.memory);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t after = option(argc, argv, "--after", 250);
  const std::uint32_t what = option(argc, argv, "--what", 0);
  const bool map = option(argc, argv, "--map", 0) != 0;
  const bool fenced = option(argc, argv, "--fence", 0) != 0;
  const bool alias = option(argc, argv, "--alias", 0) != 0;
  const std::uint32_t fills = option(argc, argv, "--fills", 0);
  const std::uint32_t rounds = option(argc, argv, "--rounds", 1);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Session s = open("late_write");
  MappedBuffer from = buffer(s, 2 * kHalf, usage), to = buffer(s, 2 * kHalf, usage);
  const VkBuffer source = used_by_work(s, from, usage, alias), target = used_by_work(s, to, usage, alias);
  MappedBuffer large = buffer(s, fills != 0 ? kLarge : 4, usage);
  if (map)
    for (const MappedBuffer* b : {&from, &to}) vkUnmapMemory(s.device, b->memory);
  for (std::uint32_t half : {0, 1}) write(s, from, half * kHalf, 1 + half, map);

  std::vector<Commands> work(rounds);
  std::uint32_t written = 1000;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const VkDeviceSize half = what == 2 ? round % 2 * kHalf : 0;
    work[round] = create_commands(s);
    begin(work[round]);
    const VkCommandBuffer cmd = work[round].buffer;
    for (std::uint32_t i = 0; i < fills; ++i) vkCmdFillBuffer(cmd, large.buffer, 0, kLarge, i);
    const VkBufferCopy region{half, half, kHalf};
    vkCmdCopyBuffer(cmd, source, target, 1, &region);
    CHECK(vkEndCommandBuffer(cmd));
    const VkSubmitInfo submit{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkQueueSubmit(s.queues[0], 1, &submit, fenced || what == 2 ? work[round].done : VK_NULL_HANDLE));
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(after);
    while (what == 3 && std::chrono::steady_clock::now() < until) write(s, from, half, ++written, map);
    std::this_thread::sleep_until(until);
    if (what == 2 && round != 0) CHECK(vkWaitForFences(s.device, 1, &work[round - 1].done, VK_TRUE, UINT64_MAX));
    write(s, what == 1 ? to : from, what == 2 ? kHalf - half : half, 100 + round, map);
  }
  CHECK(vkQueueSubmit(s.queues[0], 0, nullptr, VK_NULL_HANDLE));
  CHECK(vkQueueWaitIdle(s.queues[0]));

  if (map)
    for (MappedBuffer* b : {&from, &to}) {
      void* mapped = nullptr;
      CHECK(vkMapMemory(s.device, b->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
      b->words = static_cast<std::uint32_t*>(mapped);
    }
  std::printf("late_write: %u %u\n", to.words[5], to.words[kHalf / 4 + 5]);
  for (Commands& one : work) destroy(s, one);
  return finish(s);
}
