// SPDX-License-Identifier: Apache-2.0
// Which pages of a memfd exist.
#pragma once

#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "layer/memory/kernel.h"

namespace rondo::memory {

// Calls visit(first, last) for pages of a memfd that exist. Reading another one
// through a mapping would create it. A page in swap does not count as resident,
// so with anything in swap every page may exist.
template <class Visit>
void existing_pages(const std::byte* mapping, std::size_t first, std::size_t last, Visit visit) {
  struct sysinfo memory;
  // The kernel tells of its own pages, which may be larger.
  static const bool other_pages = sysconf(_SC_PAGESIZE) != static_cast<long>(page_bytes);
  const bool swapped = other_pages || sysinfo(&memory) != 0 || memory.freeswap != memory.totalswap;
  std::array<unsigned char, 4096> resident;
  while (first < last) {
    const std::size_t count = std::min(last - first, resident.size());
    void* const start = const_cast<std::byte*>(mapping + first * page_bytes);
    if (swapped || mincore(start, count * page_bytes, resident.data()) != 0) {
      visit(first, last);
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      if ((resident[i] & 1) != 0) visit(first + i, first + i + 1);
    first += count;
  }
}

}  // namespace rondo::memory
