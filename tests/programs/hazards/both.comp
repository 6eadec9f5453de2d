#version 450
// Writes 1 into every word of two buffers.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) writeonly buffer To { uint to[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Other { uint other[]; };

void main() {
  to[gl_GlobalInvocationID.x] = 1;
  other[gl_GlobalInvocationID.x] = 1;
}
