#version 450
layout(push_constant) uniform All {
  layout(offset = 32) mat2x4 tints;
  layout(offset = 80) uvec2 bits;
  layout(offset = 124) float alpha;
};
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main() { result = vec4((tints * color.xy).rgb + vec3(bits.x & 3u, bits.y & 3u, 0) * 0.125, alpha); }
