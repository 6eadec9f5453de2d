#version 450
// Draws at words 1, 1 + stride, …; indexed ones at words 2, 2 + stride, ….
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Draws { uint draws[]; };
layout(set = 0, binding = 1) buffer Indexed { uint indexed[]; };
layout(push_constant) uniform Strides { uint stride, indexed_stride; };

void main() {
  for (uint i = 0; i < 4; ++i) {
    const uint at = 1 + i * stride;
    draws[at] = i == 2 ? 3 : 4;
    draws[at + 1] = i + 1;
    draws[at + 2] = i;
    draws[at + 3] = 2 * i;
  }
  for (uint i = 0; i < 3; ++i) {
    const uint at = 2 + i * indexed_stride;
    indexed[at] = 4;
    indexed[at + 1] = 3 - i;
    indexed[at + 2] = i;
    indexed[at + 3] = i == 1 ? 0 : 5;
    indexed[at + 4] = i;
  }
}
