// SPDX-License-Identifier: Apache-2.0
// Writes a capture of many commands of four touches each, to measure what a whole capture costs a tool:
//   many_commands COMMANDS FILE; time rondo graph FILE
// Frames of 1,000 copies are recorded anew each time. Each copy reads two ranges and writes two; a barrier stands after
// every ten. The host waits for each frame. No device.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/unit/graph_scene.h"

namespace {

using namespace rondo;
using namespace rondo::test;

constexpr std::uint64_t kFrame = 1000;

void write(std::uint64_t commands, const std::string& file) {
  GraphScene scene;
  const VkDeviceMemory memory = scene.memory(0x900, kFrame * 65536);
  std::vector<VkBuffer> buffers;
  for (std::uint64_t i = 0; i < kFrame; ++i) {
    buffers.push_back(scene.buffer(0x10000 + i, 65536));
    scene.bind(buffers.back(), memory, i * 65536);
  }
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  for (std::uint64_t done = 0; done < commands; done += kFrame) {
    scene.begin(scene.commands);
    for (std::uint64_t i = 0; i < kFrame && done + i < commands; ++i) {
      const VkBufferCopy regions[] = {{0, 0, 16384}, {32768, 32768, 16384}};
      scene.capture.call(CommandId::vkCmdCopyBuffer,
                         args_vkCmdCopyBuffer{scene.commands, buffers[(i + 10) % kFrame], buffers[i], 2, regions});
      if (i % 10 == 9)
        scene.capture.call(
            CommandId::vkCmdPipelineBarrier,
            args_vkCmdPipelineBarrier{scene.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
                                      1, &barrier, 0, nullptr, 0, nullptr});
    }
    scene.submit(scene.commands);
    scene.capture.call(CommandId::vkQueueWaitIdle, args_vkQueueWaitIdle{scene.queue}, {.result = VK_SUCCESS});
  }
  scene.capture.finish();
  std::filesystem::copy_file(scene.file.path(), file, std::filesystem::copy_options::overwrite_existing);
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t commands = count == 3 ? std::strtoull(words[1], nullptr, 10) : 0;
  if (commands == 0) {
    std::cerr << "many_commands COMMANDS FILE\n";
    return 2;
  }
  write(commands, words[2]);
  return 0;
}
