// SPDX-License-Identifier: Apache-2.0
// Appendix "Memory Model": workgroups that hand words to one another by releasing
// and acquiring at the scope of the device, within one dispatch, and by a
// sequence that counts, whatever the order they run in.
#include "hand_over.comp.h"
#include "words.h"

using namespace program;

int main() {
  Needs needs;
  NEED(needs, Vulkan12Features, vulkanMemoryModel);
  NEED(needs, Vulkan12Features, vulkanMemoryModelDeviceScope);
  Session s = open("memory_model", needs);
  constexpr std::uint32_t groups = 24;
  const MappedBuffer state = buffer(s, 256, kStorage), words = buffer(s, groups * 4, kStorage);
  const Kernel k = create_kernel(s, shader(s, hand_over_comp_spv), {state, words});
  bind(s.cmd, k);
  push(s.cmd, k, groups);
  vkCmdDispatch(s.cmd, groups, 1, 1);
  barrier(s.cmd);
  vkCmdDispatch(s.cmd, groups, 1, 1);
  run(s);
  // The last one of each dispatch adds up what all of them have left.
  EXPECT(s, state.words[0] == 0 && state.words[1] == 2 * groups * (groups + 1) / 2);
  for (std::uint32_t i = 0; i < groups; ++i) EXPECT(s, words.words[i] == i + 1);
  add(s, state);
  add(s, words);
  return finish(s);
}
