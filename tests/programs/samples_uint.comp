#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform utexture2DMSArray image;
layout(binding = 1) buffer Output { uvec4 texels[]; };

void main() {
  const ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  const int layer = int(gl_GlobalInvocationID.z) / 4, sample_ = int(gl_GlobalInvocationID.z) % 4;
  const ivec3 size = textureSize(image);
  if (at.x >= size.x || at.y >= size.y) return;
  texels[((layer * 4 + sample_) * size.y + at.y) * size.x + at.x] = uvec4(texelFetch(image, ivec3(at, layer), sample_));
}
