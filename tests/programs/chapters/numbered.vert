#version 460
layout(location = 0) out vec4 color;

void main() {
  const int n = gl_VertexIndex - gl_BaseVertex;
  const vec2 corner = vec2(n & 1, n >> 1 & 1);
  gl_Position = vec4(corner * 0.375 + vec2(gl_DrawID, gl_InstanceIndex - gl_BaseInstance) * 0.5 - 1 +
                         gl_BaseInstance / 32.0, 0.5, 1);
  color = vec4(gl_BaseVertex + 1, gl_BaseInstance + 1, gl_DrawID + 1, 4) / 8.0;
}
