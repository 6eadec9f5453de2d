#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out uvec4 result;

void main() { result = uvec4(color * 4294967040.0); }
