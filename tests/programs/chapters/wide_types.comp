#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require
// Numbers of every width, packed as tightly as they are.
layout(local_size_x = 8) in;
struct Mixed { uint8_t a; uint16_t b; u8vec3 c; float16_t d; uint64_t e; double f; f16vec3 g; };
layout(set = 0, binding = 0, scalar) buffer In { Mixed from[]; };
layout(set = 0, binding = 1, scalar) buffer Out { uint64_t total; uint64_t most; Mixed to[]; };
layout(push_constant, scalar) uniform Push { uint8_t shift; uint16_t bias; uint8_t parts[3]; uint64_t big; };
shared uint64_t sum;
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (gl_LocalInvocationIndex == 0) sum = 0ul;
  barrier();
  Mixed m = from[i];
  m.a = m.a << shift;
  m.b += bias;
  m.c = m.c.zyx + u8vec3(parts[0], parts[1], parts[2]);
  m.d = m.d * float16_t(2) + m.g.y;
  m.e = m.e * big + uint64_t(m.b);
  m.f = m.f * 1.5lf + double(m.e & 0xfful);
  m.g = m.g.yzx;
  to[i] = m;
  atomicAdd(sum, m.e & 0xfffffffffful);
  barrier();
  if (gl_LocalInvocationIndex == 0) atomicAdd(total, sum);
  atomicMax(most, m.e);
}
