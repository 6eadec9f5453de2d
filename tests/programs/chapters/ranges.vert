#version 450
layout(push_constant) uniform All {
  layout(offset = 16) vec4 edges;
  layout(offset = 96) float depth;
};
layout(location = 0) out vec4 color;

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner), depth, 1);
  color = vec4(corner, depth, 1);
}
