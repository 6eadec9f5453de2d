#version 450
layout(location = 0) out vec4 smooth_one;
layout(location = 1) noperspective out vec2 straight;
layout(location = 2) flat out uvec2 flat_one;
layout(location = 3) centroid out vec2 inner;
layout(location = 4, component = 1) out float part;
layout(location = 4, component = 2) out vec2 rest;
layout(location = 5) out Block { mat2 numbers; } block[2];

void main() {
  const int n = gl_VertexIndex;
  const float w = 1 + n * 0.75;
  gl_Position = vec4(n == 1 ? 0.9 : -0.9, n == 2 ? 0.9 : -0.8, 0.5, 1) * w;
  const vec2 at = vec2(n == 1, n == 2);
  smooth_one = vec4(at, 0.5, 1);
  straight = at;
  flat_one = uvec2(n + 3, 17);
  inner = at * 0.5;
  part = at.x;
  rest = at.yx;
  block[0].numbers = mat2(at, at.yx);
  block[1].numbers = mat2(at.x);
}
