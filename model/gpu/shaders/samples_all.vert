// SPDX-License-Identifier: Apache-2.0
// One triangle over all of the target.
#version 450

void main() {
  gl_Position = vec4(float((gl_VertexIndex & 1) * 4) - 1.0, float((gl_VertexIndex & 2) * 2) - 1.0, 0.0, 1.0);
}
