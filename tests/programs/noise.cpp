// SPDX-License-Identifier: Apache-2.0
// The device makes 256 KiB of nothing, in six submits: what they make is far larger than the calls. The
// last submit is of another kernel, over a buffer that the host writes.
#include "constants.comp.h"
#include "kernel.h"
#include "noise.comp.h"

using namespace program;

int main() {
  VkPhysicalDeviceFeatures2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  core.features.shaderFloat64 = core.features.shaderInt64 = core.features.shaderInt16 = VK_TRUE;
  Wanted wanted;
  wanted.features = &core;
  Session s = open("noise", wanted);
  constexpr std::uint32_t words = 65536;
  const MappedBuffer noise = buffer(s, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer other = buffer(s, 64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const Kernel kernel = create_kernel(s, shader(s, noise_comp_spv), {noise});
  for (std::uint32_t pass = 0; pass < 5; ++pass) {
    bind(s.cmd, kernel);
    push(s.cmd, kernel, 1000 * pass);
    vkCmdDispatch(s.cmd, words / 64, 1, 1);
    run(s);
    EXPECT(s, noise.words[1] != noise.words[2]);
  }
  add(s, noise);
  const Kernel last = create_kernel(s, shader(s, constants_comp_spv), {other});
  bind(s.cmd, last);
  vkCmdDispatch(s.cmd, 2, 1, 1);
  run(s);
  add(s, other);
  return finish(s);
}
