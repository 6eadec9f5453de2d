// SPDX-License-Identifier: Apache-2.0
// Gives pages back to the kernel (madvise) that a device works on: of mapped memory, and of the program's own
// pages that it imported (VK_EXT_external_memory_host), private and shared ones. Whether such a page is zero
// afterwards depends on what the driver's memory is made of, so the program prints what it sees, and what a
// copy by the device gives.
//   given_back [--own 1] [--advice N]   --own 1: only its own pages; --advice: of madvise, MADV_DONTNEED
//   without it
#include <sys/mman.h>

#include <cerrno>

#include "host_pages.h"

using namespace program;

namespace {

constexpr std::size_t kPage = 4096, kPages = 32, kBytes = kPages * kPage;
constexpr std::size_t kWords = kPage / 4;  // of a page
constexpr VkBufferUsageFlags kFrom = VK_BUFFER_USAGE_TRANSFER_SRC_BIT, kTo = VK_BUFFER_USAGE_TRANSFER_DST_BIT;

void fill(const MappedBuffer& b, std::uint32_t value) {
  for (std::size_t i = 0; i < kPages * kWords; ++i) b.words[i] = value;
}

void copy_and_print(Session& s, const char* what, const MappedBuffer& from, const MappedBuffer& to) {
  const VkBufferCopy all{0, 0, kBytes};
  barrier(s.cmd);
  vkCmdCopyBuffer(s.cmd, from.buffer, to.buffer, 1, &all);
  run(s);
  std::printf("%s: the device sees", what);
  for (std::size_t page = 7; page < 13; ++page) std::printf(" %u", to.words[page * kWords]);
  std::printf("\n");
  add(s, to);
}

// Pages 8 to 10 are given back after the device has read them; 11 is, and is written again.
void give_back(Session& s, const char* what, const MappedBuffer& b, const MappedBuffer& to, int advice) {
  fill(b, 5);
  copy_and_print(s, what, b, to);
  const int result = madvise(b.words + 8 * kWords, 4 * kPage, advice);
  std::printf("%s: madvise %d (%d)\n", what, result, result == 0 ? 0 : errno);
  b.words[11 * kWords] = 6;
  copy_and_print(s, what, b, to);
  std::printf("%s: the host sees", what);
  for (std::size_t page = 7; page < 13; ++page)
    std::printf(" %u %u", b.words[page * kWords], b.words[page * kWords + 1]);
  std::printf("\n");
  fill(b, 7);
  copy_and_print(s, what, b, to);
  // Nobody touches them before the device does.
  madvise(b.words + 9 * kWords, 2 * kPage, advice);
  copy_and_print(s, what, b, to);
}

std::uint32_t* own_pages(Session& s, std::size_t granule, int flags) {
  return map(s, granule, kBytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1);
}

}  // namespace

int main(int argc, char** argv) {
  const bool own = option(argc, argv, "--own", 0) != 0;
  const int advice = static_cast<int>(option(argc, argv, "--advice", MADV_DONTNEED));
  Session s = open("given_back", {.extensions = {"VK_EXT_external_memory_host"}});
  const std::size_t granule = granule_of(s);
  const MappedBuffer to = buffer(s, kBytes, kTo);
  if (!own) give_back(s, "mapped", buffer(s, kBytes, kFrom), to, advice);
  give_back(s, "private", import(s, own_pages(s, granule, MAP_PRIVATE), kBytes, kFrom), to, advice);
  give_back(s, "shared", import(s, own_pages(s, granule, MAP_SHARED), kBytes, kFrom), to, advice);
  return finish(s);
}
