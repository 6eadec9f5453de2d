// SPDX-License-Identifier: Apache-2.0
// output[slot] = 3 * input[slot] + output[previous]: a result depends on the
// host's writes, on the push constants, and on the order of the submits.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
  uint slot;
  uint previous;  // 0xffffffff: none
} push;
layout(set = 0, binding = 0) readonly buffer Input { uint data[]; } inputs;
layout(set = 0, binding = 1) buffer Output { uint data[]; } outputs;

void main() {
  uint i = gl_LocalInvocationIndex;
  uint before = push.previous == 0xffffffffu ? 0u : outputs.data[push.previous * 64u + i];
  outputs.data[push.slot * 64u + i] = 3u * inputs.data[push.slot * 64u + i] + before;
}
