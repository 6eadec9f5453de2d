// SPDX-License-Identifier: Apache-2.0
// The name of a blob: XXH3-128 of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

struct XXH3_state_s;

namespace rondo {

struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

Digest digest_of(std::span<const std::byte> bytes);

// Of bytes that come in pieces. One thread.
class Digester {
 public:
  Digester();
  Digester(const Digester&) = delete;
  Digester& operator=(const Digester&) = delete;
  ~Digester();
  void add(std::span<const std::byte> bytes);
  Digest digest() const;  // of all so far

 private:
  XXH3_state_s* state_;  // xxHash's
};

std::uint64_t checksum_of(std::span<const std::byte> bytes);  // XXH3-64
std::string to_string(const Digest& digest);                  // 32 lower-case hex digits, high first

}  // namespace rondo

template <>
struct std::hash<rondo::Digest> {
  std::size_t operator()(const rondo::Digest& d) const noexcept { return static_cast<std::size_t>(d.low); }
};
