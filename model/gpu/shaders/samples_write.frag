// SPDX-License-Identifier: Apache-2.0
// What the samples that the pipeline's mask leaves become. DEPTH: the words are the bits of floats. STENCIL: texels
// that have the bit set are drawn, and what is drawn is the pipeline's.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "samples_push.glsl"

layout(set = 0, binding = 1) readonly buffer Texels { uint words[]; } texels;
#if !defined(DEPTH) && !defined(STENCIL)
layout(location = 0) out uvec4 color;
#endif

void main() {
  const uvec2 at = uvec2(gl_FragCoord.xy);
  const uint first = ((at.y - push.row) * push.width + at.x) * push.each;
#if defined(DEPTH)
  gl_FragDepth = uintBitsToFloat(texels.words[first]);
#elif defined(STENCIL)
  if (push.bit != 0u && (texels.words[first] & push.bit) == 0u) discard;
#else
  color = uvec4(texels.words[first], 0u, 0u, 0u);
  if (push.each > 1u) color.y = texels.words[first + 1u];
  if (push.each > 2u) color.zw = uvec2(texels.words[first + 2u], texels.words[first + 3u]);
#endif
}
