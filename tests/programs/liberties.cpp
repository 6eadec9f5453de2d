// SPDX-License-Identifier: Apache-2.0
// Liberties that real programs take: names and labels through VK_EXT_debug_utils,
// which was never enabled but which the loader gives out all the same; and memory
// that is mapped only after the wait for what the device wrote to it.
#include "session.h"

using namespace program;

int main() {
  Session s = open("liberties");
  LOAD(s, vkSetDebugUtilsObjectNameEXT);
  LOAD(s, vkQueueBeginDebugUtilsLabelEXT);
  LOAD(s, vkQueueEndDebugUtilsLabelEXT);
  LOAD(s, vkCmdInsertDebugUtilsLabelEXT);
  const VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, "not asked for", {}};

  constexpr std::uint32_t kWords = 4096;
  MappedBuffer out = create_mapped_buffer(s, kWords * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  const VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(out.buffer),
                                           "out"};
  CHECK(vkSetDebugUtilsObjectNameEXT(s.device, &name));
  vkUnmapMemory(s.device, out.memory);
  for (std::uint32_t i = 1; i <= 4; ++i) {
    vkCmdInsertDebugUtilsLabelEXT(s.cmd, &label);
    vkCmdFillBuffer(s.cmd, out.buffer, 0, VK_WHOLE_SIZE, i * 0x01010101);
    vkQueueBeginDebugUtilsLabelEXT(s.queues[0], &label);
    run(s);
    vkQueueEndDebugUtilsLabelEXT(s.queues[0]);
    void* mapped = nullptr;
    CHECK(vkMapMemory(s.device, out.memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    out.words = static_cast<std::uint32_t*>(mapped);
    EXPECT(s, out.words[0] == i * 0x01010101 && out.words[kWords - 1] == i * 0x01010101);
    add(s, out);
    if (i < 4) vkUnmapMemory(s.device, out.memory);
  }
  destroy(s, out);
  return finish(s);
}
