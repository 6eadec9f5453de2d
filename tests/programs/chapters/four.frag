#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 results[4];

void main() {
  for (int i = 0; i < 4; ++i) results[i] = i % 2 == 0 ? color : color.gbra * 1.5;
}
