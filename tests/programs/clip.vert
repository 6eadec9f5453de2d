#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};
layout(constant_id = 0) const int mode = 0;  // 1: clipped, 2: to a viewport

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner), depth, 1);
  gl_ClipDistance[0] = 1;
  gl_CullDistance[0] = 1;
  if (mode == 1) gl_ClipDistance[0] = gl_Position.y;  // the lower half
  if (mode == 2) gl_ViewportIndex = gl_InstanceIndex;
}
