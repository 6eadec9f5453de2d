#version 450
layout(vertices = 3) out;

void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelOuter[gl_InvocationID] = 4;
  gl_TessLevelInner[0] = 2;
}
