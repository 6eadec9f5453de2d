// SPDX-License-Identifier: Apache-2.0
// Labels in command buffers, around a part of what they do: of one that is recorded once and submitted
// twice, and of one that is recorded for its submit. Label "both" is entered two times in each.
#include "support.h"

using namespace program;

int main() {
  Wanted wanted;
  wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Context c = create_context("label_times", wanted);
  const auto begin_label = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
      vkGetInstanceProcAddr(c.instance, "vkCmdBeginDebugUtilsLabelEXT"));
  const auto end_label = reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(
      vkGetInstanceProcAddr(c.instance, "vkCmdEndDebugUtilsLabelEXT"));
  constexpr VkDeviceSize kBytes = 8 << 20;
  MappedBuffer out = create_mapped_buffer(c, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Commands kept = create_commands(c), fresh = create_commands(c);
  const auto record = [&](const Commands& commands, const char* name, std::uint32_t value) {
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = name;
    begin(commands.buffer, 0);  // for more than one submit
    vkCmdFillBuffer(commands.buffer, out.buffer, 0, kBytes / 2, value);
    begin_label(commands.buffer, &label);
    vkCmdFillBuffer(commands.buffer, out.buffer, kBytes / 2, kBytes / 2, value + 1);
    end_label(commands.buffer);
    label.pLabelName = "both";
    for (VkDeviceSize word = 0; word < 2; ++word) {
      transfer_barrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
      begin_label(commands.buffer, &label);
      vkCmdFillBuffer(commands.buffer, out.buffer, word * 4, 4, value + 2);
      end_label(commands.buffer);
    }
    transfers_to_host(commands.buffer);
    CHECK(vkEndCommandBuffer(commands.buffer));
  };
  std::uint64_t sum = 0;
  const auto run = [&](const Commands& commands) {
    submit(c.queues[0], commands);
    wait(c, commands);
    sum = sum * 31 + checksum(out.words, kBytes / 4);
  };
  record(kept, "kept", 3);
  run(kept);
  for (std::uint32_t n = 0; n < 2; ++n) {
    record(fresh, "fresh", 7 + n);
    run(fresh);
    run(kept);
  }
  std::printf("label_times: checksum %016llx\n", static_cast<unsigned long long>(sum));
  destroy(c, out);
  destroy(c, kept);
  destroy(c, fresh);
  destroy(c);
  return 0;
}
