// SPDX-License-Identifier: Apache-2.0
// Handles of objects that no driver made.
#pragma once

#include <cstdint>
#include <cstring>

namespace rondo::test {

// Any pointer of 64 bits or handle that is not dispatchable.
template <class Handle>
Handle handle(std::uint64_t value) {
  Handle h;
  static_assert(sizeof h == sizeof value);
  std::memcpy(&h, &value, sizeof h);
  return h;
}

}  // namespace rondo::test
