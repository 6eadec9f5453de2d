// SPDX-License-Identifier: Apache-2.0
// What the generated entry points share. Private to generated/fake_entries_*.cpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "generated/ids.h"

namespace fake {

std::int64_t enter(rondo::CommandId id, void* args);

template <class R>
R narrow(std::int64_t value) {
  if constexpr (std::is_pointer_v<R>) {
    return reinterpret_cast<R>(static_cast<std::intptr_t>(value));
  } else if constexpr (!std::is_void_v<R>) {
    return static_cast<R>(value);
  }
}

}  // namespace fake
