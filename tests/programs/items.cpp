// SPDX-License-Identifier: Apache-2.0
// One command buffer with many dispatches, submitted many times: each is a work item each time.
//   items [--dispatches N] [--submits N]: 20 and 5 if not told.
#include "kernel.h"
#include "kernels.comp.h"

using namespace program;

int main(int argc, char** argv) {
  const std::uint32_t dispatches = option(argc, argv, "--dispatches", 20), submits = option(argc, argv, "--submits", 5);
  Session s = open("items");
  MappedBuffer values = create_mapped_buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (std::uint32_t i = 0; i < 16; ++i) values.words[i] = i;
  const Kernel kernel = create_kernel(s, shader(s, kernels_comp_spv), {values});

  const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
  VkCommandBuffer many;
  CHECK(vkAllocateCommandBuffers(s.device, &info, &many));
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0, nullptr};
  CHECK(vkBeginCommandBuffer(many, &begin));
  bind(many, kernel);
  push(many, kernel, 1);
  barrier(many);
  for (std::uint32_t i = 0; i < dispatches; ++i) {
    vkCmdDispatch(many, 1 + i % 3, 1, 1);
    barrier(many);
  }
  CHECK(vkEndCommandBuffer(many));
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &many;
  for (std::uint32_t i = 0; i < submits; ++i) {
    CHECK(vkQueueSubmit(s.queues[0], 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(s.queues[0]));
  }
  run(s);  // makes what was written visible to the host
  s.sum = checksum(values.words, 16);
  s.at_end.push_back([&] { destroy(s, values); });
  return finish(s);
}
