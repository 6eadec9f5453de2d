// SPDX-License-Identifier: Apache-2.0
// Forks, and both go on with memory that a device works on: mapped memory of one page and of many, and the
// program's own pages that it imported (VK_EXT_external_memory_host), private and shared ones. The parent
// rewrites it, then the child looks; then the child writes, and the parent looks. Whether they see each
// other's writes depends on what the driver's memory is made of, so the program prints what they see.
//   parted [--mib N]    the large mapped memory has N MiB (1)
//          [--grand 1]  the child forks once more, and its child looks, too
//          [--limited 1]  files may be of 64 KiB while it forks
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_pages.h"

using namespace program;

namespace {

constexpr std::size_t kOwn = 64u << 10;
constexpr VkBufferUsageFlags kBoth = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

struct Piece {
  const char* what;
  MappedBuffer buffer;
};

void fill(const std::vector<Piece>& pieces, std::uint32_t value) {
  for (const Piece& p : pieces)
    for (std::size_t i = 0; i < p.buffer.bytes / 4; ++i) p.buffer.words[i] = value;
}

void say(const char* who, const std::vector<Piece>& pieces) {
  for (const Piece& p : pieces)
    std::printf(
        "%s: %s %u %u %016llx\n", who, p.what, p.buffer.words[0], p.buffer.words[p.buffer.bytes / 4 - 1],
        static_cast<unsigned long long>(checksum(p.buffer.words, static_cast<std::size_t>(p.buffer.bytes / 4))));
  std::fflush(stdout);
}

// One end lets the other one go on.
struct Turns {
  int ends[2];
  Turns() {
    if (pipe(ends) != 0) die("pipe", 0);
  }
  void give() const {
    if (write(ends[1], "", 1) != 1) die("write", 0);
  }
  void wait() const {
    char byte;
    if (read(ends[0], &byte, 1) != 1) die("read", 0);
  }
};

void wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) die("a child ended badly", status);
}

void copy_and_add(Session& s, const std::vector<Piece>& pieces) {
  for (const Piece& p : pieces) {
    const MappedBuffer to = buffer(s, p.buffer.bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    const VkBufferCopy all{0, 0, p.buffer.bytes};
    vkCmdCopyBuffer(s.cmd, p.buffer.buffer, to.buffer, 1, &all);
    run(s);
    add(s, to);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t large = static_cast<std::size_t>(option(argc, argv, "--mib", 1)) << 20;
  const bool grand = option(argc, argv, "--grand", 0) != 0;
  const bool limited = option(argc, argv, "--limited", 0) != 0;
  Session s = open("parted", {.extensions = {"VK_EXT_external_memory_host"}});
  const std::size_t granule = granule_of(s);
  const auto own = [&](int flags) {
    return import(s, map(s, granule, kOwn, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1), kOwn, kBoth);
  };
  const std::vector<Piece> pieces{{"one page", buffer(s, 4096, kBoth)},
                                  {"many pages", buffer(s, large, kBoth)},
                                  {"private pages", own(MAP_PRIVATE)},
                                  {"shared pages", own(MAP_SHARED)}};
  fill(pieces, 1);
  copy_and_add(s, pieces);
  std::fflush(stdout);
  const Turns parents, childs;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{64u << 10, before.rlim_max};
  if (limited) setrlimit(RLIMIT_FSIZE, &small);
  const pid_t child = fork();
  if (limited) setrlimit(RLIMIT_FSIZE, &before);
  if (child < 0) die("fork", 0);
  if (child == 0) {
    childs.wait();
    say("the child sees", pieces);
    fill(pieces, 3);
    if (grand) {
      const Turns grand_childs;
      const pid_t another = fork();
      if (another < 0) die("fork", 1);
      if (another == 0) {
        grand_childs.wait();
        say("its child sees", pieces);
        fill(pieces, 5);
        _exit(0);
      }
      fill(pieces, 4);
      grand_childs.give();
      wait_for(another);
      say("the child sees", pieces);
    }
    parents.give();
    _exit(0);
  }
  fill(pieces, 2);
  childs.give();
  parents.wait();
  say("the parent sees", pieces);
  wait_for(child);
  copy_and_add(s, pieces);
  return finish(s);
}
