#version 450
// A spiral, so that lines have every slope.
layout(location = 0) out vec4 color;

void main() {
  const float n = gl_VertexIndex;
  gl_Position = vec4(cos(n * 1.75) * (0.25 + n / 12.0), sin(n * 1.75) * (0.25 + n / 12.0), 0.5, 1);
  color = vec4(fract(n / 3.0), fract(n / 5.0), 0.5, 1);
}
