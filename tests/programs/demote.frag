#version 450
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_terminate_invocation : require
#extension GL_ARB_shader_stencil_export : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(location = 0) out vec4 result;

void main() {
  const int column = int(gl_FragCoord.x) % 4;
  if (column == 0) demote;
  if (column == 1) terminateInvocation;
  result = color;
  gl_FragStencilRefARB = 17 + column;
}
