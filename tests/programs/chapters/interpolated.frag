#version 450
layout(location = 0) in vec4 smooth_one;
layout(location = 1) noperspective in vec2 straight;
layout(location = 2) flat in uvec2 flat_one;
layout(location = 3) centroid in vec2 inner;
layout(location = 4, component = 1) in float part;
layout(location = 4, component = 2) in vec2 rest;
layout(location = 5) in Block { mat2 numbers; } block[2];
layout(location = 0) out vec4 result;
layout(location = 1) out uvec4 number;
layout(location = 2) out vec4 slopes;

void main() {
  const vec2 offset = interpolateAtCentroid(smooth_one.xy);
  result = vec4(smooth_one.x, straight.y, offset.x, inner.y + part * 0.25);
  number = uvec4(flat_one, gl_FrontFacing ? 1 : 0, uint(rest.x * 255));
  slopes = vec4(abs(dFdx(straight.x)), abs(dFdyFine(straight.y)), fwidthCoarse(straight.x + straight.y),
                block[0].numbers[0][0] * block[1].numbers[1][1]) * 4;
  if (int(gl_FragCoord.x) % 4 == 3) discard;
}
