// SPDX-License-Identifier: Apache-2.0
// Keeps the accesses of a shader within its arrays, vectors and buffers: SPIRV-Tools' robust-access pass.
// Nothing of the bytes is trusted. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/shaders/validate.h"

namespace rondo::shaders {

struct Clamped {
  // The module with its indexes clamped: other bytes than before where anything had to be clamped. Empty: the
  // module cannot be clamped.
  std::vector<std::byte> code;
  std::string obstacle;  // why it cannot be: "RuntimeDescriptorArray", "it is not valid SPIR-V"; else empty
};

// The pass takes valid modules only, and what it makes is validated again. It clamps each index of an access
// chain; of a buffer whose length the code does not say, by the length that the descriptor has.
Clamped clamp(std::span<const std::byte> code, const DeviceRules& rules);

}  // namespace rondo::shaders
