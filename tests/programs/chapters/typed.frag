#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 3) const uint count = 1;
layout(constant_id = 4) const int shift = 0;
layout(constant_id = 7) const uint16_t half_word = uint16_t(3);
layout(constant_id = 8) const int8_t small = int8_t(-1);
layout(constant_id = 9) const bool inverts = true;
const int combined = shift * 2 + int(count);
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;

void main() {
  float parts[count];
  for (int i = 0; i < int(count); ++i) parts[i] = float(i + combined) / 32.0;
  float sum = 0;
  for (int i = 0; i < int(count); ++i) sum += parts[i];
  result = vec4(color.rg, sum + float(half_word) / 256.0, float(small) / 16.0 + 0.75);
  if (inverts) result.rgb = 1 - result.rgb;
}
