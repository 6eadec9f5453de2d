// SPDX-License-Identifier: Apache-2.0
// What the programs of cooperative matrices share: C + A * B of small whole numbers, exact in every format.
#pragma once

#include "words.h"

namespace program {

// Loads a command of a physical device, which vkGetDeviceProcAddr does not give.
template <class Function>
Function load_of_instance(const Session& s, const char* name) {
  const PFN_vkVoidFunction found = vkGetInstanceProcAddr(s.instance, name);
  if (found == nullptr) die(name, 0);
  return reinterpret_cast<Function>(found);
}
#define LOAD_OF_INSTANCE(session, name) const auto name = ::program::load_of_instance<PFN_##name>(session, #name)

// Of a number from 0 to 7, which 16 bits hold exactly.
inline std::uint16_t half_of(std::uint32_t small) {
  constexpr std::uint16_t kHalves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
  return kHalves[small];
}

inline std::uint32_t number(std::uint32_t seed, std::uint32_t i) { return mix(seed, i) % 8; }

inline void fill_halves(const MappedBuffer& b, std::uint32_t seed) {
  for (std::uint32_t i = 0; i < b.bytes / 2; ++i) {
    const std::uint16_t half = half_of(number(seed, i));
    std::memcpy(reinterpret_cast<char*>(b.words) + i * sizeof half, &half, sizeof half);
  }
}

inline float float_at(const MappedBuffer& b, std::uint32_t i) {
  float value;
  std::memcpy(&value, b.words + i, sizeof value);
  return value;
}

// A whole number from 1 to 2047, which 16 bits hold exactly.
inline std::uint32_t half_at(const MappedBuffer& b, std::uint32_t i) {
  std::uint16_t bits;
  std::memcpy(&bits, reinterpret_cast<const char*>(b.words) + i * sizeof bits, sizeof bits);
  const std::uint32_t exponent = bits >> 10 & 31, mantissa = (bits & 0x3ff) | 0x400;
  return exponent < 15 || exponent > 25 ? 0 : mantissa >> (25 - exponent);
}

struct Size {
  std::uint32_t rows, columns, inner, subgroup;  // as the shaders' constants
};

struct Matrices {
  MappedBuffer a, b, c;
};

inline Matrices create_matrices(Session& s, const Size& size) {
  const Matrices m{buffer(s, size.rows * size.inner * 2, kStorage), buffer(s, size.inner * size.columns * 2, kStorage),
                   buffer(s, size.rows * size.columns * 4, kStorage)};
  fill_halves(m.a, 1);
  fill_halves(m.b, 2);
  for (std::uint32_t i = 0; i < size.rows * size.columns; ++i) {
    const auto value = static_cast<float>(number(3, i));
    std::memcpy(m.c.words + i, &value, sizeof value);
  }
  return m;
}

// One element of C + A * B.
inline std::uint32_t product_at(const Size& size, std::uint32_t row, std::uint32_t column) {
  std::uint32_t sum = number(3, row * size.columns + column);
  for (std::uint32_t i = 0; i < size.inner; ++i)
    sum += number(1, row * size.inner + i) * number(2, i * size.columns + column);
  return sum;
}

// One workgroup, whose shader has the sizes as constants 0 to 3.
inline void dispatch_sized(Session& s, VkShaderModule module, const Size& size,
                           std::initializer_list<MappedBuffer> buffers) {
  const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}, {3, 12, 4}};
  const VkSpecializationInfo constants{4, entries, sizeof size, &size};
  const Kernel k = create_kernel(s, module, buffers, &constants);
  bind(s.cmd, k);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
}

// Of 16-bit numbers whose products are of 32 bits, for a subgroup.
template <class Properties>
bool fits(const Properties& one) {
  return one.AType == VK_COMPONENT_TYPE_FLOAT16_KHR && one.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
         one.CType == VK_COMPONENT_TYPE_FLOAT32_KHR && one.ResultType == VK_COMPONENT_TYPE_FLOAT32_KHR &&
         one.scope == VK_SCOPE_SUBGROUP_KHR && one.saturatingAccumulation == VK_FALSE;
}

inline std::uint32_t subgroup_size(const Session& s) {
  return properties<VkPhysicalDeviceSubgroupProperties>(s, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
      .subgroupSize;
}

}  // namespace program
