// SPDX-License-Identifier: Apache-2.0
// Submits, then dies as by `kill -9`: in the middle of recording a command
// buffer, with the last submit not waited for.
//   crash [--submits N]
#include <unistd.h>

#include <csignal>

#include "accumulate.h"

using namespace program;

int main(int argc, char** argv) {
  const std::uint32_t submits = option(argc, argv, "--submits", 16);
  constexpr std::uint32_t slots = 64;
  Context c = create_context("crash");
  Commands commands = create_commands(c);
  Commands unfinished = create_commands(c);
  Accumulate a = create_accumulate(c, slots);
  for (std::uint32_t i = 0; i < submits; ++i) {
    if (i > 0) wait(c, commands);
    write_input(a, i % slots, i);
    begin(commands);
    record_dispatch(a, commands, i % slots, i == 0 ? kNoSlot : (i - 1) % slots);
    CHECK(vkEndCommandBuffer(commands.buffer));
    submit(c.queues[0], commands);
  }
  begin(unfinished);
  record_dispatch(a, unfinished, 0, kNoSlot);
  std::printf("crash: %u submits\n", submits);
  std::fflush(stdout);
  kill(getpid(), SIGKILL);
  return 1;
}
