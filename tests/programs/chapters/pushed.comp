#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform Pushed { uint values[32]; };
layout(set = 0, binding = 0) buffer Results { uint results[]; };

void main() { results[gl_LocalInvocationIndex] = values[gl_LocalInvocationIndex]; }
