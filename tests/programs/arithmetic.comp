#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_null_initializer : require
#extension GL_EXT_shader_realtime_clock : require
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(binding = 0, scalar) buffer Small {
  uint8_t bytes[8];
  u16vec3 shorts[2];  // six bytes each: only the scalar layout packs them so
  float16_t halves[2];
};
layout(binding = 1) buffer Output { uint words[]; };
layout(binding = 2) buffer Wide {
  uint64_t total;
  float sum;
  float largest;
};
shared uint shared_zeros[8] = {};

void main() {
  const uint i = gl_LocalInvocationID.x;
  bytes[i] = uint8_t(i * 3);
  if (i < 2) shorts[i] = u16vec3(i, 0x1234, 7);
  if (i < 2) halves[i] = float16_t(0.5) * float16_t(i + 1);
  atomicAdd(total, 0x100000000ul);
  atomicAdd(sum, 0.5);
  atomicMax(largest, float(i));
  atomicStore(words[0], 5u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  words[1] = subgroupAll(i < 8) ? 1 : 0;
  atomicAdd(words[2], shared_zeros[i] + 1);
  const uint16_t reduced = subgroupAdd(uint16_t(1));
  if (subgroupElect()) atomicAdd(words[3], uint(reduced));
  atomicOr(words[4], subgroupBallotBitCount(subgroupBallot(true)) > 0 ? 1 : 0);
  if (clockRealtimeEXT() == 0ul) words[5] = 1;  // never
}
