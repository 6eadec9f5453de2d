#version 450
// What views of one image show: swizzled, as a cube's faces, of an array of cubes, in another
// format, as a slice.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2DArray plain;
layout(set = 0, binding = 1) uniform sampler2D swizzled;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(set = 0, binding = 3) uniform samplerCubeArray cubes;
layout(set = 0, binding = 4) uniform usampler2DArray words;
layout(set = 0, binding = 5) uniform sampler1DArray rows;
layout(set = 0, binding = 7, rgba8) uniform image2D slice;
layout(set = 0, binding = 8) buffer Results { vec4 results[]; };

void main() {
  const int i = int(gl_LocalInvocationIndex);
  const vec2 at = vec2(i % 4 + 0.5, i / 4 + 0.5) / 4.0;
  const vec3 around = vec3(cos(i * 0.8), sin(i * 1.3), cos(i * 2.1));
  imageStore(slice, ivec2(i % 4, i / 4), vec4(at, i / 16.0, 1));
  results[i] = textureLod(plain, vec3(at, 1), 0);
  results[16 + i] = textureLod(swizzled, at, 0);
  results[32 + i] = textureLod(cube, around, 0);
  results[48 + i] = textureLod(cubes, vec4(around, 1), 0);
  results[64 + i] = vec4(texelFetch(words, ivec3(i % 4, i / 4, 2), 0)) / 256.0;
  results[80 + i] = textureLod(rows, vec2(at.x, i / 4), 0);
  results[112 + i] = vec4(textureSize(cubes, 0), textureSize(rows, 0).y);
}
