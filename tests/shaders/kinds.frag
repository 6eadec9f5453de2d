// SPDX-License-Identifier: Apache-2.0
// A descriptor of each kind, matrices, arrays of structures, and blocks by rows.
#version 450
#ifndef SIZE
#define SIZE 3
#endif
#ifndef STORAGE
#define STORAGE rgba8
#endif
#ifndef LAYERS
#define LAYERS sampler2DArray
#endif
#ifndef OFFSET
#define OFFSET 32
#endif
layout(constant_id = 7) const int count = 2;
struct Part { vec3 a; float b; };
layout(set = 0, binding = 0) uniform LAYERS layers;
layout(set = 0, binding = 1) uniform texture2D pictures[SIZE];
layout(set = 0, binding = 2) uniform sampler how;
layout(set = 0, binding = 3, STORAGE) uniform image2D store;
layout(set = 0, binding = 4) uniform samplerBuffer texels;
layout(set = 0, binding = 5, r32ui) uniform uimageBuffer words;
layout(set = 0, binding = 6, input_attachment_index = 1) uniform subpassInput before;
layout(set = 1, binding = 0) uniform Block {
  layout(offset = 0) vec4 first;
  layout(offset = OFFSET) layout(row_major) mat2x3 matrix;
  layout(offset = 80) Part parts[count];
} block;
layout(set = 1, binding = 1) uniform Unused { vec4 never; } unused;
layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 second;

void main() {
  vec4 sum = texture(layers, vec3(0)) + texture(sampler2D(pictures[1], how), vec2(0)) + imageLoad(store, ivec2(0)) +
             texelFetch(texels, 1) + subpassLoad(before) + block.first;
  imageStore(words, 0, uvec4(1));
  colour = sum + vec4(block.matrix * vec2(1), 1) + vec4(block.parts[1].a, 1);
  second = vec4(1);
}
