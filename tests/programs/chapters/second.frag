#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 1) out vec4 result;

void main() { result = color; }
