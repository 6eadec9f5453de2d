// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.h"

namespace rondo::fuzz {

void broken(std::string_view promise) {
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

MemoryFile::MemoryFile(std::span<const std::byte> bytes) : fd_(::memfd_create("rondo-fuzz", MFD_CLOEXEC)) {
  expect(fd_ >= 0, "memfd_create works");
  while (!bytes.empty()) {
    const auto n = ::write(fd_, bytes.data(), bytes.size());
    expect(n > 0, "a memory file takes what is written");
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  path_ = "/proc/self/fd/" + std::to_string(fd_);
}

MemoryFile::~MemoryFile() { ::close(fd_); }

}  // namespace rondo::fuzz
