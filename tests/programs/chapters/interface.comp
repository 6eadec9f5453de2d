#version 460
layout(local_size_x = 1) in;
layout(constant_id = 7) const uint kLength = 1;
layout(constant_id = 12) const uint kPlace = 0;
layout(set = 0, binding = 40) readonly buffer Many { uint first; } many[kLength];
layout(set = 0, binding = 3) readonly buffer AsWords { uint words[]; };
layout(set = 0, binding = 3) readonly buffer AsFloats { float floats[]; };
layout(set = 3, binding = 1000) buffer Out { uvec4 results[]; };
void main() {
  uint sum = 0;
  for (uint i = 0; i < kLength; ++i) sum += many[i].first;
  results[kPlace] = uvec4(sum, floatBitsToUint(floats[1]), words[2], kLength);
}
