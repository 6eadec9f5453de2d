#version 450
layout(location = 0) out vec4 color;

void main() {
  const int n = gl_VertexIndex + gl_InstanceIndex;
  gl_Position = vec4(n % 3 - 1, n / 3 - 1, 0.5, 1.5);
  gl_PointSize = 1 + n * 1.25;
  color = vec4(n & 1, n >> 1 & 1, n >> 2 & 1, 1);
}
