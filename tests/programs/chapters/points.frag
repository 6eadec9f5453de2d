#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main() {
  if (distance(gl_PointCoord, vec2(0.5)) > 0.55) discard;
  result = vec4(gl_PointCoord, 0.25, 1) + color * 0.5;
}
