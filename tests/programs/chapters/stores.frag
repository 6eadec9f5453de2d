#version 450
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1, rgba8) uniform readonly image2D source;
layout(set = 0, binding = 2, rg16f) uniform writeonly image2DArray halves;
layout(set = 0, binding = 3, r32ui) uniform uimageBuffer cells;
layout(set = 0, binding = 4) buffer Total { uint total; uint most; };
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 result;

void main() {
  const ivec2 at = ivec2(gl_FragCoord.xy);
  const uint amount = uint(color.r * 4);
  imageAtomicAdd(counts, at, amount);
  imageAtomicMax(counts, ivec2(7), uint(at.x + at.y));
  imageAtomicOr(cells, at.x, 1u << at.y);
  imageStore(halves, ivec3(at, at.y % 2), vec4(gl_FragCoord.zw * depth, 0, 0));
  atomicAdd(total, amount);
  atomicMax(most, uint(at.x * at.y));
  result = imageLoad(source, ivec2(7 - at.x, at.y)) + vec4(imageSize(counts).x / 32.0, 0, 0, 0);
  if (at.x == at.y) discard;
}
