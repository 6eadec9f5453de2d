#version 450
// Into two buffers of three, with holes between what is written.
layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 24) out vec2 place;
layout(location = 1, xfb_buffer = 2, xfb_offset = 0, xfb_stride = 16) flat out uvec4 numbers;
layout(location = 2) out vec4 color;
layout(location = 3, xfb_buffer = 0, xfb_offset = 16) out float depth;

void main() {
  const int n = gl_VertexIndex;
  place = vec2(n % 4, n / 4 % 4) * 0.5 - 0.75;
  numbers = uvec4(n, gl_InstanceIndex, n * gl_InstanceIndex, 77);
  depth = n / 16.0;
  color = vec4(n % 3, n % 5, n % 7, 8) / 8.0;
  gl_Position = vec4(place, depth, 1);
  gl_PointSize = 2;
}
