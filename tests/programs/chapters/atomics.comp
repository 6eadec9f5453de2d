#version 460
#extension GL_EXT_shader_atomic_float : require
// Adds and exchanges of floats, in memory and shared between invocations.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Cells { float added; float shared_sum; float last; };
shared float sum;
void main() {
  if (gl_LocalInvocationIndex == 0) sum = 0.0;
  barrier();
  atomicAdd(added, float(gl_LocalInvocationIndex));
  atomicAdd(sum, 0.5);
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    shared_sum = sum;
    atomicExchange(last, 17.0);
  }
}
