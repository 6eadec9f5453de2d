#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Uniform { uint value; };
layout(set = 0, binding = 1) buffer Output { uint words[]; };
layout(set = 0, binding = 2) uniform sampler2D both;
layout(set = 0, binding = 3) uniform texture2D picture;
layout(set = 0, binding = 4) uniform sampler how;
layout(set = 0, binding = 5, rgba8) uniform image2D target;
layout(set = 0, binding = 6) uniform samplerBuffer texels;
layout(set = 0, binding = 7, rgba8) uniform writeonly imageBuffer written;
layout(set = 0, binding = 8) buffer Many { uint word; } many[3];

void main() {
  const vec2 outside = vec2(-0.375, 0.25);  // where the border is, or the edge
  words[0] = value;
  words[1] = packUnorm4x8(textureLod(both, outside, 0));
  words[2] = packUnorm4x8(textureLod(sampler2D(picture, how), outside, 0));
  words[4] = packUnorm4x8(imageLoad(target, ivec2(0)));
  words[5] = packUnorm4x8(texelFetch(texels, 1));
  words[6] = many[0].word + many[1].word + many[2].word;
  imageStore(target, ivec2(0), imageLoad(target, ivec2(0)) + vec4(0, 0, 1.0 / 255, 0));
  imageStore(written, 1, vec4(1, 0, 0, 1));
}
