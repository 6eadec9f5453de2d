// SPDX-License-Identifier: Apache-2.0
// Reads a payload front to back without ever leaving it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace rondo::codec {

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t offset() const { return at_; }
  std::size_t remaining() const { return bytes_.size() - at_; }

  // `bytes` of the payload, or null if there are not that many left.
  const std::byte* take(std::size_t bytes) {
    if (bytes > remaining()) return nullptr;
    const std::byte* p = bytes_.data() + at_;
    at_ += bytes;
    return p;
  }
  template <class T>
  bool read(T& value) {
    const std::byte* p = take(sizeof value);
    if (p == nullptr) return false;
    std::memcpy(&value, p, sizeof value);
    return true;
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace rondo::codec
