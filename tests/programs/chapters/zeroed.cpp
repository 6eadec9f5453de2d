// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", shared memory that is zeroed by the pipeline, in workgroups
// whose size is said by specialization, each size a pipeline of its own.
#include "words.h"
#include "zeroed.comp.h"

using namespace program;

int main() {
  Needs needs;
  NEED(needs, Vulkan13Features, shaderZeroInitializeWorkgroupMemory);
  Session s = open("zeroed", needs);
  const VkShaderModule module = shader(s, zeroed_comp_spv);
  constexpr VkSpecializationMapEntry entries[3] = {{2, 0, 4}, {0, 8, 4}, {1, 4, 4}};  // in any order
  for (const auto& [x, y, words] : {std::tuple{1u, 1u, 1u}, {16u, 1u, 16u}, {8u, 8u, 64u}, {3u, 5u, 7u}}) {
    const MappedBuffer out = buffer(s, 4 * 64 * 4, kStorage);
    const std::uint32_t data[3] = {words, y, x};
    const VkSpecializationInfo constants{3, entries, sizeof data, data};
    const Kernel k = create_kernel(s, module, {out}, &constants);
    bind(s.cmd, k);
    vkCmdDispatch(s.cmd, 4, 1, 1);
    run(s);
    EXPECT(s, out.words[0] == x * y + (x * y > 7 ? 8 : 0) || x * y < 8);
    EXPECT(s, out.words[3 * words] == out.words[0]);  // a later workgroup finds zeros, too
    add(s, out);
  }
  return finish(s);
}
