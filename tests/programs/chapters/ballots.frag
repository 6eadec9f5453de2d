#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(set = 0, binding = 0) buffer Results { uint results[4]; };
layout(location = 0) out vec4 result;

void main() {
  // Nothing of this depends on which fragments share a subgroup, but that they do share ones.
  const uvec4 all = subgroupBallot(!gl_HelperInvocation);
  const uint n = subgroupBallotBitCount(all);
  const uint sum = subgroupAdd(gl_HelperInvocation ? 0u : 1u);
  if (subgroupElect() && sum != 0 && sum != n) atomicAdd(results[0], 1);
  if (subgroupAll(n == sum)) result.r = 1; else result.r = 0.5;
  const uint first = subgroupBroadcastFirst(uint(gl_FragCoord.x) + 1);
  result.g = subgroupAny(first == uint(gl_FragCoord.x) + 1) ? 1 : 0.25;
  result.b = subgroupMin(gl_FragCoord.y) <= gl_FragCoord.y ? 0.75 : 0;
  result.a = subgroupMax(gl_FragCoord.x) >= gl_FragCoord.x ? 1 : 0;
  if (!gl_HelperInvocation) atomicAdd(results[1], 1);
  atomicMax(results[2], gl_SubgroupSize);
}
