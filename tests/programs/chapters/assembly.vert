#version 450
// A place of a grid of four by four for every vertex, and a colour by its number.
layout(location = 0) out vec4 color;

void main() {
  const int n = gl_VertexIndex;
  gl_Position = vec4(vec2(n % 4, n / 4 % 4) * 0.5 - 0.75, 0.5, 1);
  gl_PointSize = 2;
  color = vec4(n % 3, n % 5, n % 7, 8) / 8.0;
}
