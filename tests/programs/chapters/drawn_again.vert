#version 450
layout(location = 0) in vec2 place;
layout(location = 1) in float depth;
layout(location = 0) out vec4 color;

void main() {
  gl_Position = vec4(-place, depth, 1);
  gl_PointSize = 3;
  color = vec4(depth, 1 - depth, 0.5, 1);
}
