#version 450
// Each of three invocations moves a point of its own out of a line with neighbours.
layout(lines_adjacency, invocations = 3) in;
layout(line_strip, max_vertices = 4) out;
layout(location = 0) in vec4 tint[];
layout(location = 0) out vec4 color;

void main() {
  if (gl_PrimitiveIDIn == 2 && gl_InvocationID == 1) return;
  for (int i = 0; i < 4; ++i) {
    gl_Position = gl_in[i].gl_Position + vec4(0.125, 0.25, 0, 0) * gl_InvocationID;
    color = tint[i].gbra + vec4(gl_InvocationID * 0.25, 0, gl_PrimitiveIDIn * 0.125, 0);
    gl_PrimitiveID = gl_PrimitiveIDIn * 3 + gl_InvocationID;
    EmitVertex();
    if (i == 1) EndPrimitive();
  }
}
