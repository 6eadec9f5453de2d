#version 450
layout(set = 1, binding = 0) uniform Paint { vec4 paint; };
layout(location = 0) out vec4 result;

void main() { result = paint; }
