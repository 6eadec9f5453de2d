#version 450
#extension GL_EXT_multiview : require
layout(push_constant) uniform Shape {
  vec4 edges;
  vec4 tint;
  float depth;
};
layout(location = 0) out vec4 color;

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner) + gl_ViewIndex * 0.25, depth, 1);
  color = tint + vec4(0, 0, gl_ViewIndex * 0.25, 0);
}
