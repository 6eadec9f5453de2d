#version 460
// One word of each descriptor, wherever that is.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std140) uniform A { uvec4 a[16]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(set = 0, binding = 2) uniform usamplerBuffer c;
layout(set = 0, binding = 3, r32ui) uniform uimage2D d;
layout(set = 0, binding = 4) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint at, to; };
void main() {
  words[to] = a[at / 4][at % 4];
  words[to + 1] = b[at];
  words[to + 2] = texelFetch(c, int(at)).x;
  words[to + 3] = imageLoad(d, ivec2(at)).x;
  b[at] = 0xabc;
  imageStore(d, ivec2(at), uvec4(5));
  memoryBarrierBuffer();
  words[to + 4] = b[at];
  words[to + 5] = b.length();
}
