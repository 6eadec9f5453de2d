#version 450
// Each triangle again, moved to the right and into the next layer.
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;

void main() {
  for (int copy = 0; copy < 2; ++copy) {
    for (int i = 0; i < 3; ++i) {
      gl_Position = gl_in[i].gl_Position + vec4(copy, 0, 0, 0);
      gl_Layer = copy;
      EmitVertex();
    }
    EndPrimitive();
  }
}
