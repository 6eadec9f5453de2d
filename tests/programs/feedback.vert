#version 450
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 8) out vec2 place;

void main() {
  place = vec2(gl_VertexIndex, gl_InstanceIndex * 10);
  gl_Position = vec4(0.25, 0.25, 0, 1);
  gl_PointSize = 1;
}
