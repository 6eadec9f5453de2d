#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0, index = 0) out vec4 one;
layout(location = 0, index = 1) out vec4 other;

void main() {
  one = color;
  other = vec4(0.25, gl_FragCoord.x / 8, 0.5, 0.75);
}
