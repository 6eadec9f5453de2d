// SPDX-License-Identifier: Apache-2.0
// Memory files (memfd_create).
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstddef>

namespace rondo::memory {

// Growing a file beyond the limit raises a signal that ends the program, and
// more than all memory would be SIGBUS later instead of an error now.
inline bool affordable(std::size_t bytes) noexcept {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur) return false;
  struct sysinfo memory;
  if (sysinfo(&memory) != 0) return true;
  return bytes / memory.mem_unit <= memory.totalram + memory.totalswap;
}

// The descriptor, or -1.
inline int make_file(std::size_t bytes) noexcept {
  const int file = memfd_create("rondo", MFD_CLOEXEC);
  if (file < 0) return -1;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

}  // namespace rondo::memory
