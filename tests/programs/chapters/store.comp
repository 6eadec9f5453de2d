#version 460
// A different word for each texel.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D image;
layout(push_constant) uniform Push { uint seed, width; };
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  imageStore(image, ivec2(at), uvec4(seed * 1000000 + at.y * width + at.x));
}
