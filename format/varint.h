// SPDX-License-Identifier: Apache-2.0
// LEB128 and zigzag: how a record holds its return value, times and distances.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

inline constexpr std::size_t kMaxVarint = 10;

// Writes `value` and returns how many bytes it took, at most kMaxVarint.
inline std::size_t put_varint(std::byte* out, std::uint64_t value) {
  std::size_t n = 0;
  for (; value >= 0x80; value >>= 7) out[n++] = static_cast<std::byte>(value | 0x80);
  out[n++] = static_cast<std::byte>(value);
  return n;
}

// Reads from [p, end) and returns where it ended; null when the value is cut
// off or does not fit 64 bits.
inline const std::byte* get_varint(const std::byte* p, const std::byte* end, std::uint64_t& value) {
  std::uint64_t v = 0;
  for (unsigned shift = 0; p != end && shift < 64; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(*p++);
    if (shift == 63 && byte > 1) return nullptr;
    v |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = v;
      return p;
    }
  }
  return nullptr;
}

inline std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace rondo
