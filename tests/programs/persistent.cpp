// SPDX-License-Identifier: Apache-2.0
// What a frame costs a program that keeps a large buffer mapped and writes a
// part of its pages each time: prints the best and the median milliseconds of a
// frame, from its first write until its submit is done, and the process's PSS in
// KiB behind the last.
//   persistent [--megabytes N] [--percent N] [--dense 1] [--writable 1] [--fill 0] [--frames N]
// Each touched page gets eight new bytes, or with --dense is written whole. With
// --writable the device may write the buffer, too, and writes some of it. With
// --fill 0 the rest of the buffer was never written.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "support.h"

using namespace program;

namespace {

constexpr std::size_t kPage = 4096;

// Numbers that do not repeat and that no codec makes much smaller.
std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

long pss() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("Pss:", 0) == 0) return std::strtol(line.c_str() + 4, nullptr, 10);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = std::size_t{option(argc, argv, "--megabytes", 64)} << 20;
  const std::uint32_t percent = option(argc, argv, "--percent", 1);
  const bool dense = option(argc, argv, "--dense", 0) != 0;
  const bool writable = option(argc, argv, "--writable", 0) != 0;
  const bool fill = option(argc, argv, "--fill", 1) != 0;
  const std::uint32_t frames = option(argc, argv, "--frames", 60);
  if (bytes == 0 || percent == 0 || percent > 100 || frames == 0) die("persistent: bad options", 2);

  Context c = create_context("persistent");
  Commands commands = create_commands(c);
  MappedBuffer buffer = create_mapped_buffer(
      c, bytes,
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | (writable ? VkBufferUsageFlags{VK_BUFFER_USAGE_TRANSFER_DST_BIT} : 0));
  MappedBuffer other = create_mapped_buffer(c, kPage, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  auto* const mapped = reinterpret_cast<unsigned char*>(buffer.words);
  if (fill) std::memset(mapped, 1, bytes);

  const std::size_t pages = bytes / kPage;
  const std::size_t touched = std::max<std::size_t>(1, pages * percent / 100);
  const VkBufferCopy copy{0, 64, 64};  // the device has something to do
  std::uint64_t state = 88172645463325252u;
  std::vector<double> spent;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    begin(commands);
    vkCmdCopyBuffer(commands.buffer, buffer.buffer, writable ? buffer.buffer : other.buffer, 1, &copy);
    CHECK(vkEndCommandBuffer(commands.buffer));
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < touched; ++i) {
      unsigned char* const page = mapped + i * pages / touched * kPage;
      for (std::size_t at = 0; at < (dense ? kPage : sizeof state); at += sizeof state) {
        const std::uint64_t value = next(state);
        std::memcpy(page + at, &value, sizeof value);
      }
    }
    submit(c.queues[0], commands);
    wait(c, commands);
    spent.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(spent.begin(), spent.end());
  std::printf("frame best %.3f ms median %.3f ms, PSS %ld KiB\n", spent.front(), spent[spent.size() / 2], pss());
  destroy(c, other);
  destroy(c, buffer);
  destroy(c, commands);
  destroy(c);
  return 0;
}
