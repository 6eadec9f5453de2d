#version 460
// One texel buffer as each of three kinds; the push constant says which.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform samplerBuffer floats;
layout(set = 0, binding = 1) uniform isamplerBuffer ints;
layout(set = 0, binding = 2) uniform usamplerBuffer uints;
layout(set = 0, binding = 3) buffer Out { uvec4 texels[]; };
layout(push_constant) uniform Push { uint kind, at; };
void main() {
  int i = int(gl_GlobalInvocationID.x);
  if (kind == 0) {
    if (i < textureSize(floats)) texels[at + i] = floatBitsToUint(texelFetch(floats, i));
  } else if (kind == 1) {
    if (i < textureSize(ints)) texels[at + i] = uvec4(texelFetch(ints, i));
  } else {
    if (i < textureSize(uints)) texels[at + i] = texelFetch(uints, i);
  }
}
