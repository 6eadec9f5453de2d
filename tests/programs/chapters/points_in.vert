#version 450
layout(location = 0) out vec2 place;
layout(location = 2) out vec4 tint;

void main() {
  place = vec2(gl_VertexIndex % 4, gl_VertexIndex / 4 % 4) * 0.5 - 0.75;
  tint = vec4(gl_VertexIndex % 3, gl_VertexIndex % 5, gl_VertexIndex % 7, 8) / 8.0;
  gl_Position = vec4(place, 0.5, 1);
}
