// SPDX-License-Identifier: Apache-2.0
// A thread maps, writes and unmaps a buffer that no submitted work uses, and
// flushes another, all the while another thread submits and waits. A
// checkpoint that reads them between two such writes, and is recorded behind
// the second, says what no replay can reach. With --undo the thread writes words
// and takes them back, so that who compares finds nothing, and who reads may.
//   meanwhile [--rounds N] [--undo 1]
#include <atomic>
#include <thread>

#include "session.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 256 * 1024;
constexpr std::size_t kStep = 997;  // words between two that are written

void write(std::uint32_t* words, std::uint32_t& value) {
  for (std::size_t at = 0; at < kBytes / 4; at += kStep) words[at] = ++value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t rounds = option(argc, argv, "--rounds", 30);
  Session s = open("meanwhile");
  constexpr VkBufferUsageFlags kBoth = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const MappedBuffer from = buffer(s, kBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  const MappedBuffer to = buffer(s, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const MappedBuffer mapped_again = buffer(s, kBytes, kBoth), flushed = buffer(s, kBytes, kBoth);
  vkUnmapMemory(s.device, mapped_again.memory);

  std::atomic<bool> stop{false};
  const auto undo = [&] {
    auto* const words = static_cast<volatile std::uint32_t*>(flushed.words);
    while (!stop)
      for (std::uint32_t value : {1u, 0u})
        for (std::size_t at = 0; at < kBytes / 4; at += kStep) words[at] = value;
  };
  std::thread other([&] {
    if (option(argc, argv, "--undo", 0) != 0) return undo();
    std::uint32_t value = 0;
    while (!stop) {
      void* words = nullptr;
      CHECK(vkMapMemory(s.device, mapped_again.memory, 0, VK_WHOLE_SIZE, 0, &words));
      write(static_cast<std::uint32_t*>(words), value);
      vkUnmapMemory(s.device, mapped_again.memory);
      write(flushed.words, value);
      const VkMappedMemoryRange all{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, flushed.memory, 0, VK_WHOLE_SIZE};
      CHECK(vkFlushMappedMemoryRanges(s.device, 1, &all));
      std::this_thread::yield();
    }
  });
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::size_t at = 0; at < kBytes / 4; at += 7) from.words[at] = round + static_cast<std::uint32_t>(at);
    const VkBufferCopy copy{0, 0, kBytes};
    vkCmdCopyBuffer(s.cmd, from.buffer, to.buffer, 1, &copy);
    run(s);
    add(s, to);
  }
  stop = true;
  other.join();
  void* words = nullptr;  // buffer() unmaps it at the end
  CHECK(vkMapMemory(s.device, mapped_again.memory, 0, VK_WHOLE_SIZE, 0, &words));
  return finish(s);
}
