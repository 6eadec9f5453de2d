// SPDX-License-Identifier: Apache-2.0
// Forks while it works, and goes on: children that leave at once, that write to
// memory of their own, that ask about the parent's device, that have an instance
// of their own, and one that becomes another Vulkan program. A thread records and
// submits all the while; others fork at once.
//   forks [--exec 1]   the last child runs `vulkan14`, which lies beside this program
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kSlots = 64;
constexpr std::uint32_t kRounds = 32;
constexpr int kForkers = 3;
constexpr int kForksEach = 20;

// Asks a driver that its parent opened.
void ask_about_the_device(const Context& c) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(c.physical, &properties);
  if (properties.apiVersion < VK_API_VERSION_1_1) _exit(2);
}

template <class Child>
void fork_and_wait(const Child& child) {
  const pid_t pid = fork();
  if (pid < 0) die("fork", pid);
  if (pid == 0) {
    child();
    _exit(99);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    die("a child ended badly", status);
}

}  // namespace

int main(int argc, char** argv) {
  Context c = create_context("forks");
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, kSlots);
  std::mutex queue_lock;
  std::atomic<std::uint32_t> rounds = 0;
  std::thread other([&] {
    Commands own = create_commands(c);
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      write_input(a, kSlots / 2 + round, round);
      begin(own);
      record_dispatch(a, own, kSlots / 2 + round, kNoSlot);
      CHECK(vkEndCommandBuffer(own.buffer));
      {
        const std::lock_guard lock(queue_lock);
        submit(c.queues[0], own);
      }
      wait(c, own);
      expect_slot(a, kSlots / 2 + round, round);
      rounds = round + 1;
    }
    destroy(c, own);
  });

  const auto work = [&](std::uint32_t slot) {
    write_input(a, slot, 100 + slot);
    begin(commands);
    record_dispatch(a, commands, slot, kNoSlot);
    CHECK(vkEndCommandBuffer(commands.buffer));
    {
      const std::lock_guard lock(queue_lock);
      submit(c.queues[0], commands);
    }
    wait(c, commands);
    expect_slot(a, slot, 100 + slot);
  };
  work(0);
  fork_and_wait([] { _exit(0); });
  work(1);
#ifndef __SANITIZE_THREAD__  // TSan waits for ever for threads that lavapipe's handlers join and no child has
  fork_and_wait([] { std::exit(0); });  // with the parent's exit handlers
#endif
  work(2);
  fork_and_wait([] {
    std::vector<char> own(1 << 20, 'x');
    _exit(own[12345] == 'x' ? 0 : 1);
  });
  work(3);
  std::vector<std::thread> forkers;
  for (int i = 0; i < kForkers; ++i)
    forkers.emplace_back([&] {
      for (int j = 0; j < kForksEach; ++j)
        fork_and_wait([&] {
          ask_about_the_device(c);
          _exit(0);
        });
    });
  work(4);
  for (std::thread& forker : forkers) forker.join();
  fork_and_wait([&] {
    const VkInstance own = create_instance("a child", VK_API_VERSION_1_1);
    vkDestroyInstance(own, nullptr);
    _exit(0);
  });
  work(5);
  if (option(argc, argv, "--exec", 0) != 0) {
    const std::string self = argv[0];
    const std::string another = self.substr(0, self.rfind('/') + 1) + "vulkan14";
    fork_and_wait([&] { execl(another.c_str(), another.c_str(), static_cast<char*>(nullptr)); });
    work(6);
  }
  other.join();
  std::printf("forks: %u rounds, checksum %016llx\n", rounds.load(),
              static_cast<unsigned long long>(checksum(a.output.words, kSlots * kSlotWords)));
  destroy(c, a);
  destroy(c, commands);
  destroy(c);
  return 0;
}
