#version 450
// One vertex into each stream for every point, two into the second.
layout(points) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in vec2 place[];
layout(location = 2) in vec4 tint[];
layout(stream = 0, location = 0) out vec4 color;
layout(stream = 0, location = 1, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 8) out vec2 first;
layout(stream = 1, location = 2, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 16) out vec3 second;

void main() {
  color = tint[0];
  first = place[0] * 2;
  gl_Position = gl_in[0].gl_Position;
  gl_PointSize = 1;
  EmitStreamVertex(0);
  for (int i = 0; i < 2; ++i) {
    second = vec3(place[0], i);
    EmitStreamVertex(1);
  }
}
