#version 450
// Writes every texel of an image of 16 x 16.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0, rgba8) writeonly uniform image2D to;

void main() { imageStore(to, ivec2(gl_GlobalInvocationID.xy), vec4(1, 0.5, 0, 1)); }
