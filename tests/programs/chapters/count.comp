#version 460
// Each group counts its invocations where its x and y say; a word, if it may, gets
// parameters for the next.
layout(local_size_x = 2, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer Parameters { uint parameters[]; };
layout(set = 0, binding = 1) buffer Out { uint counts[]; };
layout(push_constant) uniform Push { uint to, step, next, unused; };
void main() {
  atomicAdd(counts[to + gl_WorkGroupID.x + gl_WorkGroupID.y * 8], step);
  if (next < 60 && gl_LocalInvocationIndex == 0) {
    parameters[next] = gl_NumWorkGroups.x * 3;
    parameters[next + 1] = 2;
    parameters[next + 2] = 2;
  }
}
