#version 450
// Reads every word of two buffers and writes a third.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) readonly buffer Other { uint other[]; };
layout(set = 0, binding = 2, std430) writeonly buffer To { uint to[]; };

void main() { to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x] + other[gl_GlobalInvocationID.x]; }
