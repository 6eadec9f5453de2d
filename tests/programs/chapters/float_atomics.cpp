// SPDX-License-Identifier: Apache-2.0
// Chapter "Shaders", atomic operations on floats of buffers and of shared memory.
#include "atomics.comp.h"
#include "words.h"

using namespace program;

int main() {
  Needs needs({VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME});
  NEED(needs, ShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics);
  NEED(needs, ShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd);
  NEED(needs, ShaderAtomicFloatFeaturesEXT, shaderSharedFloat32AtomicAdd);
  Session s = open("float_atomics", needs);
  const MappedBuffer cells = buffer(s, 16, kStorage);
  const Kernel k = create_kernel(s, shader(s, atomics_comp_spv), {cells});
  bind(s.cmd, k);
  for (int i = 0; i < 3; ++i) {
    vkCmdDispatch(s.cmd, 4, 1, 1);
    barrier(s.cmd);
  }
  run(s);
  float values[4];
  std::memcpy(values, cells.words, sizeof values);
  EXPECT(s, values[0] == 12 * 2016.0f);
  EXPECT(s, values[1] == 32.0f);
  EXPECT(s, values[2] == 17.0f);
  add(s, cells);
  return finish(s);
}
