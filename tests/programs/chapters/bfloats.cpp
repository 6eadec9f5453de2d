// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", bfloat16: numbers that lose their lower half, as a buffer keeps them.
#include "bfloats.spvasm.h"
#include "words.h"

#ifdef VK_KHR_shader_bfloat16

using namespace program;

namespace program {
FEATURES_OF(ShaderBfloat16FeaturesKHR, SHADER_BFLOAT16_FEATURES_KHR);
}  // namespace program

int main() {
  Needs needs({VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME});
  NEED(needs, ShaderBfloat16FeaturesKHR, shaderBFloat16Type);
  NEED(needs, Vulkan11Features, storageBuffer16BitAccess);
  Session s = open("bfloats", needs);
  constexpr std::uint32_t kGroup = 64;
  const MappedBuffer in = buffer(s, kGroup * 4, kStorage), out = buffer(s, kGroup * 2, kStorage);
  // Whole numbers up to 252, which both kinds hold exactly.
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    const auto value = static_cast<float>(4 * i);
    std::memcpy(in.words + i, &value, sizeof value);
  }
  const Kernel k = create_kernel(s, shader(s, bfloats_spv), {in, out});
  bind(s.cmd, k);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  for (std::uint32_t i = 0; i < kGroup / 2; ++i)
    EXPECT(s, out.words[i] == (in.words[2 * i] >> 16 | (in.words[2 * i + 1] & 0xffff0000)));
  add(s, out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_shader_bfloat16"); }

#endif
