// SPDX-License-Identifier: Apache-2.0
// Products of two matrices, one a submit that the host waits for.
//   multiply [--size N] [--times 1] [--repeat N]
// --times: prints how long the device worked on submits 5 to the last (from 0), and how long the host took for all.
#include <chrono>

#include "device_time.h"
#include "kernel.h"
#include "multiply.comp.h"

using namespace program;

namespace {

constexpr VkBufferUsageFlags kStorageOnly = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

float number(std::uint32_t seed, std::uint32_t i) { return static_cast<float>(mix(seed, i) % 4); }

void fill(const MappedBuffer& b, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < b.bytes / 4; ++i) {
    const float value = number(seed, i);
    std::memcpy(b.words + i, &value, sizeof value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t size = option(argc, argv, "--size", 128), repeat = option(argc, argv, "--repeat", 16);
  const bool times = option(argc, argv, "--times", 0) != 0;
  if (size == 0 || size % 16 != 0 || size > 8192 || repeat < 6 || repeat > 100000)
    die("--size a multiple of 16 up to 8192, --repeat 6 to 100000", 0);
  Session s = open("multiply");
  const VkDeviceSize bytes = VkDeviceSize{size} * size * 4;
  const MappedBuffer a = buffer(s, bytes, kStorageOnly), b = buffer(s, bytes, kStorageOnly),
                     c = buffer(s, bytes, kStorageOnly);
  fill(a, 1);
  fill(b, 2);
  const Kernel k = create_kernel(s, shader(s, multiply_comp_spv), {a, b, c});
  DeviceTime device(s, repeat);
  const auto start = std::chrono::steady_clock::now();
  for (std::uint32_t n = 0; n < repeat; ++n) {
    device.begin(n);
    bind(s.cmd, k);
    push(s.cmd, k, size);
    vkCmdDispatch(s.cmd, size / 16, size / 16, 1);
    device.end(n);
    run(s);
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  if (times)
    std::printf("multiply: submits 5 to %u: device %.3f ms; all: host %.3f ms\n", repeat,
                device.milliseconds(5, repeat), spent.count());
  for (std::uint32_t at = 0; at < size; at += size / 8) {
    float sum = 0, found;
    for (std::uint32_t i = 0; i < size; ++i) sum += number(1, at * size + i) * number(2, i * size + at);
    std::memcpy(&found, c.words + at * size + at, sizeof found);
    EXPECT(s, found == sum);
  }
  add(s, c);
  return finish(s);
}
