// SPDX-License-Identifier: Apache-2.0
// Bytes in four planes: the first of every four, then the second of every four, …; what is left over at the end stays
// there. Numbers of four bytes, or texels, that are alike compress better so: each plane has what changes alike.
// Deltas: each byte of that less the one in front of it, modulo 256; the first one as it is.
#pragma once

#include <cstddef>
#include <span>

namespace rondo {

// The begin of a blobs chunk of one blob, its directory, is not in planes.
inline constexpr std::size_t kBeforePlanes = 32;

// `to` is as long as `from`, and another place.
inline void put_in_planes(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t each = from.size() / 4;
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t plane = 0; plane < 4; ++plane) to[plane * each + i] = from[i * 4 + plane];
  for (std::size_t i = each * 4; i < from.size(); ++i) to[i] = from[i];
}
inline void take_from_planes(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::size_t each = from.size() / 4;
  for (std::size_t i = 0; i < each; ++i)
    for (std::size_t plane = 0; plane < 4; ++plane) to[i * 4 + plane] = from[plane * each + i];
  for (std::size_t i = each * 4; i < from.size(); ++i) to[i] = from[i];
}

inline void put_deltas(std::span<std::byte> bytes) {
  for (std::size_t i = bytes.size(); i-- > 1;)
    bytes[i] = static_cast<std::byte>(static_cast<unsigned>(bytes[i]) - static_cast<unsigned>(bytes[i - 1]));
}
inline void take_deltas(std::span<std::byte> bytes) {
  for (std::size_t i = 1; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(static_cast<unsigned>(bytes[i]) + static_cast<unsigned>(bytes[i - 1]));
}

}  // namespace rondo
