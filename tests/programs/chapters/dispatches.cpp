// SPDX-License-Identifier: Apache-2.0
// Chapter "Dispatching Commands": groups from a base, by parameters in memory at
// odd places, of parameters that a shader has just written, of none at all, and
// constants pushed in pieces between them.
#include "count.comp.h"
#include "words.h"

using namespace program;

namespace {

void set(VkCommandBuffer cmd, const Kernel& k, std::uint32_t at, std::uint32_t value) {
  vkCmdPushConstants(cmd, k.layout, kCompute, at, 4, &value);
}

}  // namespace

int main() {
  Needs needs;
  Session s = open("dispatches", needs);
  const MappedBuffer parameters = buffer(s, 256, kStorage | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT),
                     out = buffer(s, 4096, kStorage);
  const Kernel k =
      create_kernel(s, shader(s, count_comp_spv), {parameters, out}, nullptr, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT);
  const std::uint32_t from_host[] = {9, 2, 3, 1, 7, 0, 5, 1, 1};
  std::memcpy(parameters.words, from_host, sizeof from_host);
  bind(s.cmd, k);
  set(s.cmd, k, 0, 0);   // where its counts go
  set(s.cmd, k, 4, 1);   // what is added
  set(s.cmd, k, 8, 99);  // where parameters are written: nowhere
  set(s.cmd, k, 12, 0);
  vkCmdDispatchBase(s.cmd, 3, 1, 2, 2, 1, 1);
  set(s.cmd, k, 0, 64);
  vkCmdDispatchBase(s.cmd, 7, 0, 1, 1, 2, 0);
  vkCmdDispatch(s.cmd, 0, 5, 5);                       // nothing, both
  vkCmdDispatchIndirect(s.cmd, parameters.buffer, 4);  // 2, 3, 1
  set(s.cmd, k, 4, 10);
  vkCmdDispatchIndirect(s.cmd, parameters.buffer, 12);  // 1, 7, 0
  vkCmdDispatchIndirect(s.cmd, parameters.buffer, 24);  // 5, 1, 1
  barrier(s.cmd);
  // Parameters by a shader: as many groups as its own number; then by those.
  set(s.cmd, k, 0, 128);
  set(s.cmd, k, 8, 16);
  vkCmdDispatch(s.cmd, 1, 1, 1);
  barrier(s.cmd);
  set(s.cmd, k, 8, 99);
  set(s.cmd, k, 4, 1000);
  vkCmdDispatchIndirect(s.cmd, parameters.buffer, 64);
  barrier(s.cmd);
  vkCmdUpdateBuffer(s.cmd, parameters.buffer, 64, 8, from_host + 1);
  barrier(s.cmd);
  vkCmdDispatchIndirect(s.cmd, parameters.buffer, 64);
  run(s);
  EXPECT(s, out.words[3 + 1 * 8] == 4 && out.words[4 + 1 * 8] == 4 && out.words[0] == 0);
  EXPECT(s, out.words[64] == 4 + 40 && out.words[64 + 1 + 2 * 8] == 4 && out.words[64 + 4] == 40);
  EXPECT(s, parameters.words[16] == 2 && parameters.words[17] == 3 && parameters.words[18] == 2);
  EXPECT(s, out.words[128] == 40 + 4 * 1000 * 2 + 4 * 1000 * 2);
  add(s, parameters);
  add(s, out);
  return finish(s);
}
