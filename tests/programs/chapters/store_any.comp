#version 460
// Values that differ by the texel, by the variable of the image's kind.
layout(local_size_x = 4, local_size_y = 4) in;
layout(constant_id = 0) const uint kKind = 0;
layout(set = 0, binding = 0) uniform writeonly image2D floats;
layout(set = 0, binding = 0) uniform writeonly iimage2D ints;
layout(set = 0, binding = 0) uniform writeonly uimage2D uints;
void main() {
  ivec2 at = ivec2(gl_LocalInvocationID.xy);
  int n = at.y * 4 + at.x;
  if (kKind == 0) imageStore(floats, at, vec4(n / 16.0, 0.5, 1.0 - n / 32.0, 0.25));
  else if (kKind == 1) imageStore(ints, at, ivec4(n - 8, -1, n, 3));
  else imageStore(uints, at, uvec4(n + 16, 1, n, 3));
}
