// SPDX-License-Identifier: Apache-2.0
// Specialization constants of 2, 4 and 8 bytes, the size of a workgroup among
// them, out of data that has gaps and lies in another order.
#include <cstddef>

#include "constants.comp.h"
#include "kernel.h"

using namespace program;

int main() {
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  core.features.shaderFloat64 = core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  Session s = open("constants", wanted);

  struct Data {
    std::uint64_t large = 0x1234'0000'0000;
    std::uint64_t gap = ~0ull;
    double wide = 2.5;
    std::uint32_t size = 5;
    float real = 0.75f;
    std::int32_t number = -7;
    VkBool32 flag = VK_TRUE;
    std::uint16_t small = 40000;
    std::uint16_t unused[3] = {};
  } const data;
  const VkSpecializationMapEntry entries[] = {
      {0, offsetof(Data, flag), 4}, {1, offsetof(Data, number), 4}, {2, offsetof(Data, real), 4},
      {3, offsetof(Data, wide), 8}, {4, offsetof(Data, large), 8},  {5, offsetof(Data, small), 2},
      {6, offsetof(Data, size), 4}, {77, offsetof(Data, gap), 8}};  // 77: no such constant
  const VkSpecializationInfo info{8, entries, sizeof data, &data};
  const MappedBuffer out = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer defaults = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkShaderModule module = shader(s, constants_comp_spv);
  const Kernel special = create_kernel(s, module, {out}, &info);
  const Kernel plain = create_kernel(s, module, {defaults});
  for (const Kernel& k : {special, plain}) {
    bind(s.cmd, k);
    vkCmdDispatch(s.cmd, 2, 1, 1);
  }
  run(s);

  const std::uint32_t expected[8] = {10, 1, static_cast<std::uint32_t>(-7), 0x3f400000, 40, 0x1234, 40000, 99};
  const std::uint32_t expected_defaults[8] = {2, 0, 1, 0x3f800000, 16, 0, 1, 99};
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT(s, out.words[i] == expected[i]);
    EXPECT(s, defaults.words[i] == expected_defaults[i]);
  }
  add(s, out);
  add(s, defaults);
  return finish(s);
}
