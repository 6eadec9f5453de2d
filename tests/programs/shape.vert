#version 450
layout(push_constant) uniform Shape {
  vec4 edges;  // left, top, right, bottom
  vec4 color;
  float depth;
};

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4(mix(edges.xy, edges.zw, corner), depth, 1);
  gl_PointSize = 4;
}
