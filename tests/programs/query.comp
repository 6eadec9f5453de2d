#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1, std430) buffer Hits { uvec4 hits[]; };

// One ray a texel, straight down: what it met, where, and how far away.
void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  vec2 size = vec2(gl_NumWorkGroups.xy * 8);
  vec3 from = vec3((vec2(at) + 0.5) / size * 8.0 - 4.0, 2.0);
  rayQueryEXT ray;
  rayQueryInitializeEXT(ray, scene, gl_RayFlagsNoneEXT, 0xff, from, 0.0, vec3(0, 0, -1), 100.0);
  while (rayQueryProceedEXT(ray))
    if (rayQueryGetIntersectionTypeEXT(ray, false) == gl_RayQueryCandidateIntersectionAABBEXT)
      rayQueryGenerateIntersectionEXT(ray, 1.5);
  uvec4 hit = uvec4(0);
  uint type = rayQueryGetIntersectionTypeEXT(ray, true);
  if (type != gl_RayQueryCommittedIntersectionNoneEXT)
    hit = uvec4(type, rayQueryGetIntersectionInstanceCustomIndexEXT(ray, true),
                rayQueryGetIntersectionPrimitiveIndexEXT(ray, true),
                floatBitsToUint(rayQueryGetIntersectionTEXT(ray, true)));
  hits[at.y * uint(size.x) + at.x] = hit;
}
