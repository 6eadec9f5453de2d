// SPDX-License-Identifier: Apache-2.0
// Phases that a program marks by the scope library, on two threads, nested and
// repeated, and before there is anything to record.
#include <rondo_scope.h>

#include <thread>

#include "accumulate.h"

using namespace program;

int main() {
  rondo_scope_begin("before everything");
  rondo_scope_end();
  Context c = create_context("scopes");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, 8);
  const auto work = [&](std::uint32_t slot) {
    write_input(a, slot, slot);
    run_once(c, commands, [&](VkCommandBuffer into) { record_dispatch(a, into, a.set, slot, slot); });
  };
  {
    const rondo_scope prefill("prefill");
    work(0);
    std::thread other([] {
      const rondo_scope beside("beside");
      rondo_scope_begin(nullptr);
      rondo_scope_end();
    });
    other.join();
  }
  for (std::uint32_t token = 0; token < 3; ++token) {
    const rondo_scope decode("decode");
    work(1 + token);
    const rondo_scope sample("sample");
    work(4);
  }
  rondo_scope_begin("left open");
  work(5);
  std::printf("scopes: checksum %016llx\n", static_cast<unsigned long long>(checksum(a.output.words, 8 * kSlotWords)));
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}
