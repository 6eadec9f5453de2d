// SPDX-License-Identifier: Apache-2.0
// One sample of every texel. DEPTH: as the bits of a float.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
#include "samples_push.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

#ifdef DEPTH
layout(set = 0, binding = 0) uniform texture2DMS image;
uvec4 fetch(ivec2 at) { return uvec4(floatBitsToUint(texelFetch(image, at, int(push.number)).x), 0u, 0u, 0u); }
#else
layout(set = 0, binding = 0) uniform utexture2DMS image;
uvec4 fetch(ivec2 at) { return texelFetch(image, at, int(push.number)); }
#endif
layout(set = 0, binding = 1) writeonly buffer Texels { uint words[]; } texels;

void main() {
  const uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= push.width || at.y >= push.rows) return;
  const uvec4 texel = fetch(ivec2(at.x, at.y + push.row));
  const uint first = (at.y * push.width + at.x) * push.each;
  texels.words[first] = texel.x;
  if (push.each > 1u) texels.words[first + 1u] = texel.y;
  if (push.each > 2u) {
    texels.words[first + 2u] = texel.z;
    texels.words[first + 3u] = texel.w;
  }
}
