// SPDX-License-Identifier: Apache-2.0
// A shader that breaks a rule without harm: it indexes an array past its end, and stays in the buffer.
// Drivers give it what lies there: the next member. Status 0 only if that is so.
#include "kernel.h"
#include "outside.comp.h"

using namespace program;

int main() {
  Session s = open("outside");
  constexpr std::uint32_t words = 64;
  const MappedBuffer source = buffer(s, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const MappedBuffer result = buffer(s, words * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  for (std::uint32_t i = 0; i < words; ++i) source.words[i] = 1000 + i;
  const Kernel kernel = create_kernel(s, shader(s, outside_comp_spv), {source, result});
  bind(s.cmd, kernel);
  push(s.cmd, kernel, 0u);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  run(s);
  EXPECT(s, result.words[15] == 1015);
  EXPECT(s, result.words[63] == 1063);
  add(s, result);
  return finish(s);
}
