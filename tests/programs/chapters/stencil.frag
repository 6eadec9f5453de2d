#version 450
#extension GL_ARB_shader_stencil_export : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 result;

void main() {
  result = color;
  gl_FragStencilRefARB = int(gl_FragCoord.x) * 16 + int(gl_FragCoord.y);
}
