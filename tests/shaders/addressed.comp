// SPDX-License-Identifier: Apache-2.0
// Pointers that are pushed: read, or written to.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(set = 0, binding = 0) buffer Output { uint result; };
layout(push_constant) uniform Push { Words there; };

void main() {
#ifdef WRITES
  there.words[0] = 1;
#else
  result = there.words[0];
#endif
}
