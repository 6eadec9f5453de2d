// SPDX-License-Identifier: Apache-2.0
// Writes more than it ever has mapped: noise, another one for each submit, which copies a part of it out.
//   uploads [--mebibytes N] N times a MiB
#include "support.h"

using namespace program;

int main(int argc, char** argv) {
  constexpr std::uint32_t kWords = (1u << 20) / 4;
  const std::uint32_t count = option(argc, argv, "--mebibytes", 4);
  Context c = create_context("uploads");
  Commands commands = create_commands(c);
  MappedBuffer in = create_mapped_buffer(c, kWords * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  MappedBuffer out = create_mapped_buffer(c, 4096, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  std::uint64_t sum = 0;
  for (std::uint32_t n = 0; n < count; ++n) {
    for (std::uint32_t i = 0; i < kWords; ++i) in.words[i] = mix(n, i);
    run_once(c, commands, [&](VkCommandBuffer buffer) {
      const VkBufferCopy region{n % 256 * 4096, 0, 4096};
      vkCmdCopyBuffer(buffer, in.buffer, out.buffer, 1, &region);
      transfers_to_host(buffer);
    });
    if (out.words[1] != mix(n, n % 256 * 1024 + 1)) wrong("word", static_cast<long>(n));
    sum = sum * 31 + checksum(out.words, 1024);
  }
  std::printf("uploads: %u MiB, checksum %016llx\n", count, static_cast<unsigned long long>(sum));
  destroy(c, in);
  destroy(c, out);
  destroy(c, commands);
  destroy(c);
  return 0;
}
