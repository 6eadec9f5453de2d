// SPDX-License-Identifier: Apache-2.0
// The device writes the same bytes again: the last copy leaves `output` as it
// was, but only because the host took its second write back. A proof that
// compares changed bytes alone does not see a missing host write.
#include "support.h"

using namespace program;

namespace {

void copy(const Context& c, const Commands& commands, const MappedBuffer& from, const MappedBuffer& to) {
  begin(commands);
  const VkBufferCopy region{0, 0, from.bytes};
  vkCmdCopyBuffer(commands.buffer, from.buffer, to.buffer, 1, &region);
  VkMemoryBarrier to_host{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                          VK_ACCESS_HOST_READ_BIT};
  vkCmdPipelineBarrier(commands.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0,
                       nullptr, 0, nullptr);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
}

}  // namespace

int main() {
  Context c = create_context("rewrite");
  Commands commands = create_commands(c);
  constexpr VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  MappedBuffer input = create_mapped_buffer(c, 4096, usage);
  MappedBuffer output = create_mapped_buffer(c, 4096, usage);
  std::memset(output.words, 0, 4096);

  input.words[0] = 5;
  copy(c, commands, input, output);
  input.words[100] = 9;  // reaches the device by an empty submit
  begin(commands);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
  input.words[100] = 0;
  copy(c, commands, input, output);

  const bool right = output.words[0] == 5 && output.words[100] == 0;
  std::printf("rewrite: 3 submits, %s\n", right ? "right" : "wrong");
  destroy(c, input);
  destroy(c, output);
  destroy(c, commands);
  destroy(c);
  return right ? 0 : 1;
}
