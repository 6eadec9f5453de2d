// SPDX-License-Identifier: Apache-2.0
// Labels in command buffers, around a part of what they do: of one that is recorded once and submitted
// twice, and of one that is recorded for its submit. Label "both" is entered two times in each.
//   label_times [--devices 1]: also of further devices between, one that goes at once and one that stays
#include <optional>

#include "support.h"

using namespace program;

namespace {

constexpr VkDeviceSize kBytes = 8 << 20;

void record(const Context& c, const MappedBuffer& out, const Commands& commands, const char* name,
            std::uint32_t value) {
  const auto begin_label = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(
      vkGetInstanceProcAddr(c.instance, "vkCmdBeginDebugUtilsLabelEXT"));
  const auto end_label =
      reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(vkGetInstanceProcAddr(c.instance, "vkCmdEndDebugUtilsLabelEXT"));
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
}

std::uint64_t run(const Context& c, const MappedBuffer& out, const Commands& commands) {
  submit(c.queues[0], commands);
  wait(c, commands);
  return checksum(out.words, kBytes / 4);
}

// A device of its own.
struct Further {
  Context c;
  MappedBuffer out;
  Commands commands;

  Further(VkInstance instance, const Wanted& wanted)
      : c(create_device(instance, wanted)),
        out(create_mapped_buffer(c, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT)),
        commands(create_commands(c)) {}
  std::uint64_t work(std::uint32_t value) {
    record(c, out, commands, "fresh", value);
    return run(c, out, commands);
  }
  void end() {
    destroy(c, out);
    destroy(c, commands);
    vkDestroyDevice(c.device, nullptr);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const bool more = option(argc, argv, "--devices", 0) != 0;
  Wanted wanted;
  wanted.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
  Context c = create_context("label_times", wanted);
  MappedBuffer out = create_mapped_buffer(c, kBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  Commands kept = create_commands(c), fresh = create_commands(c);
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t words) { sum = sum * 31 + words; };
  record(c, out, kept, "kept", 3);
  add(run(c, out, kept));
  std::optional<Further> stays;
  for (std::uint32_t n = 0; n < 2; ++n) {
    record(c, out, fresh, "fresh", 7 + n);
    add(run(c, out, fresh));
    add(run(c, out, kept));
    if (!more || n != 0) continue;
    Further goes(c.instance, wanted);
    add(goes.work(20));
    goes.end();
    stays.emplace(c.instance, wanted);
    add(stays->work(30));
  }
  std::printf("label_times: checksum %016llx\n", static_cast<unsigned long long>(sum));
  if (stays) stays->end();
  destroy(c, out);
  destroy(c, kept);
  destroy(c, fresh);
  destroy(c);
  return 0;
}
