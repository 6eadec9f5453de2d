#version 450
// What each sample of an image holds, as words.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2DMS image;
layout(set = 0, binding = 1) buffer Words { uint words[]; };

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = textureSize(image);
  for (int i = 0; i < 4; ++i)
    words[(i * size.y + at.y) * size.x + at.x] = packUnorm4x8(texelFetch(image, at, i));
}
