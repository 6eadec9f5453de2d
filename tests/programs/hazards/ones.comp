#version 450
// Writes 1 into every word.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) writeonly buffer To { uint to[]; };

void main() { to[gl_GlobalInvocationID.x] = 1; }
