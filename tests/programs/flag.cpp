// SPDX-License-Identifier: Apache-2.0
// The host polls a word of mapped memory that the device writes, and goes on as
// soon as it changes; no fence, no wait until the end. The device waits for the
// host in the same way by events.
#include <thread>

#include "objects.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 12;
constexpr std::uint32_t kWords = 64;  // a round's, where no other round writes
constexpr VkDeviceSize kBytes = kWords * 4;

std::uint32_t load(const std::uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

}  // namespace

int main() {
  Context c = create_context("flag");
  Commands commands = create_commands(c);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  MappedBuffer from = create_mapped_buffer(c, kRounds * kBytes, usage);
  MappedBuffer to = create_mapped_buffer(c, kRounds * kBytes, usage);
  MappedBuffer flag = create_mapped_buffer(c, 64, usage);
  flag.words[0] = 0;
  VkEvent go[kRounds];

  // All rounds are one submit: each waits for its event, copies, raises the flag.
  begin(commands);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    go[round] = create_event(c);
    const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_HOST_WRITE_BIT,
                                  VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdWaitEvents(commands.buffer, 1, &go[round], VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 1,
                    &written, 0, nullptr, 0, nullptr);
    transfer_barrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    const VkBufferCopy part{round * kBytes, round * kBytes, kBytes};
    vkCmdCopyBuffer(commands.buffer, from.buffer, to.buffer, 1, &part);
    transfer_barrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
    vkCmdFillBuffer(commands.buffer, flag.buffer, 0, 4, round + 1);
    transfers_to_host(commands.buffer);
  }
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);

  for (std::uint32_t round = 0; round < kRounds; ++round) {
    for (std::uint32_t i = 0; i < kWords; ++i) from.words[round * kWords + i] = mix(round, i);
    CHECK(vkSetEvent(c.device, go[round]));
    while (load(flag.words[0]) != round + 1) std::this_thread::yield();
    for (std::uint32_t i = 0; i < kWords; ++i)
      if (to.words[round * kWords + i] != mix(round, i)) die("wrong word in round", round);
  }
  wait(c, commands);
  std::printf("flag: 1 submit, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(to.words, kRounds * kWords)));
  for (VkEvent event : go) vkDestroyEvent(c.device, event, nullptr);
  for (MappedBuffer* b : {&from, &to, &flag}) destroy(c, *b);
  destroy(c, commands);
  destroy(c);
  return 0;
}
