#version 460
// words[i] of the last set's buffer: a mixture of what the other sets hold.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform A { uvec4 a[4]; };
layout(set = 1, binding = 0) buffer B { uint b[]; };
layout(set = 2, binding = 0) uniform C { uvec4 c[4]; };
layout(set = 2, binding = 1) buffer D { uint d[]; };
layout(push_constant) uniform Push { uint factor, bias; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  d[i] = (a[i / 4][i % 4] + 3 * b[i] + 5 * c[i / 4][i % 4]) * factor + bias;
}
