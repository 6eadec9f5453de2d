#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out ivec4 result;

void main() { result = ivec4(color * 4294967040.0 - 2147483520.0); }
