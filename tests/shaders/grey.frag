// SPDX-License-Identifier: Apache-2.0
// In the place of shape.frag of tests/programs: it takes nothing.
#version 450
layout(location = 0) out vec4 colour;

void main() { colour = vec4(0.5); }
