// SPDX-License-Identifier: Apache-2.0
// The oracle's own 128-bit digest: two multiply-and-rotate lanes over 64-bit
// words. Not Rondo's, so that no mistake can be in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace oracle {

struct Digest {
  std::uint64_t a = 0x243f6a8885a308d3u;
  std::uint64_t b = 0x13198a2e03707344u;

  std::string text() const {
    char hex[33];
    std::snprintf(hex, sizeof hex, "%016llx%016llx", static_cast<unsigned long long>(a),
                  static_cast<unsigned long long>(b));
    return hex;
  }
};

namespace detail {

constexpr std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

constexpr std::uint64_t finish(std::uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 29) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 32;
}

}  // namespace detail

inline Digest digest(const unsigned char* bytes, std::size_t size) {
  Digest d;
  const auto mix = [&](std::uint64_t word) {
    d.a = detail::rotate(d.a ^ word * 0x9e3779b97f4a7c15u, 29) * 0xd6e8feb86659fd93u + 1;
    d.b = detail::rotate(d.b + word, 37) * 0xa0761d6478bd642fu ^ d.a >> 17;
  };
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    mix(word);
  }
  std::uint64_t last = 0;
  if (at < size) std::memcpy(&last, bytes + at, size - at);
  mix(last);
  mix(size);
  d.a = detail::finish(d.a + d.b);
  d.b = detail::finish(d.b ^ detail::rotate(d.a, 11));
  return d;
}

// How much is left when the zeros at the end are taken away: an allocation may
// be a little larger in one of two runs, and nothing was written there.
inline std::size_t without_zeros(const unsigned char* bytes, std::size_t size) {
  while (size % 8 != 0 && bytes[size - 1] == 0) --size;
  std::uint64_t word = 0;
  while (size >= 8) {
    std::memcpy(&word, bytes + size - 8, 8);
    if (word != 0) break;
    size -= 8;
  }
  while (size > 0 && bytes[size - 1] == 0) --size;
  return size;
}

}  // namespace oracle
