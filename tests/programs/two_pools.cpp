// SPDX-License-Identifier: Apache-2.0
// Two threads record at the same time, each into a pool of its own; both
// command buffers go into one submit. Each round builds on the one before.
#include <barrier>
#include <thread>

#include "support.h"

using namespace program;

namespace {

constexpr std::uint32_t kRounds = 12;
constexpr std::uint32_t kRowWords = 64;
constexpr VkDeviceSize kRowBytes = kRowWords * sizeof(std::uint32_t);

VkDeviceSize row(std::uint32_t thread, std::uint32_t round) {
  return (VkDeviceSize{thread} * (kRounds + 1) + round) * kRowBytes;
}

std::uint32_t changed_word(std::uint32_t thread, std::uint32_t round) { return (round * 5 + thread) % kRowWords; }

// The row of this round is the row before, but for one word.
void record(VkCommandBuffer commands, VkBuffer rows, std::uint32_t thread, std::uint32_t round) {
  begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
  const VkBufferCopy copy{row(thread, round), row(thread, round + 1), kRowBytes};
  vkCmdCopyBuffer(commands, rows, rows, 1, &copy);
  transfer_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
  vkCmdFillBuffer(commands, rows, row(thread, round + 1) + changed_word(thread, round) * 4, 4, mix(thread, round));
  transfer_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  transfers_to_host(commands);
  CHECK(vkEndCommandBuffer(commands));
}

}  // namespace

int main() {
  Context c = create_context("two_pools");
  Commands commands[2] = {create_commands(c), create_commands(c)};
  MappedBuffer rows =
      create_mapped_buffer(c, row(2, 0), VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::memset(rows.words, 0, row(2, 0));

  std::barrier recorded(2), played(2);
  std::thread other([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      record(commands[1].buffer, rows.buffer, 1, round);
      recorded.arrive_and_wait();
      played.arrive_and_wait();
    }
  });
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    record(commands[0].buffer, rows.buffer, 0, round);
    recorded.arrive_and_wait();
    const VkCommandBuffer both[2] = {commands[1].buffer, commands[0].buffer};
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 2;
    info.pCommandBuffers = both;
    CHECK(vkQueueSubmit(c.queues[0], 1, &info, commands[0].done));
    wait(c, commands[0]);
    played.arrive_and_wait();
  }
  other.join();

  for (std::uint32_t thread = 0; thread < 2; ++thread) {
    std::uint32_t expected[kRowWords]{};
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      expected[changed_word(thread, round)] = mix(thread, round);
      if (std::memcmp(rows.words + row(thread, round + 1) / 4, expected, kRowBytes) != 0)
        die("wrong row in round", round);
    }
  }
  std::printf("two_pools: %u submits, checksum %016llx\n", kRounds,
              static_cast<unsigned long long>(checksum(rows.words, row(2, 0) / 4)));
  destroy(c, rows);
  destroy(c, commands[1]);
  destroy(c, commands[0]);
  destroy(c);
  return 0;
}
