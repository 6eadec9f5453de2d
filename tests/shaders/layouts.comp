// SPDX-License-Identifier: Apache-2.0
// Blocks that only some devices take: each macro is one of them.
#version 450
#extension GL_EXT_scalar_block_layout : enable
layout(local_size_x = 1) in;
#ifdef SCALAR
layout(scalar, binding = 0) buffer Block { float a; float b; vec3 across; } block;  // over a multiple of 16
#elif defined(RELAXED)
layout(scalar, binding = 0) buffer Block { float a; vec3 within; } block;
#else
layout(std430, binding = 0) uniform Uniform { float dense[4]; } block;
#endif
layout(binding = 1) buffer Output { float result; };

void main() {
#ifdef SCALAR
  result = block.across.x;
#elif defined(RELAXED)
  result = block.within.x;
#else
  result = block.dense[gl_WorkGroupID.x & 3];
#endif
}
