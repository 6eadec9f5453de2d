#version 450
layout(set = 0, binding = 0) uniform usampler2D stencil;
layout(set = 0, binding = 1) uniform sampler2D depth;
layout(input_attachment_index = 0, set = 0, binding = 2) uniform usubpassInput input_stencil;
layout(input_attachment_index = 1, set = 0, binding = 3) uniform subpassInput input_depth;
layout(location = 0) out vec4 result;

void main() {
  const vec2 at = gl_FragCoord.xy / 8.0;
  result = vec4(texture(stencil, at.yx).r, texture(depth, at.yx).r * 255, subpassLoad(input_stencil).r,
                subpassLoad(input_depth).r * 255) / 255.0;
}
