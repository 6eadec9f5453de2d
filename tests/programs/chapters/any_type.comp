#version 460
// Takes the first descriptor for a uniform buffer, the array's first for a storage buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform A { uvec4 a; };
layout(set = 0, binding = 1) buffer Out { uint words[]; };
layout(set = 0, binding = 2) readonly buffer B { uint b[]; } many[2];
void main() {
  words[0] = a.x;
  words[1] = many[0].b[0];
  words[2] = many[0].b[0];
}
