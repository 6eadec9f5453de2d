// Reads past the end of its first array, into the second.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint first; } push;
layout(binding = 0) readonly buffer Source { uint near[16]; uint next[48]; } source;
layout(binding = 1) writeonly buffer Result { uint result[64]; };

void main() {
  result[gl_LocalInvocationIndex] = source.near[push.first + gl_LocalInvocationIndex];
}
