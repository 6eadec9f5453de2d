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
static_assert(2 * sizeof(Word) <= merge_gap);

std::size_t phase(const std::byte* address) { return reinterpret_cast<std::uintptr_t>(address) % sizeof(Word); }

struct Runs {
  std::size_t gap;
  Found found;
  void* context;
  std::size_t begin = 0;
  std::size_t end = 0;  // nothing yet while equal to begin

  void add(std::size_t from, std::size_t to) {
    if (begin != end && from - end <= gap) {
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

// Of one word, which is not equal.
void exact_differences(Word changed, std::size_t at, Runs& runs) {
  constexpr Word ones = 0x0101010101010101, tops = 0x8080808080808080;
  if (((changed - ones) & ~changed & tops) == 0) {  // no byte of it is equal
    runs.add(at, at + sizeof(Word));
    return;
  }
  for (std::size_t i = 0; i < sizeof(Word); ++i)
    if ((changed >> (8 * i) & 0xff) != 0) runs.add(at + i, at + i + 1);
}

// Of one block, which lies `at` bytes from the start.
void block_differences(const Word* now, Word* known, std::size_t at, Store store, Runs& runs) {
  if (runs.gap == no_gap) {
    for (std::size_t i = 0; i < block_words; ++i) {
      if (now[i] == known[i]) continue;
      exact_differences(now[i] ^ known[i], at + i * sizeof(Word), runs);
      if (store == Store::yes) known[i] = now[i];
    }
    return;
  }
  unsigned equal = 0;
  for (std::size_t i = 0; i < block_words; ++i) equal += now[i] == known[i] ? 1 : 0;
  const auto first_byte = [&](std::size_t i) {
    return at + i * sizeof(Word) + static_cast<std::size_t>(std::countr_zero(now[i] ^ known[i])) / 8;
  };
  const auto end_byte = [&](std::size_t i) {
    return at + (i + 1) * sizeof(Word) - static_cast<std::size_t>(std::countl_zero(now[i] ^ known[i])) / 8;
  };
  if (equal == 0) {  // one run: changed bytes are less than two words apart
    runs.add(first_byte(0), end_byte(block_words - 1));
    if (store == Store::yes) std::copy_n(now, block_words, known);
    return;
  }
  for (std::size_t i = 0; i < block_words; ++i) {
    if (now[i] == known[i]) continue;
    runs.add(first_byte(i), end_byte(i));
    if (store == Store::yes) known[i] = now[i];
  }
}

}  // namespace

RONDO_RACES_ARE_MEANT
void differences(const std::byte* live, std::byte* base, std::size_t bytes, std::size_t gap, Store store, Found found,
                 void* context) noexcept {
  Runs runs{gap, found, context};
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
    // Named one by one, they stay in registers where nothing changed.
    const Word a = source[0], b = source[1], c = source[2], d = source[3];
    const Word e = source[4], f = source[5], g = source[6], h = source[7];
    const Word changed = (a ^ known[0]) | (b ^ known[1]) | (c ^ known[2]) | (d ^ known[3]) | (e ^ known[4]) |
                         (f ^ known[5]) | (g ^ known[6]) | (h ^ known[7]);
    if (changed != 0) {
      const Word now[block_words] = {a, b, c, d, e, f, g, h};
      block_differences(now, known, at, store, runs);
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
