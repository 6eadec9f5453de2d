// SPDX-License-Identifier: Apache-2.0
// What SPIR-V's instructions do, where more than one reader of them asks.
#pragma once

#include <cstdint>

namespace rondo::shaders {

// SPV_KHR_untyped_pointers, which an older header lacks.
inline constexpr std::uint32_t kOpTypeUntypedPointer = 4417, kOpUntypedVariable = 4418;

// Whether none of its operands is a pointer, or stands for an image.
bool makes_values_only(std::uint32_t operation);

}  // namespace rondo::shaders
