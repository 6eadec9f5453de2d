#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) out vec4 color;

void main() {
  const int n = gl_VertexIndex;
  gl_Position = vec4(n == 1 ? 1.5 : -1, n == 2 ? 2 : -0.75, n == 1 ? 0.875 : 0.125, 1);
  gl_ViewportIndex = gl_InstanceIndex;
  color = vec4(n == 0, n == 1, n == 2, 1) * 0.5 + gl_InstanceIndex / 16.0;
}
