// SPDX-License-Identifier: Apache-2.0
// Memory of a workgroup whose size follows from specialization constants, and push constants of which a part is used.
#version 450
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(constant_id = 1) const uint rows = 3;
layout(constant_id = 2) const bool twice = false;
struct Pair { uint first; vec3 second; };
shared uint words[rows * gl_WorkGroupSize.x + 1];   // (3 * 4 + 1) * 4 bytes
shared Pair pairs[twice ? 8 : 4];                   // 4 * 16 bytes
shared uint never_named[100000];
layout(push_constant) uniform Push { layout(offset = 16) uint a; vec4 b[2]; layout(offset = 64) uint c; } push;
layout(binding = 0) buffer Output { uint result; };

void main() {
  words[gl_LocalInvocationIndex % words.length()] = push.a;
  pairs[gl_LocalInvocationIndex & 3u].first = uint(push.b[1].x);
  barrier();
  result = words[0] + pairs[0].first;
}
