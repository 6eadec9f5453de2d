// SPDX-License-Identifier: Apache-2.0
// Descriptors that are written, changed atomically, read through functions, asked for their length, copied whole.
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 1) in;
struct Pair { uint a; uint b; };
layout(set = 0, binding = 0) buffer Written { uint words[]; } written;
layout(set = 0, binding = 1) buffer Counted { uint count; uint other; } counted;
layout(set = 0, binding = 2) buffer Read { uint words[]; } read_in;
layout(set = 0, binding = 3) buffer Measured { uint words[]; } measured;
layout(set = 0, binding = 4) uniform uimage2D passed;
layout(set = 0, binding = 5, r32ui) uniform uimage2D summed;
layout(set = 0, binding = 6) buffer Source { Pair pairs[2]; } source;
layout(set = 0, binding = 7) writeonly buffer Target { Pair pairs[2]; } target;
layout(set = 0, binding = 8) buffer Never { uint words[]; } never;

uint through(uint i) { return read_in.words[i]; }
uint of_image(uimage2D image) { return imageLoad(image, ivec2(0)).x; }
void uncalled() { never.words[0] = 1; }

void main() {
  written.words[1] = through(2);
  atomicAdd(counted.count, 1);
  written.words[2] = measured.words.length();
  written.words[3] = of_image(passed);
  imageAtomicAdd(summed, ivec2(0), 1);
  target.pairs[0] = source.pairs[1];
}
