// SPDX-License-Identifier: Apache-2.0
// Does its work and destroys nothing.
//   leak [--quick 1]   leaves by _exit: no destructor and no exit handler runs
#include <unistd.h>

#include "accumulate.h"

using namespace program;

int main(int argc, char** argv) {
  Context c = create_context("leak");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, 8);
  for (std::uint32_t i = 0; i < 8; ++i) {
    write_input(a, i, i);
    begin(commands);
    record_dispatch(a, commands, i, i == 0 ? kNoSlot : i - 1);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
    wait(c, commands);
  }
  std::printf("leak: 8 submits, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(a.output.words, 8 * kSlotWords)));
  std::fflush(stdout);
  if (option(argc, argv, "--quick", 0) != 0) _exit(0);
  return 0;
}
