#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D three;  // through a conversion
layout(binding = 1) uniform sampler2D two;    // through another
layout(binding = 2) uniform sampler2D luma;   // one plane, as it is
layout(binding = 3) buffer Output { uint words[]; };

void main() {
  for (int i = 0; i < 4; ++i) {
    const vec2 at = vec2(0.125 + 0.25 * i, 0.375);
    words[3 * i] = packUnorm4x8(textureLod(three, at, 0));
    words[3 * i + 1] = packUnorm4x8(textureLod(two, at, 0));
    words[3 * i + 2] = packUnorm4x8(textureLod(luma, at, 0));
  }
}
