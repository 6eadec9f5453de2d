// SPDX-License-Identifier: Apache-2.0
// Many small submits over one persistently mapped buffer: the host writes
// another part before each submit, waits by fence, reads the result and checks
// it. Status 0 only if every word was right.
//   compute [--submits N]
#include "accumulate.h"

using namespace program;

int main(int argc, char** argv) {
  const std::uint32_t submits = option(argc, argv, "--submits", 64);
  constexpr std::uint32_t slots = 64;  // 16 KiB a buffer: four pages
  Context c = create_context("compute");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, slots);

  std::uint32_t expected[kSlotWords] = {};
  for (std::uint32_t i = 0; i < submits; ++i) {
    const std::uint32_t slot = i * 7 % slots;  // another page nearly every time
    const std::uint32_t previous = i == 0 ? kNoSlot : (i - 1) * 7 % slots;
    write_input(a, slot, i);
    begin(commands);
    record_dispatch(a, commands, slot, previous);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
    wait(c, commands);
    for (std::uint32_t w = 0; w < kSlotWords; ++w) {
      expected[w] += 3 * input_value(i, w);
      if (a.output.words[slot * kSlotWords + w] != expected[w]) wrong("wrong result in submit", i);
    }
  }
  std::printf("compute: %u submits, checksum %016llx\n", submits,
              static_cast<unsigned long long>(checksum(a.output.words, slots * kSlotWords)));
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}
