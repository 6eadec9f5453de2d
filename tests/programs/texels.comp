#version 450
layout(local_size_x = 4, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Output { uint words[]; };
layout(push_constant) uniform Push { uint first; };

void main() {
  const ivec2 at = ivec2(gl_LocalInvocationID.xy);
  words[first + 4 * at.y + at.x] = packUnorm4x8(texelFetch(picture, at, 0));
}
