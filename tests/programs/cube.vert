#version 450
// A cube of six colours without any input: its corners come from the number of the vertex.
layout(push_constant) uniform Turn {
  mat4 matrix;
};
layout(location = 0) out vec3 color;

const int kCorners[36] = int[](0, 2, 1, 1, 2, 3, 5, 7, 4, 4, 7, 6, 4, 6, 0, 0, 6, 2,
                               1, 3, 5, 5, 3, 7, 4, 0, 5, 5, 0, 1, 2, 6, 3, 3, 6, 7);

void main() {
  const int corner = kCorners[gl_VertexIndex % 36], face = gl_VertexIndex % 36 / 6;
  gl_Position = matrix * vec4((corner & 1) * 2 - 1, (corner >> 1 & 1) * 2 - 1, (corner >> 2 & 1) * 2 - 1, 1);
  color = vec3(face & 1, face >> 1 & 1, face >> 2 & 1) * 0.75 + 0.25;
}
