// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", control over quads: invocations that ask whether all or any of their quad say so.
#include "whole_quads.spvasm.h"
#include "words.h"

#if defined VK_KHR_shader_quad_control && defined VK_KHR_compute_shader_derivatives

using namespace program;

namespace program {
FEATURES_OF(ShaderQuadControlFeaturesKHR, SHADER_QUAD_CONTROL_FEATURES_KHR);
FEATURES_OF(ComputeShaderDerivativesFeaturesKHR, COMPUTE_SHADER_DERIVATIVES_FEATURES_KHR);
}  // namespace program

int main() {
  Needs needs({VK_KHR_SHADER_QUAD_CONTROL_EXTENSION_NAME, VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME,
               VK_KHR_SHADER_MAXIMAL_RECONVERGENCE_EXTENSION_NAME});
  NEED(needs, ShaderQuadControlFeaturesKHR, shaderQuadControl);
  NEED(needs, ComputeShaderDerivativesFeaturesKHR, computeDerivativeGroupLinear);
  Session s = open("whole_quads", needs);
  constexpr std::uint32_t kGroup = 64;
  const MappedBuffer in = buffer(s, kGroup * 4, kStorage), out = buffer(s, kGroup * 4, kStorage);
  fill(in, 7);
  for (std::uint32_t i = 0; i < 8; ++i) in.words[i] = i / 4;  // a quad without an odd word, and one of odd words
  const Kernel k = create_kernel(s, shader(s, whole_quads_spv), {in, out});
  bind(s.cmd, k);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    std::uint32_t odd = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) odd += in.words[i / 4 * 4 + lane] % 2;
    EXPECT(s, out.words[i] == (odd == 4 ? 1u : 0u) + (odd != 0 ? 2u : 0u));
  }
  add(s, out);
  return finish(s);
}

#else

int main() { return program::cannot_run("the headers that it was built with do not have VK_KHR_shader_quad_control"); }

#endif
