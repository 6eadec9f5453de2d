#version 450
layout(push_constant) uniform Planes { vec4 planes[2]; };
out gl_PerVertex {
  vec4 gl_Position;
  float gl_PointSize;
  float gl_ClipDistance[5];
  float gl_CullDistance[3];
};

void main() {
  const int n = gl_VertexIndex;
  gl_Position = vec4(n * 0.2 - 0.9, n % 2 == 0 ? -0.8 : 0.8, 0.5, 1);
  gl_PointSize = 3;
  gl_ClipDistance[0] = dot(gl_Position, planes[0]);
  gl_ClipDistance[1] = dot(gl_Position, planes[1]);
  for (int i = 2; i < 5; ++i) gl_ClipDistance[i] = gl_Position.x + i * 0.5;
  for (int i = 0; i < 3; ++i) gl_CullDistance[i] = n < 2 + i ? -1.0 : 1.0;
}
