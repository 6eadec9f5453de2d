#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Output { uint words[]; };

void main() { words[gl_GlobalInvocationID.x] += 1 + gl_GlobalInvocationID.y; }
