// SPDX-License-Identifier: Apache-2.0
// Dispatches whose costs are known: 1, 2, 4 and 8 times as much work, in the labels "x1", "x2", "x4" and "x8". They are
// in a label "step" that begins in the first submit and ends in the second. The third submit executes secondaries: one
// with a dispatch of 3, and one with a dispatch of 5 that is executed twice.
//   kernels [--loops N] [--label NAME]: NAME stands for "x8".
//   --loops N: each dispatch is one workgroup that loops N times as often as it is to cost; N up to 8,000. Without it,
//   each is so many workgroups as it is to cost.
#include <cstring>

#include "kernel.h"
#include "kernels.comp.h"

using namespace program;

namespace {

struct Kernels {
  Session& s;
  const Kernel& kernel;
  std::uint32_t loops;

  void dispatch(VkCommandBuffer cmd, std::uint32_t cost) const {
    bind(cmd, kernel);
    push(cmd, kernel, loops != 0 ? loops * cost : 1);
    vkCmdDispatch(cmd, loops != 0 ? 1 : cost, 1, 1);
    barrier(cmd);
  }
  void labelled(const char* name, std::uint32_t cost) const {
    LOAD(s, vkCmdBeginDebugUtilsLabelEXT);
    LOAD(s, vkCmdEndDebugUtilsLabelEXT);
    const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, name, {}};
    vkCmdBeginDebugUtilsLabelEXT(s.cmd, &label);
    dispatch(s.cmd, cost);
    vkCmdEndDebugUtilsLabelEXT(s.cmd);
  }
  VkCommandBuffer secondary(std::uint32_t cost) const {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, s.commands.pool,
                                           VK_COMMAND_BUFFER_LEVEL_SECONDARY, 1};
    VkCommandBuffer made;
    CHECK(vkAllocateCommandBuffers(s.device, &info, &made));
    const VkCommandBufferInheritanceInfo inherited{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, &inherited};
    CHECK(vkBeginCommandBuffer(made, &begin));
    dispatch(made, cost);
    CHECK(vkEndCommandBuffer(made));
    return made;
  }
};

const char* text_option(int argc, char** argv, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  Wanted wanted;
  wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Session s = open("kernels", wanted);
  MappedBuffer values = create_mapped_buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (std::uint32_t i = 0; i < 16; ++i) values.words[i] = i;
  const Kernel kernel = create_kernel(s, shader(s, kernels_comp_spv), {values});
  const Kernels all{s, kernel, option(argc, argv, "--loops", 0)};

  LOAD(s, vkQueueBeginDebugUtilsLabelEXT);
  LOAD(s, vkQueueEndDebugUtilsLabelEXT);
  const VkDebugUtilsLabelEXT step{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "step", {}};
  vkQueueBeginDebugUtilsLabelEXT(s.queues[0], &step);
  all.labelled("x1", 1);
  all.labelled("x2", 2);
  run(s);
  all.labelled("x4", 4);
  all.labelled(text_option(argc, argv, "--label", "x8"), 8);
  run(s);
  vkQueueEndDebugUtilsLabelEXT(s.queues[0]);

  const VkCommandBuffer once = all.secondary(3), twice = all.secondary(5);
  vkCmdExecuteCommands(s.cmd, 1, &once);
  vkCmdExecuteCommands(s.cmd, 1, &twice);
  vkCmdExecuteCommands(s.cmd, 1, &twice);
  run(s);
  s.sum = checksum(values.words, 16);
  s.at_end.push_back([&] { destroy(s, values); });
  return finish(s);
}
