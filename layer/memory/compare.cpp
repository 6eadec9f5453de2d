// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/compare.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rondo::memory {
namespace {

static_assert(std::endian::native == std::endian::little, "the first changed byte of a word is its lowest");

using Word = std::uint64_t __attribute__((may_alias));
constexpr std::size_t block_words = 8;

std::size_t phase(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(Word);
}

struct Runs {
  Found found;
  void* context;
  std::size_t begin = 0;
  std::size_t end = 0;  // nothing yet while equal to begin

  void add(std::size_t from, std::size_t to) {
    if (begin != end && from - end <= merge_gap) {
      end = to;
      return;
    }
    flush();
    begin = from;
    end = to;
  }
  void flush() const {
    if (begin != end) found(context, begin, end);
  }
};

}  // namespace

RONDO_RACES_ARE_MEANT
void differences(const std::byte* live, std::byte* base, std::size_t bytes, Store store, Found found,
                 void* context) noexcept {
  Runs runs{found, context};
  std::size_t at = 0;
  const auto byte_step = [&](std::size_t end) RONDO_RACES_ARE_MEANT {
    for (; at < end; ++at) {
      const std::byte now = *const_cast<const volatile std::byte*>(live + at);
      if (now == base[at]) continue;
      if (store == Store::yes) base[at] = now;
      runs.add(at, at + 1);
    }
  };
  const std::size_t misaligned = phase(live);
  if (misaligned != phase(base)) {
    byte_step(bytes);
    runs.flush();
    return;
  }
  if (misaligned != 0) byte_step(std::min(bytes, sizeof(Word) - misaligned));

  while (bytes - at >= block_words * sizeof(Word)) {
    const auto* source = reinterpret_cast<const volatile Word*>(live + at);
    auto* known = reinterpret_cast<Word*>(base + at);
    Word now[block_words];
    Word changed = 0;
    for (std::size_t i = 0; i < block_words; ++i) {
      now[i] = source[i];
      changed |= now[i] ^ known[i];
    }
    if (changed != 0) {
      for (std::size_t i = 0; i < block_words; ++i) {
        const std::uint64_t bits = now[i] ^ known[i];
        if (bits == 0) continue;
        if (store == Store::yes) known[i] = now[i];
        const std::size_t word = at + i * sizeof(Word);
        runs.add(word + static_cast<std::size_t>(std::countr_zero(bits)) / 8,
                 word + sizeof(Word) - static_cast<std::size_t>(std::countl_zero(bits)) / 8);
      }
    }
    at += block_words * sizeof(Word);
  }
  byte_step(bytes);
  runs.flush();
}

RONDO_RACES_ARE_MEANT
bool differs(const std::byte* live, const std::byte* base, std::size_t bytes) noexcept {
  std::size_t at = 0;
  if (phase(live) == 0 && phase(base) == 0) {
    for (; bytes - at >= block_words * sizeof(Word); at += block_words * sizeof(Word)) {
      const auto* source = reinterpret_cast<const volatile Word*>(live + at);
      const auto* known = reinterpret_cast<const Word*>(base + at);
      Word changed = 0;
      for (std::size_t i = 0; i < block_words; ++i) changed |= source[i] ^ known[i];
      if (changed != 0) return true;
    }
  }
  for (; at < bytes; ++at)
    if (*const_cast<const volatile std::byte*>(live + at) != base[at]) return true;
  return false;
}

RONDO_RACES_ARE_MEANT
void copy_live(const std::byte* live, std::byte* target, std::size_t bytes) noexcept {
  std::size_t at = 0;
  if (phase(live) == 0 && phase(target) == 0)
    for (; bytes - at >= sizeof(Word); at += sizeof(Word))
      *reinterpret_cast<Word*>(target + at) = *reinterpret_cast<const volatile Word*>(live + at);
  for (; at < bytes; ++at) target[at] = *const_cast<const volatile std::byte*>(live + at);
}

}  // namespace rondo::memory
