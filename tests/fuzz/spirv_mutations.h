// SPDX-License-Identifier: Apache-2.0
// Changes a SPIR-V module as one that knows what words mean: header, operands, opcodes, whole instructions.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rondo::fuzz {

inline constexpr std::uint32_t kSpirvMagic = 0x07230203;

// What was changed, in words; empty: nothing, for `words` is no module.
std::string mutate_spirv(std::vector<std::uint32_t>& words, std::mt19937_64& random);

}  // namespace rondo::fuzz
