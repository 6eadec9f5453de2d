// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "layer/memory/compare.h"
#include "layer/memory/kernel.h"

namespace rondo::memory {

namespace {
using Word = std::uint64_t __attribute__((may_alias));
}

std::unique_ptr<Shadow> Shadow::create(std::byte* real, std::size_t bytes, bool zeros) noexcept {
  std::unique_ptr<Shadow> shadow(new (std::nothrow) Shadow());
  if (!shadow) return nullptr;
  const std::size_t lead = reinterpret_cast<std::uintptr_t>(real) % page_bytes;
  const std::size_t whole = (lead + bytes + page_bytes - 1) / page_bytes * page_bytes;
  void* const mapped = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  advise(mapped, whole, MADV_NOHUGEPAGE);  // it is watched page by page
  shadow->real_ = real;
  shadow->mapping_ = mapped;
  shadow->mapped_bytes_ = whole;
  shadow->copy_ = static_cast<std::byte*>(mapped) + lead;
  if (!zeros) copy_live(real, shadow->copy_, bytes);
  return shadow;
}

Shadow::~Shadow() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
}

RONDO_RACES_ARE_MEANT
void Shadow::push(const std::byte* before, const std::byte* now, std::size_t offset, std::size_t bytes) const noexcept {
  auto* const to = const_cast<volatile std::byte*>(real_ + offset);
  for (std::size_t at = 0; at < bytes;) {
    if (now[at] == before[at]) {
      ++at;
      continue;
    }
    // A run of changed bytes goes in words where it can: the memory may be far away.
    std::size_t end = at + 1;
    while (end < bytes && now[end] != before[end]) ++end;
    for (; at < end && reinterpret_cast<std::uintptr_t>(to + at) % 8 != 0; ++at) to[at] = now[at];
    for (; end - at >= 8; at += 8) {
      Word word;
      __builtin_memcpy(&word, now + at, sizeof word);
      *reinterpret_cast<volatile Word*>(to + at) = word;
    }
    for (; at < end; ++at) to[at] = now[at];
  }
}

RONDO_RACES_ARE_MEANT
void Shadow::pull(std::byte* base, std::size_t offset, std::size_t bytes, Found found, void* context) const noexcept {
  auto* const copy = const_cast<volatile std::byte*>(copy_ + offset);
  const std::byte* const real = real_ + offset;
  std::size_t begin = 0, end = 0;  // of what was taken, and not yet told
  for (std::size_t piece = 0; piece < bytes; piece += page_bytes) {
    const std::size_t size = std::min(page_bytes, bytes - piece);
    if (!differs(real + piece, base + piece, size)) continue;
    std::byte now[page_bytes];
    copy_live(real + piece, now, size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = piece + i;
      if (now[i] == base[at]) continue;
      // The program's own write is newer: it is given to the device at the next submit.
      const bool written = copy[at] != base[at];
      base[at] = now[i];
      if (written) continue;
      copy[at] = now[i];
      if (begin != end && at - end > merge_gap) {
        found(context, begin, end);
        begin = end;
      }
      if (begin == end) begin = at;
      end = at + 1;
    }
  }
  if (begin != end) found(context, begin, end);
}

}  // namespace rondo::memory
