#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(constant_id = 3) const bool yes = false;
layout(constant_id = 5) const float wide = 1.0;
layout(constant_id = 6) const double deep = 0.25;
layout(constant_id = 90) const int64_t long_one = 0;
layout(location = 0) out vec4 color;

void main() {
  const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1 & 1);
  gl_Position = vec4((corner * 2 - 1) * wide, float(deep), 1);
  color = vec4(yes ? 1 : 0, float(deep), long_one > 0x100000000L ? 0.5 : 0.25, 1);
}
