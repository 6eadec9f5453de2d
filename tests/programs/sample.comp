#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D planes[4];
layout(binding = 13) uniform sampler2D immutable[4];
layout(binding = 8) uniform samplerCube cube;
layout(binding = 9) uniform sampler2D slice;
layout(binding = 10) uniform samplerBuffer absent;
layout(binding = 11, rgba8) uniform writeonly image2D target;
layout(binding = 12) buffer Output { uint words[]; };

void main() {
  // Every sampler its own way beyond the edges of a picture of four texels.
  const vec2 outside = vec2(-0.375, 0.25);
  words[0] = packUnorm4x8(textureLod(planes[0], outside, 0));
  words[1] = packUnorm4x8(textureLod(planes[1], outside, 0));
  words[2] = packUnorm4x8(textureLod(planes[2], outside, 0));
  words[3] = packUnorm4x8(textureLod(planes[3], outside, 0));
  words[4] = packUnorm4x8(textureLod(immutable[0], vec2(0.5), 0));
  words[5] = packUnorm4x8(textureLod(immutable[1], vec2(0.5), 0));
  words[6] = packUnorm4x8(textureLod(immutable[2], vec2(0.5), 0));
  words[7] = packUnorm4x8(textureGrad(immutable[3], vec2(0.25), vec2(0.5, 0), vec2(0, 0.1)));
  words[8] = packUnorm4x8(textureLod(cube, vec3(1, 0.99, 0.99), 0));
  words[9] = packUnorm4x8(textureLod(slice, vec2(0.25), 0));
  words[10] = packUnorm4x8(texelFetch(absent, 3));
  for (int i = 0; i < 16; ++i)
    imageStore(target, ivec2(i % 4, i / 4), i == 5 ? vec4(0, 1, 0, 1) : vec4(0));
}
