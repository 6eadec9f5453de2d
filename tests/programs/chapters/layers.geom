#version 450
// Points become triangles, each in a layer and a viewport of its own.
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 tint[];
layout(location = 0) out vec4 color;

void main() {
  for (int i = 0; i < 3; ++i) {
    gl_Position = gl_in[0].gl_Position * vec4(0.5, 0.5, 1, 1) + vec4(i == 1 ? 0.75 : -0.25, i == 2 ? 0.75 : -0.25, 0, 0);
    gl_Layer = gl_PrimitiveIDIn % 3;
    gl_ViewportIndex = gl_PrimitiveIDIn % 2;
    gl_PrimitiveID = gl_PrimitiveIDIn;
    color = tint[0];
    EmitVertex();
  }
}
