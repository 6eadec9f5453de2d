#version 450
#extension GL_EXT_multiview : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 color;
  float depth;
};

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner), depth, 1);
  gl_Position.x += float(gl_ViewIndex) * 0.5;
}
