#version 450
// c = a * b of square matrices, whose size is a multiple of 16: each workgroup does 16 by 16 numbers.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Sizes { uint size; };

shared float left[16][16], right[16][16];

void main() {
  const uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  const uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
  float sum = 0;
  for (uint at = 0; at < size; at += 16) {
    left[y][x] = a[row * size + at + x];
    right[y][x] = b[(at + y) * size + column];
    barrier();
    for (uint i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
    barrier();
  }
  c[row * size + column] = sum;
}
