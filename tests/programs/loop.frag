#version 450
layout(binding = 0) uniform sampler2D before;
layout(location = 0) out vec4 result;

void main() { result = vec4(1 - texelFetch(before, ivec2(gl_FragCoord.xy), 0).rgb, 1); }
