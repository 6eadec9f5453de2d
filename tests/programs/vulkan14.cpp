// SPDX-License-Identifier: Apache-2.0
// Asks for Vulkan 1.4, which is newer than the loader, the driver and most
// layers' manifests here, and does a little work.
//   vulkan14 [--probe 1]   asks for the version, and lets a child do the work while it lives
#include <sys/wait.h>
#include <unistd.h>

#include "accumulate.h"

using namespace program;

namespace {

// The layers are loaded for it.
int probe(char* self) {
  std::uint32_t version = 0;
  CHECK(vkEnumerateInstanceVersion(&version));
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/proc/self/exe", self, nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (option(argc, argv, "--probe", 0) != 0) return probe(argv[0]);
  Context c = create_context("vulkan14", 1, VK_MAKE_API_VERSION(0, 1, 4, 0));
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, 2);
  write_input(a, 1, 5);
  begin(commands);
  record_dispatch(a, commands, 1, kNoSlot);
  CHECK(vkEndCommandBuffer(commands.buffer));
  submit(c.queues[0], commands);
  wait(c, commands);
  for (std::uint32_t w = 0; w < kSlotWords; ++w)
    if (a.output.words[kSlotWords + w] != 3 * input_value(5, w)) wrong("wrong result in word", w);
  std::printf("vulkan14: 1 submit, checksum %016llx\n",
              static_cast<unsigned long long>(checksum(a.output.words, 2 * kSlotWords)));
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}
