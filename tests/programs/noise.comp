// Bits that no codec makes smaller, of little: each pass from those of the one before.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint seed; } push;
layout(binding = 0) buffer Words { uint words[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  uint x = words[i] ^ (i * 2654435761u + push.seed);
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  words[i] = x ^ (x >> 16);
}
