#version 450
layout(triangles_adjacency) in;
layout(points, max_vertices = 6) out;
layout(location = 0) in vec4 tint[];
layout(location = 0) out vec4 color;

void main() {
  for (int i = 0; i < 6; ++i) {
    gl_Position = gl_in[i].gl_Position;
    gl_PointSize = i % 2 == 0 ? 3 : 1;
    gl_PrimitiveID = 7;
    color = vec4(tint[(i + 1) % 6].rgb, 1);
    EmitVertex();
  }
}
