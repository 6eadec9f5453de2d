// SPDX-License-Identifier: Apache-2.0
// Ends in the middle of its work: one thread records, one polls, a submit is
// pending and will never be waited for. Nothing is destroyed.
//   midway [--end 0|1|2|3|4]   exit, _exit, quick_exit, abort, return from main
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "shift.h"

using namespace program;

namespace {

[[noreturn]] void end(std::uint32_t how) {
  switch (how) {
    case 1:
      _exit(0);
    case 2:
      std::quick_exit(0);
    case 3:
      std::abort();
    default:
      std::exit(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // What the threads use outlives main: they never end.
  static Context c = create_context("midway");
  static Shift shift = create_shift(c);
  static Commands done = create_commands(c), pending = create_commands(c);
  static std::atomic<int> busy = 0;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    run_once(c, done, [&](VkCommandBuffer b) { record_shift(shift, b); });
    expect_shifted(shift, i);
  }

  std::thread([] {
    Commands endless = create_commands(c);
    begin(endless);
    for (int i = 0;; ++i) {
      record_shift(shift, endless.buffer);
      if (i == 10) ++busy;
      usleep(20);
    }
  }).detach();
  std::thread([] {
    const VkFence never = create_fence(c);
    for (int i = 0; vkGetFenceStatus(c.device, never) == VK_NOT_READY; ++i)
      if (i == 10) ++busy;
  }).detach();
  while (busy != 2) usleep(100);

  begin(pending);
  record_shift(shift, pending.buffer);
  CHECK(vkEndCommandBuffer(pending.buffer));
  submit(c.queues[0], pending);
  std::printf("midway: 5 submits\n");
  std::fflush(stdout);
  const std::uint32_t how = option(argc, argv, "--end", 1);
  if (how == 4) return 0;
  end(how);
}
