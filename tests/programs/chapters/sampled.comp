#version 450
// A row of samples along the diagonal and beyond the edges, for one of several samplers.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) uniform sampler samplers[6];
layout(set = 0, binding = 2) buffer Results { vec4 results[]; };
layout(push_constant) uniform What { uint which, lod_times_16, first; };

void main() {
  const uint i = gl_LocalInvocationIndex;
  const vec2 at = vec2(i) / 12.0 - 0.75;
  const vec2 where = vec2(at.x, at.y * 0.75 + 0.1);
  vec4 value = vec4(0);
  for (uint n = 0; n < 6; ++n)
    if (n == which) value = textureLod(sampler2D(image, samplers[n]), where, lod_times_16 / 16.0);
  results[(first + which) * 32 + i] = value;
}
