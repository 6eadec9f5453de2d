#version 450
// The colour of an image.
layout(set = 0, binding = 0) uniform sampler2D from;
layout(location = 0) out vec4 result;

void main() { result = texture(from, gl_FragCoord.xy / 16); }
