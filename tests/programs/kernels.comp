#version 450
// As long as it is told to take: each step needs the one before it. 64 steps an iteration, because llvmpipe ends a shader's
// loops after 65,535 iterations.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Values { uint values[]; };
layout(push_constant) uniform Push { uint loops; };
#define STEP value = (value ^ (value >> 3)) * 1664525u + 1013904223u;
#define STEPS_8 STEP STEP STEP STEP STEP STEP STEP STEP
void main() {
  uint value = values[gl_WorkGroupID.x];
  for (uint i = 0; i < loops; ++i) {
    STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8 STEPS_8
  }
  values[gl_WorkGroupID.x] = value;
}
