#version 460
#extension GL_EXT_null_initializer : require
// Shared memory that begins as zeros in every workgroup, whatever was there.
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint kWords = 16;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
struct Part { uint a; uvec3 b; float c[4]; };
shared uint scratch[256] = {};
shared Part parts[8] = {};
void main() {
  uint i = gl_LocalInvocationIndex, n = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
  uint sum = 0;
  for (uint k = i; k < 256; k += n) sum += scratch[k];
  if (i < 8) sum += parts[i].a + parts[i].b.y + uint(parts[i].c[3]);
  barrier();
  for (uint k = i; k < 256; k += n) scratch[k] = 0xdeadbeef;
  if (i < 8) parts[i].b = uvec3(i + 1);
  barrier();
  if (i < kWords) words[gl_WorkGroupID.x * kWords + i] = sum * 100 + n + (i < 8 ? parts[7 - i].b.y : 0);
}
