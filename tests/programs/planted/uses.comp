#version 450
// Reads one buffer and writes all of another one.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer From { uint words[]; } from;
layout(binding = 1) writeonly buffer To { uint words[]; } to;
void main() { to.words[gl_GlobalInvocationID.x] = from.words[gl_GlobalInvocationID.x]; }
