// SPDX-License-Identifier: Apache-2.0
// Makes Vulkan handles from numbers, for tests without a driver.
#pragma once

#include <cstdint>
#include <cstring>

namespace rondo::test {

// Handle: any handle type of 64 bits, a pointer or an integer.
template <class Handle>
Handle handle(std::uint64_t value) {
  Handle h;
  static_assert(sizeof h == sizeof value);
  std::memcpy(&h, &value, sizeof h);
  return h;
}

}  // namespace rondo::test
