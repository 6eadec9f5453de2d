#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 tint;
  float depth;
};
layout(location = 0) out vec4 color;

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner), depth + gl_InstanceIndex / 16.0, 1);
  gl_Layer = gl_InstanceIndex;
  color = tint + vec4(0, 0, gl_InstanceIndex * 0.125, 0);
}
