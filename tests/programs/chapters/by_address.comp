#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// The first words behind addresses that come from everywhere.
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint kLow = 0;
layout(constant_id = 1) const uint kHigh = 0;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Place { uint value; uint visits; };
layout(set = 0, binding = 0) uniform Kept { uvec4 kept[4]; };
layout(set = 0, binding = 1, rg32ui) readonly uniform uimage2D texels;
layout(set = 0, binding = 2) buffer Held { uint before[2]; uint held[4]; uint left[2]; };
layout(set = 0, binding = 3) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uvec2 pushed; uint at; };
void visit(uvec2 address, uint n) {
  Place p = Place(address);
  words[at + n] = p.value;
  p.visits += n + 1;
}
void main() {
  visit(uvec2(kLow, kHigh), 0);
  visit(uvec2(kept[2].y, kept[2].z), 1);
  visit(imageLoad(texels, ivec2(3, 0)).xy, 2);
  visit(uvec2(held[0], held[1]), 3);
  visit(uvec2(held[2], held[3]), 4);
  visit(pushed, 5);
  uvec2 last = uvec2(left[0], left[1]);
  if (last != uvec2(0)) words[at + 6] = Place(last).value;
  left[0] = pushed.x;
  left[1] = pushed.y;
}
