#version 450
layout(push_constant) uniform Depths { vec2 depths; };
layout(location = 0) flat out vec4 tint;

void main() {
  const int n = gl_VertexIndex % 3, other = gl_VertexIndex / 3;
  const vec2 at = vec2(n == 1 ? 0.875 : -0.875, n == 2 ? 0.75 : -0.75);
  gl_Position = vec4(other == 0 ? at : at.yx + vec2(0.25, 0.125), n == 1 ? depths.y : depths.x, 1);
  gl_PointSize = 1;
  tint = vec4(n == 0, n == 1, n == 2, 1) * (other == 0 ? 1.0 : 0.5);
}
