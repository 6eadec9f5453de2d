#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint words[]; };
layout(constant_id = 0) const uint kOperations = 31;
void main() {
  uint i = gl_GlobalInvocationID.x, v = i * 2654435761u >> 20, to = i * 8;
  words[to] = gl_SubgroupInvocationID + 100 * gl_SubgroupID + 10000 * gl_NumSubgroups;
  if ((kOperations & 1) != 0) words[to + 1] = uint(subgroupAll(v > 5)) + 2 * uint(subgroupAny(v > 4000));
  if ((kOperations & 2) != 0) {
    uvec4 odd = subgroupBallot((v & 1) != 0);
    words[to + 2] = subgroupBallotBitCount(odd) + 100 * subgroupBallotExclusiveBitCount(odd);
    words[to + 3] = subgroupBroadcastFirst(v);
  }
  if ((kOperations & 4) != 0) {
    words[to + 4] = subgroupAdd(v) ^ subgroupMax(v);
    words[to + 5] = subgroupInclusiveAdd(v) + subgroupExclusiveMul(v | 1);
  }
  if ((kOperations & 8) != 0) words[to + 6] = subgroupShuffleXor(v, 1);
  if ((kOperations & 16) != 0 && gl_SubgroupInvocationID > 0) words[to + 7] = subgroupShuffleUp(v, 1);
}
