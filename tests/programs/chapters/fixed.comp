#version 460
// A little beyond the right edge, by each sampler.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform sampler2D both[3];
layout(set = 0, binding = 1) uniform sampler alone[2];
layout(set = 0, binding = 2) uniform texture2D image;
layout(set = 0, binding = 3) uniform sampler2D other;
layout(set = 0, binding = 4) buffer Out { uint words[]; };
layout(push_constant) uniform Push { uint at; };
void main() {
  vec2 place = vec2(1.1, 0.5);
  words[at + 0] = packUnorm4x8(textureLod(both[0], place, 0.0));
  words[at + 1] = packUnorm4x8(textureLod(both[1], place, 0.0));
  words[at + 2] = packUnorm4x8(textureLod(both[2], place, 0.0));
  words[at + 3] = packUnorm4x8(textureLod(sampler2D(image, alone[0]), place, 0.0));
  words[at + 4] = packUnorm4x8(textureLod(sampler2D(image, alone[1]), place, 0.0));
  words[at + 5] = packUnorm4x8(textureLod(other, place, 0.0));
}
