#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
// Each group leaves a word; the one that comes last reads them all.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer State { uint arrived; uint sum; };
layout(set = 0, binding = 1) queuefamilycoherent buffer Words { uint words[]; };
layout(push_constant) uniform Push { uint groups, b, c, d; };
void main() {
  words[gl_WorkGroupID.x] = gl_WorkGroupID.x + 1;
  uint before = atomicAdd(arrived, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
  if (before != groups - 1) return;
  uint all = 0;
  for (uint i = 0; i < groups; ++i) all += words[i];
  sum += all;
  atomicStore(arrived, 0u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
}
