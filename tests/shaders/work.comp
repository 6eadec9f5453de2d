// SPDX-License-Identifier: Apache-2.0
// accumulate.comp of tests/programs, and what can stand in its place or cannot: each macro is one way to
// be another shader.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#ifndef FACTOR
#define FACTOR 3u
#endif
#ifndef SIZE
#define SIZE local_size_x = 64
#endif
#ifndef INPUT
#define INPUT layout(set = 0, binding = 0) readonly buffer Input { uint data[]; } inputs
#endif
#ifndef OUTPUT
#define OUTPUT layout(set = 0, binding = 1) buffer Output { uint data[]; } outputs
#endif
#ifndef PUSH
#define PUSH uint slot; uint previous;
#endif
#ifndef READ
#define READ inputs.data[push.slot * 64u + i]
#endif
#ifndef PREVIOUS
#define PREVIOUS push.previous
#endif
#ifndef STATEMENT
#define STATEMENT
#endif
#ifndef DECLARATION
#define DECLARATION
#endif

layout(SIZE) in;
layout(push_constant) uniform Push { PUSH } push;
INPUT;
OUTPUT;
DECLARATION

void main() {
  uint i = gl_LocalInvocationIndex;
  uint before = PREVIOUS == 0xffffffffu ? 0u : outputs.data[PREVIOUS * 64u + i];
  STATEMENT
  outputs.data[push.slot * 64u + i] = FACTOR * uint(READ) + before;
}
