#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) in vec2 position;
layout(location = 0) flat out vec4 tint;

void main() {
  gl_Position = vec4(position, depth, 1);
  tint = gl_VertexIndex % 2 == 0 ? color : color.bgra;
}
