#version 460
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform A { uvec4 a[4]; };
layout(set = 0, binding = 5) uniform B { uvec4 b; };
layout(set = 0, binding = 1) buffer Out { uint words[]; };
void main() {
  for (int i = 0; i < 16; ++i) words[i] = a[i / 4][i % 4];
  for (int i = 0; i < 4; ++i) words[16 + i] = b[i];
}
