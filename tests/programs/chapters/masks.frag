#version 450
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 result;

void main() {
  gl_SampleMask[0] = int(gl_FragCoord.x) % 3 == 0 ? gl_SampleMaskIn[0] & 5 : gl_SampleMaskIn[0];
  result = color;
}
