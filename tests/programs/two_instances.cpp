// SPDX-License-Identifier: Apache-2.0
// Two instances, the first with two devices: three devices at work at once,
// each on a thread of its own, and taken down in another order than made.
#include <thread>

#include "accumulate.h"

using namespace program;

namespace {

constexpr std::uint32_t kSlots = 8;

std::uint64_t work(const Context& c, std::uint32_t seed, std::uint32_t rounds) {
  Commands commands = create_commands(c);
  Accumulate a = create_accumulate(c, kSlots);
  std::uint32_t before[kSlotWords]{};
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::uint32_t slot = round % kSlots;
    write_input(a, slot, seed + round);
    run_once(c, commands, [&](VkCommandBuffer buffer) {
      record_dispatch(a, buffer, a.set, slot, round == 0 ? kNoSlot : (round - 1) % kSlots);
    });
    expect_slot(a, slot, seed + round, before);
    std::memcpy(before, a.output.words + slot * kSlotWords, sizeof before);
  }
  const std::uint64_t sum = checksum(a.output.words, kSlots * kSlotWords);
  destroy(c, a);
  destroy(c, commands);
  return sum;
}

}  // namespace

int main() {
  const VkInstance first = create_instance("two_instances: first", VK_API_VERSION_1_1);
  const VkInstance second = create_instance("two_instances: second", VK_API_VERSION_1_2);
  Context devices[3] = {create_device(first, {}), create_device(second, {}), create_device(first, {})};
  std::uint64_t sums[3]{};
  std::vector<std::thread> workers;
  for (std::uint32_t i = 0; i < 3; ++i) workers.emplace_back([&, i] { sums[i] = work(devices[i], 100 * i, 16); });
  for (std::thread& worker : workers) worker.join();
  vkDestroyDevice(devices[0].device, nullptr);

  // What is left goes on, on another thread than before.
  sums[0] ^= work(devices[2], 1000, 4);
  vkDestroyDevice(devices[2].device, nullptr);
  vkDestroyInstance(first, nullptr);
  sums[1] ^= work(devices[1], 2000, 4);
  vkDestroyDevice(devices[1].device, nullptr);
  vkDestroyInstance(second, nullptr);
  std::printf("two_instances: 56 submits, checksums %016llx %016llx %016llx\n",
              static_cast<unsigned long long>(sums[0]), static_cast<unsigned long long>(sums[1]),
              static_cast<unsigned long long>(sums[2]));
  return 0;
}
