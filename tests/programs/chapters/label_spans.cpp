// SPDX-License-Identifier: Apache-2.0
// Chapter "Debugging": labels that begin in one command buffer and end in
// another, or in the next submit, inserted between, in secondaries, of odd names
// and colours, and queues' labels around several submits.
#include "words.h"

using namespace program;

namespace {

VkDebugUtilsLabelEXT label(const char* name, float red = 0) {
  return {VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, nullptr, name, {red, 0.5f, 1, 0}};
}

struct Labels {
  PFN_vkCmdBeginDebugUtilsLabelEXT begin;
  PFN_vkCmdEndDebugUtilsLabelEXT end;
  PFN_vkCmdInsertDebugUtilsLabelEXT insert;
  PFN_vkQueueBeginDebugUtilsLabelEXT queue_begin;
  PFN_vkQueueEndDebugUtilsLabelEXT queue_end;
  PFN_vkQueueInsertDebugUtilsLabelEXT queue_insert;
};

Labels load_labels(const Session& s) {
  return {load<PFN_vkCmdBeginDebugUtilsLabelEXT>(s, "vkCmdBeginDebugUtilsLabelEXT"),
          load<PFN_vkCmdEndDebugUtilsLabelEXT>(s, "vkCmdEndDebugUtilsLabelEXT"),
          load<PFN_vkCmdInsertDebugUtilsLabelEXT>(s, "vkCmdInsertDebugUtilsLabelEXT"),
          load<PFN_vkQueueBeginDebugUtilsLabelEXT>(s, "vkQueueBeginDebugUtilsLabelEXT"),
          load<PFN_vkQueueEndDebugUtilsLabelEXT>(s, "vkQueueEndDebugUtilsLabelEXT"),
          load<PFN_vkQueueInsertDebugUtilsLabelEXT>(s, "vkQueueInsertDebugUtilsLabelEXT")};
}

}  // namespace

int main() {
  Needs needs;
  needs.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Session s = open("label_spans", needs);
  const Labels l = load_labels(s);
  const MappedBuffer out = buffer(s, 256, kCopies);
  const VkDebugUtilsLabelEXT outer = label("outer", 1), inner = label(""), odd = label("\xc3\x28 \"\\\n"),
                             frame = label("frame"), pass = label("pass");
  VkCommandBuffer buffers[3];
  for (std::uint32_t i = 0; i < 3; ++i) {
    buffers[i] = allocate_command_buffer(s, s.commands.pool);
    begin(buffers[i], 0);
    if (i == 0) l.begin(buffers[i], &outer);  // ends in the last
    if (i == 1) l.end(buffers[i]);            // began in the first
    l.begin(buffers[i], &inner);
    vkCmdFillBuffer(buffers[i], out.buffer, i * 64, 64, i + 10);
    l.insert(buffers[i], &odd);
    if (i != 2) l.end(buffers[i]);
    if (i == 1) l.begin(buffers[i], &pass);
    if (i == 2) {
      l.end(buffers[i]);
      l.end(buffers[i]);
      transfers_to_host(buffers[i]);
    }
    CHECK(vkEndCommandBuffer(buffers[i]));
  }
  l.queue_begin(s.queues[0], &frame);
  const VkSubmitInfo two{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 2, .pCommandBuffers = buffers};
  CHECK(vkQueueSubmit(s.queues[0], 1, &two, VK_NULL_HANDLE));
  l.queue_insert(s.queues[0], &odd);
  l.queue_begin(s.queues[0], &frame);
  submit(s.queues[0], buffers[2], s.commands.done);
  wait(s, s.commands);
  l.queue_end(s.queues[0]);
  vkCmdFillBuffer(s.cmd, out.buffer, 192, 64, 13);
  l.insert(s.cmd, &pass);
  run(s);
  l.queue_end(s.queues[0]);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT(s, out.words[i * 16 + 15] == i + 10);
  add(s, out);
  return finish(s);
}
