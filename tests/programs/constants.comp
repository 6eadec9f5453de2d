#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x_id = 6) in;
layout(constant_id = 0) const bool flag = false;
layout(constant_id = 1) const int number = 1;
layout(constant_id = 2) const float real = 1;
layout(constant_id = 3) const double wide = 1;
layout(constant_id = 4) const uint64_t large = 1;
layout(constant_id = 5) const uint16_t small = 1us;
layout(constant_id = 9) const uint untouched = 99;
layout(binding = 0) buffer Output { uint words[]; };

void main() {
  atomicAdd(words[0], 1);
  words[1] = flag ? 1 : 0;
  words[2] = uint(number);
  words[3] = floatBitsToUint(real);
  words[4] = uint(wide * 16);
  words[5] = uint(large >> 32);
  words[6] = uint(small);
  words[7] = untouched;
}
