// SPDX-License-Identifier: Apache-2.0
// As in model/gpu/samples.cpp: texels are `each` words of 32 bits, row by row from `row` on.
layout(push_constant) uniform Push {
  uint width;
  uint row;
  uint rows;
  uint each;
  uint number;  // of the sample
  uint bit;     // of a stencil; none of them: all texels are drawn
} push;
