// SPDX-License-Identifier: Apache-2.0
#include "format/digest.h"

#include <xxhash.h>

#include <new>

namespace rondo {

Digester::Digester() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_);
}

Digester::~Digester() { XXH3_freeState(state_); }

void Digester::add(std::span<const std::byte> bytes) { XXH3_128bits_update(state_, bytes.data(), bytes.size()); }

Digest Digester::digest() const {
  const XXH128_hash_t h = XXH3_128bits_digest(state_);
  return {h.low64, h.high64};
}

Digest digest_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

std::uint64_t checksum_of(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string to_string(const Digest& digest) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(32);
  for (const std::uint64_t part : {digest.high, digest.low})
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(kHex[(part >> shift) & 15]);
  return text;
}

}  // namespace rondo
