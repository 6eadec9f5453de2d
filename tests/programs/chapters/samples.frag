#version 450
// Another colour, number and depth for each sample.
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 result;
layout(location = 1) out uvec2 number;

void main() {
  result = color;
  number = uvec2(gl_SampleID + 1, gl_FragCoord.x);
  gl_FragDepth = depth + gl_SampleID / 64.0;
}
