// SPDX-License-Identifier: Apache-2.0
// What the generated thunks share. Private to generated/thunks_*.cpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "generated/args.h"
#include "generated/thunks.h"

namespace rondo::thunks {

// A return value as a record holds it.
template <class T>
std::int64_t widen(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(value));
  } else {
    return static_cast<std::int64_t>(value);
  }
}

}  // namespace rondo::thunks
