// SPDX-License-Identifier: Apache-2.0
// Two threads that write into the same mapped page and submit: each has its
// own command buffer, fence and slots, and its own queue where the device has
// two (else they take turns on one). A recorder that gives one thread's bytes
// to the other's submit too late makes a wrong replay.
//   twoqueues_threads [--rounds N]
#include <mutex>
#include <thread>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kSlots = 16;  // 4096 bytes: one page of inputs, one of outputs

void run(const Context& c, const Accumulate& a, std::uint32_t thread, std::uint32_t rounds, std::mutex& queue_lock) {
  Commands commands = create_commands(c);
  const VkQueue queue = c.queues[thread % c.queues.size()];
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t slot = (round * 2 + thread) % kSlots;
    const std::uint32_t value = round * 2 + thread;
    write_input(a, slot, value);
    begin(commands);
    record_dispatch(a, commands, slot, kNoSlot);
    CHECK(vkEndCommandBuffer(commands.buffer));
    {
      std::lock_guard lock(queue_lock);  // a queue is used by one thread at a time
      submit(queue, commands);
    }
    wait(c, commands);
    for (std::uint32_t w = 0; w < kSlotWords; ++w)
      if (a.output.words[slot * kSlotWords + w] != 3 * input_value(value, w)) wrong("wrong result in round", round);
  }
  destroy(c, commands);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t rounds = option(argc, argv, "--rounds", 64);
  Context c = create_context("twoqueues_threads", 2);
  Accumulate a = create_accumulate(c, kSlots);
  std::mutex queue_lock;
  std::thread other([&] { run(c, a, 1, rounds, queue_lock); });
  run(c, a, 0, rounds, queue_lock);
  other.join();
  std::printf("twoqueues_threads: %zu queues, %u submits, checksum %016llx\n", c.queues.size(), 2 * rounds,
              static_cast<unsigned long long>(checksum(a.output.words, kSlots * kSlotWords)));
  destroy(c, a);
  destroy(c);
  return 0;
}
