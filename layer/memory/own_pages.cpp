// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/own_pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "layer/memory/kernel.h"
#include "layer/memory/mappings.h"

namespace rondo::memory {
namespace {

bool can_populate() noexcept {
  alignas(page_bytes) static const char page[page_bytes] = {1};
  return advise(const_cast<char*>(page), sizeof page, MADV_POPULATE_READ) == 0;
}

// Pages of a device (VM_IO), which cannot be populated: whether the kernel can copy from them. The call
// reads a set of signals there, and changes none for want of a valid `how`.
bool can_copy_from(const std::byte* start, std::size_t bytes) noexcept {
  constexpr int no_how = -1;
  for (std::size_t at = 0; at < bytes; at += page_bytes)
    if (syscall(SYS_rt_sigprocmask, no_how, start + at, nullptr, sizeof(std::uint64_t)) == 0 || errno != EINVAL)
      return false;
  return true;
}

}  // namespace

Backing backing_of(const std::byte* start, std::size_t bytes) noexcept {
  auto at = reinterpret_cast<std::uintptr_t>(start);
  const std::uintptr_t end = at + bytes;
  constexpr int both = PROT_READ | PROT_WRITE;
  Mappings mappings;
  for (Mapping one; mappings.next(one);) {
    if (one.to <= at) continue;
    if (one.from > at) return Backing::unknown;  // a hole
    if ((one.rights & both) != both) return Backing::unknown;
    if (one.shared && reinterpret_cast<std::uintptr_t>(start) == at && one.to >= end) return Backing::shared;
    if (one.shared || one.inode != 0 || one.stack) return Backing::unknown;
    at = one.to;
    if (at >= end) return Backing::anonymous;
  }
  return Backing::unknown;
}

bool readable(const std::byte* start, std::size_t bytes) noexcept {
  static const bool asks = can_populate();
  if (!asks) return Kernel::mapped(start, bytes);
  void* const pages = const_cast<std::byte*>(start);
  int result = 0;
  do {
    result = advise(pages, bytes, MADV_POPULATE_READ);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result != 0 && errno == EINVAL) return can_copy_from(start, bytes);
  // Poisoned pages and no memory are not what a reader can help.
  return result == 0;
}

}  // namespace rondo::memory
