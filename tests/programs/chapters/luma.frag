#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 result;

void main() { result = texture(image, gl_FragCoord.xy / 16.0); }
