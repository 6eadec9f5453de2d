#version 450
// Reads a uniform buffer and writes a storage buffer.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform From { uvec4 from[32]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };

void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x % 32].x; }
