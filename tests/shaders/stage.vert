// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs, and ways to have others.
#version 450
#ifndef POSITION
#define POSITION layout(location = 0) in vec2 position
#endif
#ifndef SHADE
#define SHADE layout(location = 1, component = 1) in float shade
#endif
#ifndef COLOUR
#define COLOUR layout(location = 0) out vec4 colour
#endif
#ifndef MORE
#define MORE
#endif
#ifndef STATEMENT
#define STATEMENT
#endif
POSITION;
SHADE;
COLOUR;
layout(location = 2) out Block { vec2 first; float second[2]; } block;
MORE

void main() {
  gl_Position = vec4(position.xy, 0, 1);
#ifdef UNSHADED
  colour = vec4(1);
#else
  colour = vec4(shade);
#endif
  block.first = vec2(1);
  block.second[0] = block.second[1] = 2;
  STATEMENT
}
