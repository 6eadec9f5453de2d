#version 450
// The colour of a uniform buffer.
layout(set = 0, binding = 0) uniform From { uvec4 from[32]; };
layout(location = 0) out vec4 result;

void main() { result = vec4(from[0]); }
