#version 450
layout(location = 0) out vec4 result;

void main() { result = vec4(gl_SamplePosition, gl_SampleID / 4.0, 1); }
