// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", pointers without a type: a buffer read as words and as halves of words.
#include "untyped.spvasm.h"
#include "words.h"

#ifdef VK_KHR_shader_untyped_pointers

using namespace program;

namespace program {
FEATURES_OF(ShaderUntypedPointersFeaturesKHR, SHADER_UNTYPED_POINTERS_FEATURES_KHR);
}  // namespace program

int main() {
  Needs needs({VK_KHR_SHADER_UNTYPED_POINTERS_EXTENSION_NAME});
  NEED(needs, ShaderUntypedPointersFeaturesKHR, shaderUntypedPointers);
  NEED(needs, Vulkan11Features, storageBuffer16BitAccess);
  NEED_CORE(needs, shaderInt16);
  Session s = open("untyped_pointers", needs);
  constexpr std::uint32_t kGroup = 64;
  const MappedBuffer in = buffer(s, kGroup * 4, kStorage), out = buffer(s, 2 * kGroup * 4, kStorage);
  fill(in, 6);
  const Kernel k = create_kernel(s, shader(s, untyped_spv), {in, out});
  bind(s.cmd, k);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    EXPECT(s, out.words[i] == in.words[i] * 3);
    EXPECT(s, out.words[kGroup + i] == (in.words[i] & 0xffff));
  }
  add(s, out);
  return finish(s);
}

#else

int main() {
  return program::cannot_run("the headers that it was built with do not have VK_KHR_shader_untyped_pointers");
}

#endif
